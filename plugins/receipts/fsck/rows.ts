import { documentOf } from '../document.ts';
import type { Reads, StoredReceipt } from '../store.ts';
import type { Trust } from '../verifier/trust.ts';
import type { Flaw } from './tree.ts';

const batch = 500;

/**
 * Checks every stored receipt in full: signature, statement, score, row, place in the log, and that each index has one
 * and each chain no gap.
 */
export function checkRows(reads: Reads, trust: Trust, log: number, size: number): Flaw[] {
  const flaws: Flaw[] = [];
  const chains = new Map<string, { readonly sequence: number; readonly digest: string }>();
  let next = 0;
  for (let after = 0, rows = reads.receiptsAfter(log, after, batch); rows.length > 0;) {
    for (const row of rows) {
      const { effective } = documentOf(row, trust, reads).document;
      if (effective !== undefined)
        flaws.push(row.idx === next ? unproved(row, effective.reason) : flaw(row, effective.reason));
      if (row.idx !== next) flaws.push(flaw(row, `stands at ${row.idx}, where ${next} is due`));
      checkChain(row, chains, flaws);
      next = row.idx + 1;
      after = row.row;
    }
    rows = reads.receiptsAfter(log, after, batch);
  }
  if (next !== size) flaws.push({ exit: 1, where: 'receipts', what: `hold ${next} of the ${size} entries of the log` });
  return flaws;
}

function checkChain(
  row: StoredReceipt,
  chains: Map<string, { readonly sequence: number; readonly digest: string }>,
  flaws: Flaw[],
): void {
  if (row.orbiset_id === null || row.sequence === null) return;
  const previous = chains.get(row.orbiset_id);
  if (row.sequence !== (previous?.sequence ?? 0) + 1) flaws.push(flaw(row, 'leaves a gap in the chain of its Orbiset'));
  if (previous !== undefined && !Buffer.from(row.payload).includes(`"previous_digest":"${previous.digest}"`))
    flaws.push(flaw(row, 'does not name the receipt before it in the chain of its Orbiset'));
  chains.set(row.orbiset_id, { sequence: row.sequence, digest: row.digest });
}

// An entry that is not its receipt's is at fault itself; the receipts around it only lose their proofs.
function unproved(row: StoredReceipt, reason: string): Flaw {
  const entry = reason.startsWith('leaf_matches_envelope');
  return entry ? { exit: 1, where: `entry ${row.idx}`, what: `is not that of ${row.receipt_id}` } : flaw(row, reason);
}

function flaw({ receipt_id: id }: StoredReceipt, what: string): Flaw {
  return { exit: 1, where: `receipt ${id}`, what };
}
