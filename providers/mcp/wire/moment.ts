import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of one call while it is under way: the connection below the client library fills it in. */
export interface Moment {
  /** A byte of the call may have left. */
  written: boolean;
  /** HTTP status of the answer. */
  status?: number;
  /** Seconds of the header Retry-After. */
  retryAfter?: number;
  /** Sent as the header Idempotency-Key, where there are headers. */
  readonly key: string;
  /** Called when the stream of the answer ends: no answer to the call can come on it any more. */
  onEnd?: () => void;
}

/** The moment of the call that runs; none while a connection is made or tools are listed. */
export const moments = new AsyncLocalStorage<Moment>();
