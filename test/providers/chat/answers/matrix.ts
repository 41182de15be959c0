import type { RejectedReason } from '../../../../kernel/adapter.ts';
import type { TimedAnswer } from '../doubles/bed.ts';

/** Where the answers are documented: standard error response, rate limiting, sending of events; and when it was read. */
export const source = 'spec.matrix.org/v1.18/client-server-api, 2026-07-21';

type Row = readonly [
  name: string,
  status: number,
  errcode: string,
  outcome: TimedAnswer['outcome'],
  reason?: RejectedReason,
];

const rows: readonly Row[] = [
  ['a malformed event', 400, 'M_BAD_JSON', 'rejected'],
  ['no JSON', 400, 'M_NOT_JSON', 'rejected'],
  ['an invalid parameter', 400, 'M_INVALID_PARAM', 'rejected'],
  ['an error without a code of its own', 400, 'M_UNKNOWN', 'rejected'],
  ['too large an event', 413, 'M_TOO_LARGE', 'rejected', 'content_too_long'],
  ['a room that the account is not in', 403, 'M_FORBIDDEN', 'rejected', 'sender_refused'],
  ['an unknown room', 404, 'M_NOT_FOUND', 'rejected', 'recipient_unknown'],
  ['an unknown token', 401, 'M_UNKNOWN_TOKEN', 'provider_fault'],
  ['no token', 401, 'M_MISSING_TOKEN', 'provider_fault'],
  ['a locked account', 401, 'M_USER_LOCKED', 'provider_fault'],
  ['a suspended account', 403, 'M_USER_SUSPENDED', 'provider_fault'],
  ['a deactivated account', 403, 'M_USER_DEACTIVATED', 'provider_fault'],
  ['terms that nobody accepted', 403, 'M_CONSENT_NOT_GIVEN', 'provider_fault'],
  ['the limit of the homeserver', 403, 'M_RESOURCE_LIMIT_EXCEEDED', 'provider_fault'],
  ['an endpoint that it does not know', 404, 'M_UNRECOGNIZED', 'provider_fault'],
  ['a rate limit without a time', 429, 'M_LIMIT_EXCEEDED', 'throttled'],
  ['its own fault', 500, 'M_UNKNOWN', 'unknown'],
];

// Texts of the server name accounts: they must not be shown.
const text = 'about @ada:example.org';
const limit = { errcode: 'M_LIMIT_EXCEEDED', error: text };

/** The documented answers. */
export const answers: readonly TimedAnswer[] = [
  ...rows.map(([name, status, errcode, outcome, reason]) => ({
    name,
    reply: { status, body: { errcode, error: text } },
    outcome,
    reason,
    shows: errcode,
  })),
  {
    name: 'the rate limit with its time in the body',
    reply: { status: 429, body: { ...limit, retry_after_ms: 2500 } },
    outcome: 'throttled',
    retry_after: 3,
  },
  {
    name: 'the rate limit with its time in a header',
    reply: { status: 429, headers: { 'retry-after': '7' }, body: { ...limit, retry_after_ms: 2500 } },
    outcome: 'throttled',
    retry_after: 7,
  },
  { name: 'a path that leads to no homeserver', reply: { status: 404, body: {} }, outcome: 'provider_fault' },
];
