import { ProviderError, type RejectedReason } from '../../../kernel/adapter.ts';
import { retryAfterOf } from '../../../kernel/outbound.ts';
import type { Answer } from './client.ts';

type Outcome = ProviderError['outcome'];

/** An outcome, or a rejection for a reason that the vendor's answer proves. */
export type Verdict = Outcome | { readonly outcome: 'rejected'; readonly reason: RejectedReason };

/** How to read a vendor's answers where HTTP does not define their meaning. */
export interface Vendor {
  /** The vendor's name, for error messages. */
  readonly title: string;
  /** The settings with the credentials, as an operator reads them. */
  readonly credentials: string;
  /** Reads the vendor's own error code or name; never free text, because it is shown. */
  readonly code?: (answer: Answer) => string | undefined;
  /** Says that an answer 2xx is a refusal; absent: none is. */
  readonly refused?: (answer: Answer) => boolean;
  /** Gives the outcome of a refusal, or of any answer with status 300 or above, when the status alone would give a wrong one. */
  readonly outcome?: (answer: Answer, code: string | undefined) => Verdict | undefined;
  /** Says what the operator changes where that is not the usual. */
  readonly remedy?: (answer: Answer) => string | undefined;
  /** Header with the time to retry: seconds from now, or seconds since 1970. */
  readonly resetHeader?: string;
}

// The limit in the output schema of notify.email.
const maxMessageId = 998;

/** Makes a rejection for a reason of a vendor's table; undefined: the table has none. */
export function rejection(reason: RejectedReason | undefined): Verdict | undefined {
  return reason && { outcome: 'rejected', reason };
}

/** Returns the vendor's id of an accepted message. Throws ProviderError for every other answer. */
export function accepted(vendor: Vendor, answer: Answer, id: unknown): string {
  const taken = isSuccess(answer) && typeof id === 'string' && id !== '' && id.length <= maxMessageId;
  if (taken) return id;
  throw refusal(vendor, answer);
}

/** Throws ProviderError unless the vendor answered a read request with 2xx. */
export function succeeded(vendor: Vendor, answer: Answer): void {
  if (!isSuccess(answer)) throw refusal(vendor, answer);
}

/** Maps an answer without acceptance to exactly one outcome; the message shows the status and the vendor's code. */
export function refusal(vendor: Vendor, answer: Answer, now = Date.now()): ProviderError {
  const code = shownCode(vendor.code?.(answer));
  const refused = answer.status >= 300 || vendor.refused?.(answer) === true;
  const own = refused ? vendor.outcome?.(answer, code) : undefined;
  const verdict = own ?? outcomeOf(answer.status);
  const { outcome, reason } = typeof verdict === 'object' ? verdict : { outcome: verdict, reason: undefined };
  const shown = `${answer.status}${code === undefined ? '' : ` ${code}`}`;
  const text = `${vendor.title} ${words(outcome, refused)} (${shown})`;
  if (outcome === 'provider_fault')
    return new ProviderError(outcome, text, { phase: 'response', remedy: remedyOf(vendor, answer) });
  if (outcome !== 'throttled') return new ProviderError(outcome, text, { phase: 'response', reason });
  return new ProviderError(outcome, text, { phase: 'response', retry_after: retryAfter(vendor, answer, now) });
}

function remedyOf({ credentials, remedy, title }: Vendor, answer: Answer): string {
  const { status } = answer;
  const own = remedy?.(answer);
  if (own !== undefined) return own;
  if (status === 401 || status === 403) return `check ${credentials}, and the permissions of the key at ${title}`;
  if (status === 404 || status === 405) return 'check `base_url`';
  return `check ${credentials}, the sender and the account at ${title}`;
}

/** Says whether the vendor answered 2xx. */
export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

function outcomeOf(status: number): Verdict {
  // 2xx without the documented id: the vendor may or may not have accepted the message.
  if (status < 300) return 'unknown';
  // RFC 9110 §15.5.14: the content is larger than the server is willing to process.
  if (status === 413) return { outcome: 'rejected', reason: 'content_too_long' };
  if (status === 400 || status === 422) return 'rejected';
  if (status === 429) return 'throttled';
  // No vendor documents that a 5xx means "not accepted".
  if (status === 408 || status >= 500) return 'unknown';
  return 'provider_fault';
}

function words(outcome: Outcome, refused: boolean): string {
  if (!refused) return 'responded without a message id';
  if (outcome === 'rejected') return 'rejected the message';
  if (outcome === 'throttled') return 'limits the rate of requests';
  if (outcome === 'not_sent') return 'did not take the message over';
  if (outcome === 'unknown') return 'failed without reporting whether it accepted the message';
  return 'refused the call; check the credentials, the sender and the account';
}

function shownCode(code: string | undefined): string | undefined {
  return code !== undefined && /^[A-Za-z0-9_.-]{1,64}$/u.test(code) ? code : undefined;
}

const defaultRetryAfter = 60;
const maxRetryAfter = 86400;

function retryAfter({ resetHeader }: Vendor, { headers }: Answer, now: number): number {
  const given = retryAfterOf(headers, now) ?? resetOf(headers[resetHeader ?? ''], now);
  return Math.min(maxRetryAfter, Math.max(1, Math.ceil(given ?? defaultRetryAfter)));
}

// Reset headers hold seconds from now or since 1970.
function resetOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined || !/^\d{1,20}$/u.test(text)) return undefined;
  return Number(text) > 1e9 ? Number(text) - now / 1000 : Number(text);
}
