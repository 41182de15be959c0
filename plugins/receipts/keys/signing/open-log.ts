import { ConfigError, type WriteConnection } from '../../../../kernel/index.ts';
import { readCheckpointFile, replaceCheckpointFile } from '../../log/stored/checkpoint-file.ts';
import {
  addKey,
  openFound,
  openKeys,
  openSigningKeys,
  noteKeyOf,
  openLog,
  ownerIn,
  type HeldKeys,
  type SigningKeys,
  type SigningParts,
} from '../signing-keys.ts';
import type { PublicKey } from '../../format/jwk.ts';
import { issueKeyEntry } from '../entry.ts';
import { isActive, keysOf } from '../key-tables.ts';
import { readCheckpoint } from '../../log/pure/note.ts';
import { entryOf } from '../../log/pure/entry.ts';
import { guardLog } from '../../log/stored/guard.ts';
import type { LogRow } from '../../log/stored/tables.ts';
import type { LogWriter } from '../../log/stored/writer.ts';
import { ownShard, shardsOf, unfollowed } from '../../log/stored/own-shard.ts';
import { claimRestored, settleRestored } from '../../log/stored/restored.ts';
import { shardOf } from '../../verifier/position.ts';
import { payloadOf, withShapes } from '../../log/rows/stored-receipt.ts';
import { goOn } from './open-shared.ts';
import { addLogKey, claimLog, factsAfter, freezeLog, insertLog, nextShard, openShard, shardNumber } from './shard.ts';

/** The keys of a start, and its log: where the store is shared, the log may open with its first entry. */
export interface Opened {
  readonly keys: SigningKeys | HeldKeys;
  /** Writes down in the state dir that the start is durable. */
  settle(): void;
}

/**
 * Opens the keys and the log, made at the first start. A store restored from a backup continues in a new shard. Throws
 * ConfigError when the log is not the one this state dir has seen.
 */
export async function openSigning(parts: SigningParts): Promise<Opened> {
  const { reads, scope, table } = parts;
  const { stateDir } = scope;
  const copy = readCheckpointFile(stateDir);
  const restored = claimRestored(stateDir);
  const keys = await table.all();
  const keyOf = (log: LogRow) => noteKeyOf(keys, log);
  const guarded = { copy, keyOf, reads, restored: restored !== undefined, installation: scope.installation };
  await guardLog({ ...guarded, shared: scope.shared });
  await makeMissing(parts, restored, copy);
  const opened = await openFound(parts);
  if (!('log' in opened)) return { keys: opened, settle: () => undefined };
  const newest = restored === undefined ? undefined : await reads.newestCheckpoint(opened.log.log);
  return {
    keys: opened,
    settle() {
      if (restored === undefined) return;
      // Before the restore mark is removed: the copied checkpoint may be ahead of the restored store.
      if (newest !== undefined) replaceCheckpointFile(stateDir, newest.note);
      settleRestored(stateDir);
    },
  };
}

async function makeMissing(parts: SigningParts, restored: string | undefined, copy: string | undefined): Promise<void> {
  if ((await parts.reads.logs()).length === 0) return beginLog(parts);
  if (!parts.scope.shared) checkNode(parts.scope.node.name, await parts.table.all());
  // State directories of an older version have no certificate key.
  const added = await addMissing(parts.scope.shared ? ['receipt', 'certificate'] : ['certificate'], parts);
  if (parts.scope.shared) return restored === undefined ? goOn(copy, parts) : undefined;
  // An interrupted start may have branched off already.
  const logs = await parts.reads.logs();
  const isBranched = restored === undefined || logs.some(({ shard }) => shard.endsWith(`-${restored}`));
  await (isBranched ? ownOrOpen(parts) : branchOff(restored, copy, parts));
  if (added.length > 0) announce(added, await openSigningKeys(parts), parts);
}

// Nodes that shared a store signed with their own keys, so only one of these nodes can continue alone.
function checkNode(node: string, keys: readonly PublicKey[]): void {
  if (keysOf('receipt', keys, node).length > 0) return;
  const nodes = new Set(keys.filter((key) => isActive('receipt', key)).flatMap((key) => key.node ?? []));
  throw new ConfigError([
    `ORB_NODE: ${node} has no receipt key in this store, which several nodes shared; start with the name of one of ` +
      `them (${[...nodes].sort().join(', ')}), or with store.several_nodes`,
  ]);
}

