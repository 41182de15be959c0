import { documentOf } from '../read/document.ts';
import { preAuthentication } from '../format/dsse.ts';
import { verifyBeside, verifySignature } from '../format/ed25519.ts';
import { examiner } from '../read/verification-cache.ts';
import { payloadType } from '../format/names.ts';
import { proverOf } from '../log/stored/read-proof.ts';
import type { Reads } from '../store.ts';
import type { StoredReceipt } from '../log/rows/stored-receipt.ts';
import type { VerifySignature } from '../format/portable-ed25519.ts';
import type { Trust } from '../verifier/trust.ts';
import type { OnProgress } from '../../../kernel/index.ts';
import type { Flaw } from './tree.ts';

const batch = 500;

/** The receipts of one log to check. */
export interface RowsOfLog {
  readonly reads: Reads;
  readonly log: number;
  /** Number of entries of the log. */
  readonly size: number;
}

/** The result of checking the receipts of one log. */
export interface RowsReport {
  readonly flaws: readonly Flaw[];
  /** How many receipts are whole, and count for nothing because their key was revoked at or before their position. */
  readonly revoked: number;
}

/**
 * Checks every stored receipt in full: signature, statement, score, row, position in the log; and that each index has
 * one receipt and no chain has a gap.
 */
export async function checkRows(
  { log, reads, size }: RowsOfLog,
  trust: Trust,
  progress: OnProgress,
): Promise<RowsReport> {
  const flaws: Flaw[] = [];
  let revoked = 0;
  const chains = new Map<string, { readonly sequence: number; readonly digest: string }>();
  let next = 0;
  for await (const { rows, verify } of verified(reads, log, trust)) {
    // Shared parts of proofs are cached for one batch: for the whole log they would not fit in memory.
    const ways = { examine: examiner(trust, verify), prove: proverOf(log, reads) };
    for (const row of rows) {
      const { document, exit, revoked: isRevoked } = documentOf(row, trust, reads, ways);
      const { effective } = document;
      if (isRevoked) revoked += 1;
      else if (effective !== undefined && exit !== 0)
        flaws.push((row.idx === next ? unproved : flaw)(row, effective.reason, exit));
      if (row.idx !== next) flaws.push(flaw(row, `has the position ${row.idx}; the next position is ${next}`));
      checkChain(row, chains, flaws);
      next = row.idx + 1;
    }
    progress(next, size);
  }
  for (const row of reads.receiptsWithoutPlace(log, batch)) flaws.push(flaw(row, 'has no position in the log'));
  if (next !== size)
    flaws.push({ exit: 1, where: 'receipts', what: `cover only ${next} of the ${size} entries of the log` });
  return { flaws, revoked };
}

interface VerifiedRows {
  readonly rows: readonly StoredReceipt[];
  /** Answers known good signatures of these rows from memory, and verifies any other. */
  readonly verify: VerifySignature;
}

// While one batch is checked, other threads verify the signatures of the next.
async function* verified(reads: Reads, log: number, trust: Trust): AsyncGenerator<VerifiedRows> {
  const read = (after?: StoredReceipt) => {
    const rows = reads.receiptsAfter(log, after?.idx ?? Number.MIN_SAFE_INTEGER, after?.receipt_id ?? '', batch);
    return { rows, verify: verifyAll(rows, trust) };
  };
  for (let { rows, verify } = read(); rows.length > 0;) {
    const ready = { rows, verify: await verify };
    ({ rows, verify } = read(rows.at(-1)));
    yield ready;
  }
}

async function verifyAll(rows: readonly StoredReceipt[], { keys }: Trust): Promise<VerifySignature> {
  const good = new Map<string, { readonly key: Uint8Array; readonly message: Uint8Array }>();
  const verifying = rows.map(async ({ kid, payload, signature }) => {
    const key = keys.find((pinned) => pinned.kid === kid)?.publicKey;
    const message = preAuthentication(payloadType, payload);
    if (key !== undefined && (await verifyBeside(key, message, signature)))
      good.set(Buffer.from(signature).toString('base64'), { key, message });
  });
  await Promise.all(verifying);
  return (key, message, signature) => {
    const known = good.get(Buffer.from(signature).toString('base64'));
    const same = known !== undefined && isSame(known.key, key) && isSame(known.message, message);
    return same || verifySignature(key, message, signature);
  };
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
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
    flaws.push(flaw(row, 'does not name the previous receipt in the chain of its Orbiset'));
  chains.set(row.orbiset_id, { sequence: row.sequence, digest: row.digest });
}

// An entry that is not its receipt's is reported itself; the receipts around it only lose their proofs.
function unproved(row: StoredReceipt, reason: string, exit: Flaw['exit']): Flaw {
  const entry = reason.startsWith('leaf_matches_envelope');
  return entry
    ? { exit: 1, where: `entry ${row.idx}`, what: `does not match the receipt ${row.receipt_id}` }
    : flaw(row, reason, exit);
}

function flaw({ receipt_id: id }: StoredReceipt, what: string, exit: Flaw['exit'] = 1): Flaw {
  return { exit, where: `receipt ${id}`, what };
}
