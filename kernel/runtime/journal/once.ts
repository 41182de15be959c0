import type { Operation } from '../../store/contract.ts';
import { replay, type ReceiptCheck } from './answer.ts';
import { idempotencyKey, type IdempotencyKeys } from './keys.ts';

/** A request that may bear an Idempotency-Key. */
export interface OnceRequest {
  readonly principal: string;
  readonly method: string;
  /** With the ids of the request. */
  readonly path: string;
  /** The header Idempotency-Key as it came. */
  readonly header: string | string[] | undefined;
  readonly body: unknown;
}

/**
 * Does work once per Idempotency-Key, or just does it when there is no key. `work` is given what makes the writes that
 * keep its answer for 24 hours: they commit with its receipt. Throws 400 for a malformed key, 409
 * `idempotency_in_progress` while the first request runs, 422 `idempotency_mismatch` for another body.
 */
export type Once = <T extends object>(
  request: OnceRequest,
  work: (kept: (answer: T) => readonly Operation[]) => Promise<T>,
) => Promise<{ readonly answer: T; readonly replayed: boolean }>;

/** Lets plugins use the keys as the runtime does. */
export function createOnce(keys: IdempotencyKeys, check: ReceiptCheck): Once {
  return async <T extends object>(
    request: OnceRequest,
    work: (kept: (answer: T) => readonly Operation[]) => Promise<T>,
  ): Promise<{ readonly answer: T; readonly replayed: boolean }> => {
    const { header, body, ...name } = request;
    const key = idempotencyKey(header);
    if (key === undefined) return { answer: await work(() => []), replayed: false };
    const presented = keys.present({ ...name, key }, body);
    // The same caller stored it under the same path: it has the type that this work answers.
    if ('answer' in presented) return { answer: replay(presented.answer, check) as T, replayed: true };
    const { claim } = presented;
    try {
      claim.begin(name.path);
      return { answer: await work((answer) => claim.finished({ body: answer })), replayed: false };
    } finally {
      claim.release();
    }
  };
}