/** Makes the first log: receipts signed before it come first, each chain in its order, then its keys. */
async function beginLog(parts: SigningParts): Promise<void> {
  const { scope, table } = parts;
  await addMissing(['receipt', 'certificate'], parts);
  const shard = scope.shared ? await nextShard(undefined, parts) : '0';
  await insertLog(shard, addLogKey(shard, parts), parts);
  await logOlder(scope.connection, await openLog(parts), await table.all());
  announce(await table.all(), await openSigningKeys(parts), parts);
}

const batch = 256;

async function logOlder(connection: WriteConnection, log: LogWriter, keys: readonly PublicKey[]): Promise<void> {
  const older = connection.prepare(
    `SELECT r.receipt_id, r.payload, s.text AS shape_text, r.signature, r.kid FROM ${withShapes}
     WHERE r.idx IS NULL ORDER BY coalesce(r.sequence, 0), r.receipt_id LIMIT ?`,
  );
  const move = connection.prepare('UPDATE receipts_receipts SET log = ?, idx = ? WHERE receipt_id = ?');
  for (let rows = await older.all(batch); rows.length > 0; rows = await older.all(batch)) {
    for (const { receipt_id, signature, kid, ...text } of rows) {
      const key = keys.find((candidate) => candidate.kid === kid);
      if (key === undefined) throw new Error(`a receipt was signed by the key ${String(kid)}, which is not stored`);
      const entry = entryOf(payloadOf(text), signature as Uint8Array, key.public_key);
      move.queue(log.log, log.add(entry), receipt_id ?? null);
    }
    sealLog({ log });
  }
}

function announce(keys: readonly PublicKey[], signing: SigningKeys, parts: SigningParts): void {
  for (const key of keys) issueKeyEntry(key, { change: 'created' }, signing, parts);
  sealLog(signing);
}

function sealLog({ log }: Pick<SigningKeys, 'log'>): void {
  log.seal();
  log.settle();
}

async function addMissing(roles: readonly PublicKey['role'][], parts: SigningParts): Promise<PublicKey[]> {
  const { scope, table } = parts;
  const keys = await table.all();
  const { name } = scope.node;
  // A store that one process had for itself: its key is of the first node that begins to share it.
  const [receipt] = keysOf('receipt', keys, name);
  if (scope.shared && receipt?.node === undefined && receipt !== undefined) table.take(receipt.kid, name);
  return roles.filter((role) => keysOf(role, keys, name).length === 0).map((role) => addKey(role, parts));
}

/** Continues the log that this process wrote in its last run; a node without a log opens one next to the others. */
async function ownOrOpen(parts: SigningParts): Promise<void> {
  const { reads, scope } = parts;
  const shards = await shardsOf(reads);
  const own = ownShard(shards, ownerIn(scope));
  if (own !== undefined) return claimLog(own, parts);
  const shard = await nextShard(undefined, parts);
  const before = unfollowed(shards, scope.node.name);
  const facts = factsAfter(before, before && (await reads.newestCheckpoint(before.log))?.note);
  sealLog(await openShard(shard, addLogKey(shard, parts), facts, await openKeys(parts), parts));
}

/**
 * Opens the shard of a restored backup. No log of that store is continued, because each may have grown since the
 * backup.
 */
async function branchOff(suffix: string, copy: string | undefined, parts: SigningParts): Promise<void> {
  const { reads, scope } = parts;
  const logs = await reads.logs();
  const last = ownShard(await shardsOf(reads), ownerIn(scope)) ?? logs.at(-1);
  if (last === undefined) return;
  const seen = readCheckpoint(copy)?.checkpoint;
  const number = Math.max(...[...logs.map(({ shard }) => shard), shardOf(seen?.origin ?? '0')].map(shardNumber));
  const shard = `${number + 1}-${suffix}`;
  const signing = await openKeys(parts);
  for (const log of logs) if (log.status === 'active') freezeLog(log, parts);
  // Receipts signed after the backup are lost; the last checkpoint shows that they existed.
  const isAhead = seen?.origin === last.origin && seen.size > BigInt(last.size);
  const found = isAhead ? copy : (await reads.newestCheckpoint(last.log))?.note;
  sealLog(await openShard(shard, addLogKey(shard, parts), factsAfter(last, found ?? ''), signing, parts));
}
