import { holds, PlatformError, type Log, type Principal, type Sealer } from '../../../kernel/index.ts';
import { encodeBase64 } from '../format/base64.ts';
import { saltLength } from '../format/commitment.ts';
import { isRun, readStatement } from '../verifier/statement.ts';
import type { ServedReads } from '../store.ts';
import type { StoredReceipt } from '../log/rows/stored-receipt.ts';

/**
 * Makes the function that discloses the named kept values of a receipt that are not erased yet: for a caller with `receipts:disclose` or the principal of the run, else 403 `insufficient_scope`.
 * Each disclosure is logged.
 */
export function discloser(reads: Pick<ServedReads, 'keptValue'>, sealer: Pick<Sealer, 'open'>, log: Log) {
  return async (row: StoredReceipt, names: readonly ('inputs' | 'outputs')[], principal: Principal) => {
    if (!holds(principal.scopes, 'receipts:disclose') && runOf(row)?.principal !== principal.id)
      throw new PlatformError(
        'insufficient_scope',
        'the key needs the scope receipts:disclose, or must belong to the caller of the run',
      );
    const shown: [name: string, value: object][] = [];
    // Two at most.
    for (const name of names) {
      const sealed = await reads.keptValue(row.receipt_id, name);
      if (sealed !== undefined) shown.push([name, opened(sealer.open('inputs', sealed))]);
    }
    const disclosed = shown.map(([name]) => name);
    log.info({ receipt_id: row.receipt_id, principal: principal.id, disclosed }, 'kept values were disclosed');
    return Object.fromEntries(shown);
  };
}

function opened(opening: Uint8Array): { readonly salt: string; readonly value: unknown } {
  const text = Buffer.from(opening.subarray(saltLength)).toString();
  return { salt: encodeBase64(opening.subarray(0, saltLength)), value: JSON.parse(text) as unknown };
}

type Ran = { readonly principal: string; readonly orb_id: string };

/** Reads the caller and the Orb of the run of a receipt; undefined for a receipt of another kind. */
export function runOf({ kind, payload }: StoredReceipt): Ran | undefined {
  if (kind !== 'run') return undefined;
  const reading = readStatement(payload);
  if (!('statement' in reading) || !isRun(reading.statement)) return undefined;
  const { facts, orb_id } = reading.statement.predicate;
  return { principal: facts.principal, orb_id };
}
