import { given } from '../../../kernel/adapter.ts';
import type { Block } from '../message/blocks.ts';
import type { ChatMessage } from '../message/message.ts';
import { slackText } from '../render/slack.ts';

/** Makes the members that the Web API and webhooks of Slack have in common. */
export function contentOf(message: ChatMessage, text: string): object {
  const { link_preview, thread } = message;
  const previews = { unfurl_links: link_preview, unfurl_media: link_preview };
  return given({ text, mrkdwn: hasMarkup(message), ...previews, thread_ts: thread });
}

/** Returns what writes the text of a message for Slack. */
export function writerOf(message: ChatMessage): (blocks: readonly Block[]) => string {
  return (blocks) => slackText(blocks, hasMarkup(message));
}

// Slack's markup has no escapes, so it is switched off for plain texts; but mentions are markup, too.
function hasMarkup({ format, mentions }: ChatMessage): boolean {
  return format === 'markdown' || mentions.length > 0;
}
