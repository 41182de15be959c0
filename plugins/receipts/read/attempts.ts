import type { Attempt } from '../../../kernel/index.ts';
import type { StoredReceipt } from '../log/rows/stored-receipt.ts';

/** Reads the attempts out of the receipt of a run; undefined when there is none, or its statement cannot be read. */
export function attemptsOf(row: Pick<StoredReceipt, 'kind' | 'payload'> | undefined): readonly Attempt[] | undefined {
  if (row?.kind !== 'run') return undefined;
  try {
    // Signed by this installation: what stands there was attested with this schema.
    const { predicate } = JSON.parse(Buffer.from(row.payload).toString()) as RunPayload;
    return predicate.facts.attempts;
  } catch {
    return undefined;
  }
}

interface RunPayload {
  readonly predicate: { readonly facts: { readonly attempts: readonly Attempt[] } };
}
