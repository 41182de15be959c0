import type { RejectedReason } from '../../../kernel/adapter.ts';
import type { Verdict } from '../../vendor/http/refusal.ts';

const rejected = (reason: RejectedReason): Verdict => ({ outcome: 'rejected', reason });

// docs.slack.dev/reference/methods/chat.postMessage#errors; * is any ending. `fatal_error` and `internal_error` may come
// after part of the work was done.
const rows: readonly (readonly [Verdict, string])[] = [
  [rejected('recipient_unknown'), 'channel_not_found'],
  [rejected('recipient_gone'), 'is_archived'],
  [rejected('recipient_blocked'), 'messages_tab_disabled slack_connect_*_blocked'],
  [rejected('sender_refused'), 'not_in_channel restricted_action* cannot_reply_to_message'],
  [rejected('content_too_long'), 'msg_too_long msg_blocks_too_long metadata_too_large'],
  [rejected('content_refused'), 'no_text invalid_blocks* markdown_text_conflict invalid_metadata_*'],
  ['rejected', 'invalid_arguments'],
  ['provider_fault', 'invalid_auth not_authed account_inactive token_revoked token_expired missing_scope'],
  ['provider_fault', 'no_permission not_allowed_token_type team_access_not_granted org_login_required'],
  ['provider_fault', 'ekm_access_denied access_denied app_access_restricted message_limit_exceeded'],
  ['provider_fault', 'metadata_must_be_sent_from_app'],
  ['throttled', 'ratelimited rate_limited'],
  ['unknown', 'fatal_error internal_error request_timeout service_unavailable'],
];

const verdicts = rows.map(
  ([verdict, names]) =>
    [new RegExp(`^(?:${names.replaceAll('*', '[a-z_]*').replaceAll(' ', '|')})$`, 'u'), verdict] as const,
);

/** Returns what an error of Slack's Web API means; undefined: Slack does not document it for messages. */
export function slackVerdict(error: string): Verdict | undefined {
  return verdicts.find(([form]) => form.test(error))?.[1];
}
