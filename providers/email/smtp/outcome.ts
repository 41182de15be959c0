import { connectionRemedy, failurePhase } from '../../vendor/connection/remedy.ts';
import { ProviderError, type RejectedReason } from '../../../kernel/adapter.ts';
import { commonReason, enhancedCode, rejectedReason, type SmtpReply } from './reasons.ts';
import { addressOf, wordsOf, type SmtpServer } from './server-words.ts';
import type { Recipient } from '../message/message.ts';

/** A failure as the SMTP library reports it; every member may be absent. */
export interface SmtpFault extends Error, SmtpReply {
  /** The code of the system or of TLS behind the library's code. */
  readonly originalCode?: string;
  /** One per refused recipient. */
  readonly rejectedErrors?: readonly (SmtpFault & { readonly recipient?: string })[];
}

/** State at the failure: `handed` is true once a byte of the message may have left. */
export interface SmtpMoment {
  readonly handed: boolean;
  readonly recipients: readonly Recipient[];
  /** For the words to the operator; absent: they name no server. */
  readonly server?: SmtpServer;
}

const retryAfter = 60;

/** Error code of a step that the signal ended. */
export const abortedCode = 'EABORT';

/** Maps a failure to exactly one outcome: `unknown` if in doubt once the message may have arrived. */
export function smtpOutcome(fault: SmtpFault, { handed, recipients, server }: SmtpMoment): ProviderError {
  if (fault.code === abortedCode) return missedDeadline(fault, handed);
  if (fault.rejectedErrors !== undefined) return refusedRecipients(fault, recipients);
  const answered = fault.code === 'EENVELOPE' || fault.code === 'EMESSAGE';
  if (answered) return refusedMessage(fault, handed);
  if (handed)
    return unknown('the connection to the mail server failed while the message was being sent', 'data', fault);
  return failedSession(fault, server);
}

function missedDeadline(fault: SmtpFault, handed: boolean): ProviderError {
  if (handed) return unknown('the deadline passed while the message was being sent', 'deadline', fault);
  return notSent('the deadline passed before the message was sent', 'deadline');
}

type Refusal = 'rejected' | 'provider_fault' | 'not_sent' | 'throttled';

/** Reads a 4xx or 5xx reply to MAIL, RCPT or DATA; undefined for any other reply. */
function refusal({ responseCode = 0, response = '' }: SmtpFault): Refusal | undefined {
  if (responseCode >= 400 && responseCode < 500) return 'throttled';
  if (responseCode < 500 || responseCode > 599) return undefined;
  // RFC 5321 §4.2.4: a bad sequence of commands is an error of the session, not of the message.
  if (responseCode === 503) return 'not_sent';
  // RFC 4954 §6 and RFC 3463 §3.8: authentication, policy and security concern us and the server, not the message.
  if ([530, 534, 535, 538].includes(responseCode) || /^5\d\d[ -]5\.7\.\d/u.test(response)) return 'provider_fault';
  return 'rejected';
}

function refusedMessage(fault: SmtpFault, handed: boolean): ProviderError {
  const outcome = fault.responseCode === undefined && !handed ? 'rejected' : refusal(fault);
  // The reply neither accepts nor refuses the message.
  if (outcome === undefined)
    return unknown('the mail server did not say whether it accepts the message', 'data', fault);
  const what = fault.command === 'MAIL FROM' ? 'the sender' : 'the message';
  const phase = handed ? 'data' : 'envelope';
  const reason = rejectedReason(fault);
  return refused(outcome, `the mail server refused ${what}${replyOf(fault)}`, phase, fault, { reason });
}

/**
 * Maps refused recipients to one outcome. One of them refuses the whole e-mail: the session ends before a byte is sent,
 * so that no e-mail reaches only some recipients. A permanent refusal decides, because no retry helps against it.
 */
function refusedRecipients(fault: SmtpFault, recipients: readonly Recipient[]): ProviderError {
  const refusals = (fault.rejectedErrors ?? []).map((error) => ({ error, outcome: refusal(error) ?? 'not_sent' }));
  const order: readonly Refusal[] = ['rejected', 'provider_fault', 'throttled', 'not_sent'];
  const outcome = order.find((candidate) => refusals.some((one) => one.outcome === candidate)) ?? 'not_sent';
  const deciding = refusals.filter((one) => one.outcome === outcome);
  const reason = commonReason(deciding.map(({ error }) => error));
  const places = deciding.slice(0, 5).map(({ error }) => `${placeOf(error.recipient, recipients)}${replyOf(error)}`);
  const text = `the mail server refused ${refusals.length} of ${recipients.length} recipient(s); no message was sent: `;
  return refused(outcome, text + places.join(', '), 'envelope', fault, { reason });
}

function placeOf(address: string | undefined, recipients: readonly Recipient[]): string {
  return recipients.find((recipient) => recipient.address === address)?.at ?? 'an unknown recipient';
}

interface Why {
  readonly reason?: RejectedReason | undefined;
  readonly remedy?: string | undefined;
}

