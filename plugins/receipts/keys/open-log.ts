import type { Connection } from '../../../kernel/index.ts';
import { readCheckpointFile, replaceCheckpointFile } from '../log/stored/checkpoint-file.ts';
import {
  addKey,
  openKeys,
  openSigningKeys,
  noteKeyOf,
  openLog,
  type SigningKeys,
  type SigningParts,
} from './signing-keys.ts';
import type { PublicKey } from '../format/jwk.ts';
import { issueKeyEntry } from './entry.ts';
import { mirrorKeys } from '../format/key-file.ts';
import { isActive } from './key-tables.ts';
import { readCheckpoint } from '../log/pure/checkpoint.ts';
import { entryOf } from '../log/pure/entry.ts';
import { guardLog } from '../log/stored/guard.ts';
import type { LogRow } from '../log/stored/tables.ts';
import type { LogWriter } from '../log/stored/writer.ts';
import { ownShard } from '../log/stored/own-shard.ts';
import { claimRestored, settleRestored } from '../log/stored/restored.ts';
import { shardOf } from '../verifier/position.ts';
import { payloadOf, withShapes } from '../read/stored-receipt.ts';
import { addLogKey, claimLog, freezeLog, insertLog, nextShard, openShard, shardNumber } from './shard.ts';

/**
 * Opens the keys and the log, made at the first start, and publishes the public keys. A store restored from a backup
 * continues in a new shard. Throws ConfigError when the log is not the one this state dir has seen.
 */
export function openSigning(parts: SigningParts): SigningKeys {
  const { reads, scope, table } = parts;
  const { stateDir } = scope;
  const copy = readCheckpointFile(stateDir);
  const restored = claimRestored(stateDir);
  const keyOf = (log: LogRow) => noteKeyOf(table.all(), log);
  guardLog({ copy, keyOf, reads, restored: restored !== undefined, installation: scope.installation });
  transact(scope.connection, () => {
    if (reads.logs().length === 0) return beginLog(parts);
    // State dirs of an older version have no certificate key.
    const added = addMissing(['certificate'], parts);
    if (restored === undefined || isBranchedOff(restored, parts)) ownOrOpen(parts);
    else branchOff(restored, copy, parts);
    if (added.length > 0) announce(added, openSigningKeys(parts), parts);
  });
  if (restored !== undefined) {
    // Read before the restore mark is removed: the copied checkpoint may be ahead of the restored store.
    const newest = reads.newestCheckpoint(openLog(parts).log);
    if (newest !== undefined) replaceCheckpointFile(stateDir, newest.note);
    settleRestored(stateDir);
  }
  mirrorKeys(stateDir, table.all());
  return openSigningKeys(parts);
}

/** Makes the first log: receipts signed before it come first, each chain in its order, then its keys. */
function beginLog(parts: SigningParts): void {
  const { scope, table } = parts;
  addMissing(['receipt', 'certificate'], parts);
  insertLog('0', addLogKey('0', parts), parts);
  logOlder(scope.connection, openLog(parts), table.all());
  announce(table.all(), openSigningKeys(parts), parts);
}

const batch = 256;

function logOlder(connection: Connection, log: LogWriter, keys: readonly PublicKey[]): void {
  const older = connection.prepare(
    `SELECT r.receipt_id, r.payload, s.text AS shape_text, r.signature, r.kid FROM ${withShapes}
     WHERE r.idx IS NULL ORDER BY coalesce(r.sequence, 0), r.receipt_id LIMIT ?`,
  );
  const move = connection.prepare('UPDATE receipts_receipts SET log = ?, idx = ? WHERE receipt_id = ?');
  for (let rows = older.all(batch); rows.length > 0; rows = older.all(batch)) {
    for (const { receipt_id, signature, kid, ...text } of rows) {
      const key = keys.find((candidate) => candidate.kid === kid);
      if (key === undefined) throw new Error(`a receipt was signed by the key ${String(kid)}, which is not stored`);
      const entry = entryOf(payloadOf(text), signature as Uint8Array, key.public_key);
      move.run(log.log, log.add(entry), receipt_id ?? null);
    }
    log.seal();
    log.settle();
  }
}

function announce(keys: readonly PublicKey[], signing: SigningKeys, parts: SigningParts): void {
  for (const key of keys) issueKeyEntry(key, { change: 'created' }, signing, parts);
  signing.log.seal();
  signing.log.settle();
}

function addMissing(roles: readonly PublicKey['role'][], parts: SigningParts): PublicKey[] {
  const keys = parts.table.all();
  return roles.filter((role) => !keys.some((key) => isActive(role, key))).map((role) => addKey(role, parts));
}

/** Goes on with the log that this process wrote when it last ran; a node that has none opens one beside the others. */
function ownOrOpen(parts: SigningParts): void {
  const own = ownShard(parts.reads, parts.scope.node.name);
  if (own !== undefined) return claimLog(own, parts);
  const shard = nextShard(undefined, parts);
  const { opened } = openShard(shard, addLogKey(shard, parts), {}, openKeys(parts), parts);
  opened.log.seal();
  opened.log.settle();
}

// An interrupted start has done it already.
function isBranchedOff(suffix: string, { reads }: SigningParts): boolean {
  return reads.logs().some(({ shard }) => shard.endsWith(`-${suffix}`));
}

/** Opens the shard of a restored backup. No log of that store goes on: each may have grown since. */
function branchOff(suffix: string, copy: string | undefined, parts: SigningParts): void {
  const { reads, scope } = parts;
  const logs = reads.logs();
  const last = ownShard(reads, scope.node.name) ?? logs.at(-1);
  if (last === undefined) return;
  const seen = readCheckpoint(copy)?.checkpoint;
  const number = Math.max(...[...logs.map(({ shard }) => shard), shardOf(seen?.origin ?? '0')].map(shardNumber));
  const shard = `${number + 1}-${suffix}`;
  const signing = openKeys(parts);
  for (const log of logs) if (log.status === 'active') freezeLog(log, parts);
  // Receipts signed after the backup are lost; the last checkpoint shows that they existed.
  const isAhead = seen?.origin === last.origin && seen.size > BigInt(last.size);
  const found = isAhead ? copy : reads.newestCheckpoint(last.log)?.note;
  const facts = { follows: last.origin, previous_kid: last.kid, previous_checkpoint: found ?? '' };
  const { opened } = openShard(shard, addLogKey(shard, parts), facts, signing, parts);
  opened.log.seal();
  opened.log.settle();
}

function transact(connection: Connection, act: () => void): void {
  connection.prepare('BEGIN').run();
  try {
    act();
    connection.prepare('COMMIT').run();
  } catch (error) {
    connection.prepare('ROLLBACK').run();
    throw error;
  }
}
