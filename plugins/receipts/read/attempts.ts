import type { Attempt } from '../../../kernel/index.ts';
import { predicateOf, type StoredReceipt } from '../log/rows/stored-receipt.ts';

type Attempted = { readonly facts: { readonly attempts: readonly Attempt[] } };

/** Reads the attempts out of the receipt of a run; undefined when there is none, or its statement cannot be read. */
export function attemptsOf(row: Pick<StoredReceipt, 'kind' | 'payload'> | undefined): readonly Attempt[] | undefined {
  return row?.kind === 'run' ? predicateOf<Attempted>(row.payload)?.facts?.attempts : undefined;
}
