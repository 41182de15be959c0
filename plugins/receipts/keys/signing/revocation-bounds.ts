import { isBefore } from '../../verifier/position.ts';
import { shardsOf } from '../../log/stored/own-shard.ts';
import type { LogRow } from '../../log/stored/tables.ts';
import type { Position, PublicKey } from '../../format/jwk.ts';
import type { SigningParts } from '../signing-keys.ts';

/**
 * Lists the bounds of a revocation in the logs of other nodes that the key has signed in: its signatures before them
 * stay valid. If two logs grow at the same time, the age of receipts shows which of two entries came first; numbers of
 * logs do not.
 */
export async function boundsOf(key: PublicKey, from: Position, parts: SigningParts): Promise<readonly Position[]> {
  const shards = await shardsOf(parts.reads);
  const nodes = new Map(shards.owners().map(({ log, node }) => [log, node]));
  const revoked = shards.logs().find(({ origin }) => origin === from.origin);
  const age = revoked === undefined ? undefined : await entryAt(revoked.log, from.index, parts);
  const bounds: Position[] = [];
  for (const row of shards.logs()) {
    if (row.size === 0 || nodes.get(row.log) === nodes.get(revoked?.log ?? 0)) continue;
    // A key without a node signed in the logs of all nodes. The key of a node signed in other logs only to publish
    // other keys.
    const foreign = key.node !== undefined && nodes.get(row.log) !== key.node;
    if (foreign && (await entryAt(row.log, 0, parts))?.kid !== key.kid) continue;
    const bound = { origin: row.origin, index: age === undefined ? row.size : await firstAfter(age.id, row, parts) };
    // An ended log with a lower number needs no bound: all its entries stay valid.
    const ended = row.status !== 'active' && bound.index === row.size;
    if (!ended || !isBefore(bound, from)) bounds.push(bound);
  }
  return bounds;
}

interface Entry {
  readonly id: string;
  readonly kid: string;
}

async function entryAt(log: number, index: number, { scope }: SigningParts): Promise<Entry | undefined> {
  const row = await scope.connection
    .prepare('SELECT receipt_id, kid FROM receipts_receipts WHERE log = ? AND idx = ?')
    .get(log, index);
  return row === undefined ? undefined : { id: String(row['receipt_id']), kid: String(row['kid']) };
}

/**
 * Finds the first entry of a log that is younger than a receipt; the ids of a log grow, except within short moments.
 */
async function firstAfter(id: string, { log, size }: LogRow, parts: SigningParts): Promise<number> {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (((await entryAt(log, middle, parts))?.id ?? '') > id) high = middle;
    else low = middle + 1;
  }
  return low;
}
