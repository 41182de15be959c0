import type { RejectedReason } from '../../../../kernel/adapter.ts';
import type { DocumentedAnswer } from '../vendors/bed.ts';

/** Where the errors of the Web API are documented, and when they were read. */
export const source = 'docs.slack.dev/reference/methods/chat.postMessage#errors, 2026-09-12';

/** Where the errors of incoming webhooks are documented, and when they were read. */
export const webhookSource = 'docs.slack.dev/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks, 2026-09-12';

type Outcome = DocumentedAnswer['outcome'];
type Rows = readonly (readonly [outcome: Outcome, reason: RejectedReason | undefined, errors: readonly string[]])[];

const rows: Rows = [
  ['rejected', 'recipient_unknown', ['channel_not_found']],
  ['rejected', 'recipient_gone', ['is_archived']],
  [
    'rejected',
    'recipient_blocked',
    [
      'messages_tab_disabled',
      'slack_connect_canvas_sharing_blocked',
      'slack_connect_file_link_sharing_blocked',
      'slack_connect_lists_sharing_blocked',
    ],
  ],
  [
    'rejected',
    'sender_refused',
    [
      'not_in_channel',
      'restricted_action',
      'restricted_action_non_threadable_channel',
      'restricted_action_read_only_channel',
      'restricted_action_thread_locked',
      'restricted_action_thread_only_channel',
      'cannot_reply_to_message',
    ],
  ],
  ['rejected', 'content_too_long', ['msg_too_long', 'msg_blocks_too_long', 'metadata_too_large']],
  [
    'rejected',
    'content_refused',
    [
      'no_text',
      'invalid_blocks',
      'invalid_blocks_format',
      'markdown_text_conflict',
      'invalid_metadata_format',
      'invalid_metadata_schema',
    ],
  ],
  ['rejected', undefined, ['invalid_arguments']],
  [
    'provider_fault',
    undefined,
    [
      'invalid_auth',
      'not_authed',
      'account_inactive',
      'token_revoked',
      'token_expired',
      'missing_scope',
      'no_permission',
      'not_allowed_token_type',
      'team_access_not_granted',
      'org_login_required',
      'ekm_access_denied',
      'access_denied',
      'app_access_restricted',
      'message_limit_exceeded',
      'metadata_must_be_sent_from_app',
    ],
  ],
  ['throttled', undefined, ['ratelimited', 'rate_limited']],
  ['unknown', undefined, ['fatal_error', 'internal_error', 'request_timeout', 'service_unavailable']],
  // Errors that Slack does not document for messages.
  ['unknown', undefined, ['invented_tomorrow', 'restricted', 'channel_not_found_2']],
];

/** Makes a refusal of the Web API, whose status is always 200. */
export const failed = (error: string): DocumentedAnswer['reply'] => ({ status: 200, body: { ok: false, error } });

/** The documented answers of the Web API. */
export const answers: readonly DocumentedAnswer[] = [
  ...rows.flatMap(([outcome, reason, errors]) =>
    errors.map((error) => ({ name: error, reply: failed(error), outcome, reason, shows: error })),
  ),
  { name: 'the limit of the rate', reply: { ...failed('ratelimited'), status: 429 }, outcome: 'throttled' },
  { name: 'an error that is no code', reply: failed('what is ada doing?'), outcome: 'unknown' },
  {
    name: 'an answer without ok',
    reply: { status: 200, body: { channel: 'C024BE91L', ts: '1.2' } },
    outcome: 'unknown',
  },
  {
    name: 'an answer without the time',
    reply: { status: 200, body: { ok: true, channel: 'C024BE91L' } },
    outcome: 'unknown',
  },
  { name: 'an answer without the channel', reply: { status: 200, body: { ok: true, ts: '1.2' } }, outcome: 'unknown' },
  { name: 'an unavailable service', reply: { ...failed('service_unavailable'), status: 503 }, outcome: 'unknown' },
];

const ofWebhook = (status: number, body: string, outcome: Outcome, reason?: RejectedReason): DocumentedAnswer => ({
  name: body,
  reply: { status, body },
  outcome,
  reason,
  shows: body,
});

/** The documented answers of incoming webhooks. */
export const webhookAnswers: readonly DocumentedAnswer[] = [
  ofWebhook(400, 'invalid_payload', 'rejected', 'content_refused'),
  ofWebhook(400, 'user_not_found', 'rejected', 'recipient_unknown'),
  ofWebhook(403, 'action_prohibited', 'rejected', 'sender_refused'),
  ofWebhook(404, 'channel_not_found', 'rejected', 'recipient_unknown'),
  ofWebhook(410, 'channel_is_archived', 'rejected', 'recipient_gone'),
  ofWebhook(404, 'no_service', 'provider_fault'),
  ofWebhook(404, 'no_team', 'provider_fault'),
  ofWebhook(403, 'invalid_token', 'provider_fault'),
  ofWebhook(500, 'rollup_error', 'unknown'),
  ofWebhook(400, 'invented_tomorrow', 'unknown'),
  { name: 'a page of another server', reply: { status: 200, body: '<html>Welcome</html>' }, outcome: 'unknown' },
];
