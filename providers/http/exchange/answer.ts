import { ProviderError } from '../../../kernel/index.ts';
import type { HttpOutputs } from '../contract.ts';
import { bodyText, decode, isDecodable, type Decoded } from './decode.ts';
import type { Received } from './receiver.ts';
import { exposed } from './exposed.ts';

/** What reading an answer depends on. */
export interface Reading {
  /** A GET or HEAD: nothing changed at the target. */
  readonly safe: boolean;
  /** Most bytes of the decoded body. */
  readonly maxBytes: number;
  /** ms since 1970. */
  readonly now?: number;
}

/**
 * Reads what the target said. Of a fetch every status is an answer, but a body that broke off is `unknown`. Of a send
 * the status alone says what became of the effect: 2xx to 4xx are answers, even without their whole body; 429 is
 * `throttled`; after a 5xx nobody knows: `unknown`.
 */
export async function outputsOf(received: Received, { safe, maxBytes, now }: Reading): Promise<HttpOutputs> {
  const { status, headers, broken } = received;
  if (!safe) refuseUnsettled(status, headers['retry-after'], now ?? Date.now());
  if (safe && broken !== undefined) throw broken;
  const coding = headers['content-encoding']?.trim().toLowerCase();
  // A HEAD has a coding and no body.
  const undone = isDecodable(coding) && received.body.length > 0;
  const decoded: Decoded = undone
    ? await decode(received.body, coding, maxBytes)
    : { bytes: received.body, whole: true, broken: false };
  if (safe && decoded.broken)
    throw new ProviderError('unknown', `the body is not what its content-encoding says (${status})`, {
      phase: 'response',
    });
  const whole = decoded.whole && !received.capped && broken === undefined;
  const { 'content-encoding': _, ...plain } = headers;
  return {
    status,
    headers: exposed(undone ? plain : headers),
    ...bodyText(decoded.bytes, whole),
    ...(whole ? {} : { truncated: true as const }),
  };
}

function refuseUnsettled(status: number, retryAfter: string | undefined, now: number): void {
  if (status === 429)
    throw new ProviderError('throttled', 'the target asks to come later (429)', {
      phase: 'response',
      retry_after: seconds(retryAfter, now),
    });
  if (status >= 500)
    throw new ProviderError('unknown', `the target failed without reporting the outcome of the request (${status})`, {
      phase: 'response',
    });
}

const defaultRetryAfter = 5;
const maxRetryAfter = 86400;

// RFC 9110 §10.2.3: seconds or a date.
function seconds(text: string | undefined, now: number): number {
  const given = text === undefined || text.length > 64 ? Number.NaN : secondsOrDate(text, now);
  return Number.isNaN(given) ? defaultRetryAfter : Math.min(maxRetryAfter, Math.max(1, Math.ceil(given)));
}

// A date begins with the name of its day; the parser takes -5 and 1.5 for days of long ago.
function secondsOrDate(text: string, now: number): number {
  if (/^\d+$/u.test(text)) return Number(text);
  return /^[A-Z]/u.test(text) ? (Date.parse(text) - now) / 1000 : Number.NaN;
}
