import { ProviderError } from '../../../kernel/index.ts';
import type { Answer } from './client.ts';

type Outcome = ProviderError['outcome'];

/** What a vendor's answers mean where HTTP alone does not say it. */
export interface Vendor {
  /** For messages. */
  readonly title: string;
  /** Reads the vendor's own code or name of an error; it is shown, so never free text. */
  readonly code?: (answer: Answer) => string | undefined;
  /** Decides an answer of 300 and above that the status alone would decide wrongly. */
  readonly outcome?: (answer: Answer, code: string | undefined) => Outcome | undefined;
  /** Header that says when to come again: seconds from now, or seconds since 1970. */
  readonly resetHeader?: string;
}

// Outputs of notify.email.
const maxMessageId = 998;

/** Answers the id the vendor gave to an accepted message. Throws ProviderError for every other answer. */
export function accepted(vendor: Vendor, answer: Answer, id: unknown): string {
  const taken = isSuccess(answer) && typeof id === 'string' && id !== '' && id.length <= maxMessageId;
  if (taken) return id;
  throw refusal(vendor, answer);
}

/** Throws ProviderError unless the vendor answered a read with success. */
export function succeeded(vendor: Vendor, answer: Answer): void {
  if (!isSuccess(answer)) throw refusal(vendor, answer);
}

/** Maps an answer that accepts nothing to exactly one outcome; its message shows the status and the vendor's code. */
export function refusal(vendor: Vendor, answer: Answer, now = Date.now()): ProviderError {
  const code = shownCode(vendor.code?.(answer));
  const own = answer.status < 300 ? undefined : vendor.outcome?.(answer, code);
  const outcome = own ?? outcomeOf(answer.status);
  const shown = `${answer.status}${code === undefined ? '' : ` ${code}`}`;
  const text = `${vendor.title} ${words(outcome, answer)} (${shown})`;
  if (outcome !== 'throttled') return new ProviderError(outcome, text, { phase: 'response' });
  return new ProviderError(outcome, text, { phase: 'response', retry_after: retryAfter(vendor, answer, now) });
}

/** Tells whether the vendor answered 2xx. */
export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

function outcomeOf(status: number): Outcome {
  // 2xx without the documented id: it was taken or not, nobody knows.
  if (status < 300) return 'unknown';
  if (status === 400 || status === 413 || status === 422) return 'rejected';
  if (status === 429) return 'throttled';
  // No vendor documents that a 5xx means "not accepted".
  if (status === 408 || status >= 500) return 'unknown';
  return 'provider_fault';
}

function words(outcome: Outcome, answer: Answer): string {
  if (isSuccess(answer)) return 'answered without a message id';
  if (outcome === 'rejected') return 'rejected the message';
  if (outcome === 'throttled') return 'asks to come later';
  if (outcome === 'unknown') return 'failed without reporting the outcome of the message';
  return 'refused the call; check the credentials, the sender and the account';
}

function shownCode(code: string | undefined): string | undefined {
  return code !== undefined && /^[A-Za-z0-9_.-]{1,64}$/u.test(code) ? code : undefined;
}

const defaultRetryAfter = 60;
const maxRetryAfter = 86400;

function retryAfter({ resetHeader }: Vendor, { headers }: Answer, now: number): number {
  const given = seconds(headers['retry-after'], now) ?? seconds(headers[resetHeader ?? ''], now);
  return Math.min(maxRetryAfter, Math.max(1, Math.ceil(given ?? defaultRetryAfter)));
}

// RFC 9110 §10.2.3: seconds or a date. Reset headers hold seconds from now or since 1970.
function seconds(text: string | undefined, now: number): number | undefined {
  if (text === undefined || text.length > 64) return undefined;
  if (/^\d+$/u.test(text)) return Number(text) > 1e9 ? Number(text) - now / 1000 : Number(text);
  // A date begins with the name of its day; the parser takes -5 and 1.5 for days of long ago.
  const date = /^[A-Z]/u.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : (date - now) / 1000;
}
