import { defineRoute, every, operation, eraseAll, type Route, type Store } from '../../../kernel/index.ts';
import { component } from '../format/exactly.ts';
import { problems } from '../problems.ts';
import receiptsStore from '../store.ts';
import type { ReceiptReader } from './reader.ts';
import { receiptParams } from './routes.ts';
import type { Serving } from './serving.ts';

/**
 * Makes the route that erases what is kept of a run before its time: inputs, outputs and the reason of a failure. The
 * receipt stays, and verifies as before. Each erasure is logged.
 */
export function eraseRoute({ log, store }: Pick<Serving, 'log' | 'store'>, { findFor }: ReceiptReader): Route {
  return defineRoute({
    method: 'DELETE',
    service: 'runtime',
    path: '/receipts/{receipt_id}/values',
    operationId: 'eraseValues',
    scope: 'receipts:erase',
    live: true,
    summary: 'Erase the kept inputs, outputs and failure reason of a run; its receipt stays valid',
    params: receiptParams,
    response: component('ErasedValues', {
      receipt_id: { type: 'string', description: '`rec_<ulid>`' },
      erased: { type: 'integer', minimum: 0, description: 'Number of erased values. 0: nothing was kept' },
    }),
    problems: [problems.receipt_not_found, problems.log_damaged],
    async handle({ params: { receipt_id }, principal }) {
      await findFor(principal, receipt_id);
      const [count] = await store.write([operation(receiptsStore, 'eraseValuesOf', { receipt_id })]);
      const erased = Number(count);
      log.info({ receipt_id, principal: principal.id, erased }, 'kept values were erased on request');
      return { receipt_id, erased };
    },
  });
}

const hourMs = 3_600_000;

/** Erases the kept values that are due at a time, milliseconds since the Unix epoch; returns how many. */
export function eraseValues(store: Pick<Store, 'write'>, before: number): Promise<number> {
  return eraseAll(store, (most) => operation(receiptsStore, 'eraseValues', { before, most }));
}

/**
 * Erases the kept values that are due, now and once an hour; the function that is returned ends that. Values are kept for
 * whole days, so an hour more or less does not matter.
 */
export function eraseRegularly({ clock, log, store }: Pick<Serving, 'clock' | 'log' | 'store'>): () => void {
  const failed = (err: unknown): void =>
    log.warn({ err }, 'kept values could not be erased; the server tries again in an hour');
  const erase = (): Promise<number> => eraseValues(store, clock.now());
  erase().catch(failed);
  return every(hourMs, erase, failed);
}