function refused(outcome: Refusal, text: string, phase: string, cause: SmtpFault, why: Why): ProviderError {
  const detail = { cause, phase, ...why, ...(outcome === 'throttled' ? { retry_after: retryAfter } : {}) };
  return new ProviderError(outcome, text, detail);
}

/** Maps a session that could not be set up, or that broke before the message: nothing was sent. */
function failedSession(fault: SmtpFault, server: SmtpServer | undefined): ProviderError {
  const { code, responseCode = 0 } = fault;
  const told = (advice?: string): string | undefined => forOperator(advice, fault, server);
  if (code === 'EAUTH') return failedLogin(fault, told);
  const coded = systemCode(fault);
  const tls = code === 'ETLS' || failurePhase(fault.originalCode) === 'tls';
  if (tls) return notSent(`no trusted TLS connection to the mail server${coded}`, 'tls', fault, told(tlsRemedy(fault)));
  const remedy = told(connectionRemedy(codeOf(fault), names));
  if (code === 'EDNS') return notSent('the host name of the mail server cannot be resolved', 'dns', fault, remedy);
  const isLater = responseCode < 500;
  const text = `the mail server ${isLater ? 'is temporarily not available' : 'refused the connection'}${replyOf(fault)}`;
  if (responseCode >= 400) return refused(isLater ? 'throttled' : 'provider_fault', text, 'connect', fault, { remedy });
  return notSent(`the mail server could not be reached${coded}`, 'connect', fault, remedy);
}

/** What to change when a server offers no TLS where the settings require it. */
export const noTlsRemedy = 'the server offers no STARTTLS; set `starttls` to `never`, or use port 465 with `secure`';

const names = {
  address: '`host` and `port`',
  host: '`host`',
  timeout: '`connection_timeout_ms`',
  authority: 'set `ca` to its certificate authority',
};

function tlsRemedy(fault: SmtpFault): string | undefined {
  // The server answered the command STARTTLS, and did not accept it.
  if (fault.command === 'STARTTLS' && fault.responseCode !== undefined) return noTlsRemedy;
  const code = codeOf(fault);
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL_') === true)
    return 'the server does not use implicit TLS on this port; set `secure` to `false`, or use port 465';
  return connectionRemedy(code, names);
}

/** Adds to the advice which server was tried and what it said: the operator sees it, the caller of a run does not. */
function forOperator(advice: string | undefined, fault: SmtpFault, server: SmtpServer | undefined): string | undefined {
  if (server === undefined) return advice;
  const parts = [advice, `tried: ${addressOf(server)}`, wordsOf(saidBy(fault), server)];
  return parts.filter((part) => part !== undefined).join('; ');
}

// What is wrong with a certificate is a text of TLS, which names the hosts that the certificate is for.
function saidBy({ message, originalCode, response }: SmtpFault): string | undefined {
  return response ?? (originalCode === 'ERR_TLS_CERT_ALTNAME_INVALID' ? message : undefined);
}

// Leaves out the cause: a server's reply may repeat the credentials that it received.
function failedLogin(fault: SmtpFault, told: (advice: string) => string | undefined): ProviderError {
  const { responseCode = 0 } = fault;
  const text = `the mail server refused the login${replyOf(fault)}`;
  if (responseCode >= 400 && responseCode < 500)
    return new ProviderError('throttled', text, {
      phase: 'auth',
      retry_after: retryAfter,
      remedy: told('try again later, or check `user` of `auth`'),
    });
  const remedy = told(
    unknownCommand.has(responseCode)
      ? 'the server knows no login here: remove `auth`, or use the port and the TLS of its login (587 with `starttls`, 465 with `secure`)'
      : 'check `user` and `password` of `auth`, and that the account may log in over SMTP',
  );
  return new ProviderError('provider_fault', text, { phase: 'auth', remedy });
}

// RFC 5321 §4.2.4: the server does not have the command.
const unknownCommand: ReadonlySet<number> = new Set([500, 502, 504]);

/** Writes a reply as ` (550 5.1.1)`: codes only, because the server's text may name hosts and people. */
function replyOf({ responseCode, response = '' }: SmtpFault): string {
  if (!responseCode) return '';
  const enhanced = enhancedCode(response);
  return enhanced === undefined ? ` (${responseCode})` : ` (${responseCode} ${enhanced})`;
}

function systemCode(fault: SmtpFault): string {
  const code = codeOf(fault);
  return code === undefined ? '' : ` (${code})`;
}

function codeOf({ originalCode, code }: SmtpFault): string | undefined {
  const shown = originalCode ?? code;
  return shown !== undefined && /^[A-Z][A-Z0-9_]{1,63}$/u.test(shown) ? shown : undefined;
}

function notSent(text: string, phase: string, cause?: Error, remedy?: string): ProviderError {
  return new ProviderError('not_sent', text, { phase, cause, remedy });
}

function unknown(text: string, phase: string, cause: Error): ProviderError {
  return new ProviderError('unknown', text, { phase, cause });
}
