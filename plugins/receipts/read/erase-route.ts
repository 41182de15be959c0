import { defineRoute, exactly, operation, type Log, type Route, type Store } from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import receiptsStore from '../store.ts';
import type { ReceiptReader } from './reader.ts';

/** What the route is made from. */
export interface EraseRoute {
  readonly reader: Pick<ReceiptReader, 'findFor'>;
  readonly store: Pick<Store, 'write'>;
  readonly log: Log;
}

/**
 * Makes the route that erases what is kept of a run before its time: inputs, outputs and the reason of a failure. The
 * receipt stays, and verifies as before. Each erasure is logged.
 */
export function eraseRoute({ reader, store, log }: EraseRoute): Route {
  return defineRoute({
    method: 'DELETE',
    service: 'runtime',
    path: '/receipts/{receipt_id}/values',
    operationId: 'eraseValues',
    scope: 'receipts:erase',
    live: true,
    summary: 'Erase the kept inputs, outputs and failure reason of a run; its receipt stays valid',
    params: exactly({ receipt_id: { type: 'string', maxLength: 64, description: '`rec_<ulid>`' } }),
    response: {
      $id: 'ErasedValues',
      ...exactly({
        receipt_id: { type: 'string', description: '`rec_<ulid>`' },
        erased: { type: 'integer', minimum: 0, description: 'Number of erased values. 0: nothing was kept' },
      }),
    },
    problems: [problems.receipt_not_found, problems.log_damaged],
    async handle({ params: { receipt_id }, principal }) {
      await reader.findFor(principal, receipt_id);
      const [count] = await store.write([operation(receiptsStore, 'eraseValuesOf', { receipt_id })]);
      const erased = Number(count);
      log.info({ receipt_id, principal: principal.id, erased }, 'kept values were erased on request');
      return { receipt_id, erased };
    },
  });
}
