import { transportFailure, type CallMoment } from './failure.ts';
import { Receiver, type Received } from './receiver.ts';
import type { Method } from '../request/inputs.ts';

/** One request, ready to be written; header names in lower case. */
export interface Request {
  readonly origin: string;
  readonly path: string;
  readonly method: Method;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Limits of an exchange. */
export interface ExchangeLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Writes a request to a connection and passes the answer's events to the receiver. */
export type Dispatch = (request: Request, receiver: Receiver) => void;

/** Makes one request, once, and receives its answer. Needs an open signal. Throws ProviderError when no status came. */
export async function exchange(
  dispatch: Dispatch,
  request: Request,
  { signal, timeoutMs, maxBytes }: ExchangeLimits,
): Promise<Received> {
  let ended: CallMoment['ended'];
  const receiver = new Receiver(maxBytes, (error, written) => transportFailure(error, { written, ended }));
  const end = (why: CallMoment['ended']): void => {
    ended = why;
    receiver.stop();
  };
  const onAbort = (): void => end('deadline');
  const timer = setTimeout(() => end('timeout'), timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  dispatch(request, receiver);
  try {
    return await receiver.received;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
