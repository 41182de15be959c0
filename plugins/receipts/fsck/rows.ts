import { documentOf, examiner, isSame } from '../read/document.ts';
import { preAuthentication } from '../format/dsse.ts';
import { verifyBeside, verifySignature } from '../format/ed25519.ts';
import type { LogReport } from './logs.ts';
import { payloadType } from '../format/names.ts';
import { proverOf } from '../log/stored/read-proof.ts';
import type { Reads } from '../store.ts';
import type { StoredReceipt } from '../log/rows/stored-receipt.ts';
import type { VerifySignature } from '../format/portable-ed25519.ts';
import type { Trust } from '../verifier/trust.ts';
import type { OnProgress } from '../../../kernel/index.ts';
import { flawAt, type Flaw } from './tree.ts';

const batch = 500;

// The last receipt of each Orbiset.
type Chains = Map<string, StoredReceipt>;

/**
 * Checks every stored receipt of a log of `size` entries in full: signature, statement, score, row, position in the log;
 * and that each index has one receipt and no chain has a gap. `revoked`: how many receipts are whole, and count for nothing
 * because their key was revoked at or before their position.
 */
export async function checkRows(
  reads: Reads,
  { log, size }: { readonly log: number; readonly size: number },
  trust: Trust,
  progress: OnProgress,
): Promise<Required<Pick<LogReport, 'flaws' | 'revoked'>>> {
  const flaws: Flaw[] = [];
  let revoked = 0;
  const chains: Chains = new Map();
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
  if (next !== size) flaws.push(flawAt('receipts', `cover only ${next} of the ${size} entries of the log`));
  return { flaws, revoked };
}

// While one batch is checked, other threads verify the signatures of the next. `verify` answers known good signatures of
// these rows from memory, and verifies any other.
async function* verified(reads: Reads, log: number, trust: Trust) {
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

function checkChain(row: StoredReceipt, chains: Chains, flaws: Flaw[]): void {
  if (row.orbiset_id === null || row.sequence === null) return;
  const previous = chains.get(row.orbiset_id);
  if (row.sequence !== (previous?.sequence ?? 0) + 1) flaws.push(flaw(row, 'leaves a gap in the chain of its Orbiset'));
  if (previous !== undefined && !Buffer.from(row.payload).includes(`"previous_digest":"${previous.digest}"`))
    flaws.push(flaw(row, 'does not name the previous receipt in the chain of its Orbiset'));
  chains.set(row.orbiset_id, row);
}

// An entry that is not its receipt's is reported itself; the receipts around it only lose their proofs.
function unproved(row: StoredReceipt, reason: string, exit: Flaw['exit']): Flaw {
  const entry = reason.startsWith('leaf_matches_envelope');
  return entry ? flawAt(`entry ${row.idx}`, `does not match the receipt ${row.receipt_id}`) : flaw(row, reason, exit);
}

function flaw({ receipt_id: id }: StoredReceipt, what: string, exit?: Flaw['exit']): Flaw {
  return flawAt(`receipt ${id}`, what, exit);
}
