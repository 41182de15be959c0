import journalStore from './store.ts';
import { randomUUID } from 'node:crypto';
import type { IdempotencyKeys, MaybeReplayed } from './keys.ts';
import type { StoreRetry } from './store-retry.ts';
import { operation, unfit, type Operation, type Store } from '../../../kernel/index.ts';

/** Reads the header Idempotency-Key: bare, or a quoted string; 1–255 visible ASCII characters. Throws 400. */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = Array.isArray(header) ? header.join(', ') : header.trim();
  const key = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1') ?? text;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = 'must be 1 to 255 visible ASCII characters, bare or quoted';
  throw unfit('invalid_parameter', 'idempotency-key', detail, `Idempotency-Key ${detail}`);
}

/** A request that may have an Idempotency-Key. */
export interface OnceRequest {
  readonly principal: string;
  readonly method: string;
  /** The path with the ids of the request. */
  readonly path: string;
  /** The unparsed header Idempotency-Key. */
  readonly header: string | string[] | undefined;
  readonly body: unknown;
}

/**
 * Does work once per Idempotency-Key, or always when there is no key. `work` gets the function that makes the writes
 * that keep its answer for 24 hours: they commit with its receipt. Throws 400 for a malformed key, 409
 * `idempotency_in_progress` while the first request runs, 422 `idempotency_mismatch` for another body.
 */
export type Once = <T extends object>(
  request: OnceRequest,
  work: (kept: (answer: T) => readonly Operation[]) => Promise<T>,
) => Promise<MaybeReplayed<T>>;

/** Lets plugins use the keys as the runtime does. */
export function createOnce(keys: IdempotencyKeys, store: Pick<Store, 'write'>, retry: StoreRetry): Once {
  return async ({ header, body, ...name }, work) => {
    const key = idempotencyKey(header);
    if (key === undefined) return { answer: await work(() => []), replayed: false };
    return keys.told({ ...name, key }, body, async (claim) => {
      const subject = `once_${randomUUID()}`;
      claim.begin(subject);
      const finished = (answer: object): readonly Operation[] => claim.finished({ body: answer });
      if (!claim.durable) return work(finished);
      await claim.take();
      try {
        return await work(finished);
      } catch (error) {
        // It left no trace. While the store is away the key stays in use.
        const free = () => store.write([operation(journalStore, 'freeIdleKey', { ...claim.name, subject })]);
        await retry.now(free, 'an idempotency key could not be freed');
        throw error;
      }
    });
  };
}
