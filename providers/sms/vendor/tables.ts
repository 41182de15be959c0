import type { Verdict } from '../../vendor/http/refusal.ts';
import type { CodeTable } from './codes.ts';

/** Codes of errors of Twilio, each described at twilio.com/docs/api/errors/<code>. */
export const twilioCodes = {
  recipient_unknown: '21211 21214 21217 21604 21614',
  recipient_blocked: '21608 21610',
  content_too_long: '21605 21617',
  content_refused: '21602',
  sender_refused: '21212 21603 21606',
  rejected: '21408 21612',
  // 21609: Twilio cannot reach the address for reports.
  provider_fault: '10001 20003 20404 21609 30002 70051 90010',
  throttled: '14107 20429 21611',
  unknown: '20500',
} as const satisfies CodeTable;

/** Codes of errors of Vonage: developer.vonage.com/en/api-errors/messages and developer.vonage.com/en/api-errors. */
export const vonageCodes = {
  recipient_unknown: '1040 1170',
  recipient_blocked: '1050 1160',
  content_too_long: '1090',
  sender_refused: '1120',
  rejected: '1010 1020 1021 1022 1130 1150 invalid-params',
  provider_fault:
    '1060 1070 1080 1140 unauthorized forbidden low-balance not-found unprovisioned account-suspended jwt-expired ' +
    'jwt-revoked invalid-api-key invalid-signature',
  throttled: '1000',
  // "Message was not submitted because there was a communication failure."
  not_sent: '1100',
  unknown: '1030',
} as const satisfies CodeTable;

/** Bodies of refusals of Kannel, from gw/smsbox.c of its release 1.4.5: it has no codes. */
export const kannelSentences: Readonly<Record<string, Verdict>> = {
  'Authorization failed for sendsms': 'provider_fault',
  // The bearerbox refused it: no connection of its configuration takes this recipient.
  'Not routable. Do not try again.': 'rejected',
  'Number(s) has/have been denied by white- and/or black-lists.': { outcome: 'rejected', reason: 'recipient_blocked' },
  'Missing receiver(s) number(s), rejected': { outcome: 'rejected', reason: 'recipient_unknown' },
  'Empty receiver number not allowed, rejected': { outcome: 'rejected', reason: 'recipient_unknown' },
  'Sender missing and no global set, rejected': { outcome: 'rejected', reason: 'sender_refused' },
  'Charset or body misformed, rejected': { outcome: 'rejected', reason: 'content_refused' },
  // The bearerbox said that it did not take the message.
  'Temporal failure, try again later.': 'not_sent',
};
