import { given } from '../../../kernel/adapter.ts';
import type { ChatMessage } from '../message/message.ts';

/** Makes the members that the Web API and webhooks of Slack have in common. */
export function contentOf({ format, link_preview, mentions, thread }: ChatMessage, text: string): object {
  return given({
    text,
    // A plain text is shown as it is; mentions are markup, too.
    mrkdwn: format === 'markdown' || mentions.length > 0,
    unfurl_links: link_preview,
    unfurl_media: link_preview,
    thread_ts: thread,
  });
}
