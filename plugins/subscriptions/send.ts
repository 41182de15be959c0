import type { KeyObject } from 'node:crypto';
import {
  ProviderError,
  BlockedAddress,
  discard,
  retryAfterOf,
  type OpenTargets,
  type Outbound,
  type OutboundAnswer,
} from '../../kernel/outbound.ts';
import { within } from '../../kernel/index.ts';
import { headersOf } from './message.ts';
import type { Subscription } from './subscription.ts';

/** Result of an attempt: `taken`: the receiver responded with 2xx; `gone`: with 410. */
export interface Answered {
  readonly kind: 'taken' | 'gone' | 'failed';
  /** HTTP status. */
  readonly status?: number;
  readonly failure?: string;
  /** Seconds after which the receiver asks for a retry. */
  readonly retry_after?: number;
}

/** Options of an attempt. */
export interface Sending {
  readonly outbound: Pick<Outbound, 'request'>;
  readonly targets: Pick<OpenTargets, 'admit'>;
  readonly key: KeyObject;
  /** Milliseconds for a whole try. */
  readonly timeout_ms: number;
}

// Only the status of a response is used.
const mostRead = 65_536;
const longestWait = 86_400;

/** Sends a callback once, and follows no redirect. Never rejects. */
export async function send(
  subscription: Subscription,
  { id, body, now }: { readonly id: string; readonly body: string; readonly now: number },
  { outbound, targets, key, timeout_ms }: Sending,
): Promise<Answered> {
  const stop = new AbortController();
  let answered: Answered | undefined;
  const late = (): Answered => {
    stop.abort();
    // The status counts, however long the rest takes.
    return answered ?? { kind: 'failed', failure: `no response within ${timeout_ms} ms` };
  };
  const ask = async (): Promise<Answered> => {
    // The rules may have changed since the subscription was made; the address is checked when the connection is made.
    const { origin, path } = targets.admit(subscription.url);
    const headers = headersOf(subscription, { id, body, now, key });
    const request = { origin, path, method: 'POST', headers, body: Buffer.from(body), signal: stop.signal };
    const answer = await outbound.request(request);
    answered = judged(answer, now);
    await discard(answer, mostRead).catch(() => undefined);
    return answered;
  };
  return within(
    timeout_ms,
    ask().catch((error: unknown) => ({ kind: 'failed', failure: wordsOf(error) })),
    late,
  );
}

function judged({ statusCode: status, headers }: OutboundAnswer, now: number): Answered {
  if (status >= 200 && status < 300) return { kind: 'taken', status };
  if (status === 410) return { kind: 'gone', status, failure: 'the receiver responded with status 410' };
  const wait = retryAfterOf(headers, now) ?? 0;
  const asks = wait > 0 ? { retry_after: Math.min(wait, longestWait) } : {};
  const redirected = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return { kind: 'failed', status, failure: `the receiver responded with status ${status}${redirected}`, ...asks };
}

// Only the code is shown: messages name addresses.
function wordsOf(error: unknown): string {
  if (error instanceof ProviderError) return error.message;
  if (error instanceof BlockedAddress) return 'the host name resolves to a private, local or reserved address';
  if (!(error instanceof Error)) return 'the attempt failed';
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code.slice(0, 64)})` : '';
  return `the connection failed${code}`;
}
