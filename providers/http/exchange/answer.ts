import { ProviderError } from '../../../kernel/adapter.ts';
import { retryAfterOf, type RetryHeaders } from '../../../kernel/outbound.ts';
import type { Encoding } from '../request/inputs.ts';
import { bodyText, decode, isDecodable, type Decoded } from './decode.ts';
import type { Received } from './receiver.ts';
import { exposed } from './exposed.ts';

/** Outputs of both Orbs: the target's answer, including redirects and refusals. */
export interface HttpOutputs {
  readonly status: number;
  /** Headers with names in lower case; only those listed in `exposed.ts`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body without its content coding; empty when there is no body. */
  readonly body: string;
  /** `utf8` whenever the bytes are well-formed UTF-8. */
  readonly encoding: Encoding;
  /** The body is incomplete: it is longer than the cap or, for http.send, the transfer broke off. */
  readonly truncated?: true;
}

/** Options for reading an answer. */
export interface Reading {
  /** A GET or HEAD: nothing changed at the target. */
  readonly safe: boolean;
  /** Most bytes of the decoded body. */
  readonly maxBytes: number;
  /** ms since 1970. */
  readonly now?: number;
}

/**
 * Reads the target's answer. For a fetch every status is an answer, but an incomplete transfer is `unknown`. For a send
 * the status alone decides: 2xx to 4xx are answers, even with an incomplete body; 429 is `throttled`; 5xx is `unknown`,
 * because the effect may have happened.
 */
export async function outputsOf(received: Received, { safe, maxBytes, now }: Reading): Promise<HttpOutputs> {
  const { status, headers, broken } = received;
  if (!safe) refuseUnsettled(status, headers, now ?? Date.now());
  if (safe && broken !== undefined) throw broken;
  const coding = headers['content-encoding']?.trim().toLowerCase();
  // An answer to HEAD has a content coding but no body.
  const undone = isDecodable(coding) && received.body.length > 0;
  const decoded: Decoded = undone
    ? await decode(received.body, coding, maxBytes)
    : { bytes: received.body, whole: true, broken: false };
  if (safe && decoded.broken)
    throw new ProviderError('unknown', `the body does not match its content-encoding (${status})`, {
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

function refuseUnsettled(status: number, headers: RetryHeaders, now: number): void {
  if (status === 429)
    throw new ProviderError('throttled', 'the target limits the rate of requests (429)', {
      phase: 'response',
      retry_after: Math.min(maxRetryAfter, Math.max(1, retryAfterOf(headers, now) ?? defaultRetryAfter)),
    });
  if (status >= 500) throw new ProviderError('unknown', `${noReport} (${status})`, { phase: 'response' });
}

const noReport = 'the target failed without reporting whether the request took effect';
const defaultRetryAfter = 5;
const maxRetryAfter = 86400;
