import type { NodeIdentity, WriterScope } from '../../../../kernel/index.ts';
import { activeLogs, shardsOf } from '../../log/stored/own-shard.ts';
import type { LogRow, StoredCheckpoint } from '../../log/stored/tables.ts';
import { issueKeyEntry } from '../entry.ts';
import { freezeLog } from './shard.ts';
import type { SigningKeys, SigningParts } from '../signing-keys.ts';
import type { StoredKey } from '../../issue/signer.ts';

/** A log that takes no more entries, with its key and its last checkpoint. */
export interface EndedLog {
  readonly row: LogRow;
  readonly key: StoredKey;
  readonly checkpoint: string;
}

/** Lists the active logs of a process that has ended. */
export async function logsLeftBy(ended: NodeIdentity, { reads }: SigningParts): Promise<readonly LogRow[]> {
  const { incarnation, name } = ended;
  return activeLogs(await shardsOf(reads), (owner) => owner?.node === name && owner.incarnation === incarnation);
}

/** Freezes the log of a process that has ended, within the current batch. */
export async function endLog(row: LogRow, parts: SigningParts): Promise<EndedLog> {
  const { reads, scope, table } = parts;
  const newest = await reads.newestCheckpoint(row.log);
  const key = await table.find(row.kid);
  if (newest === undefined || key === undefined)
    throw new Error(`the log ${row.origin} has no checkpoint or no key in the store`);
  renew(scope, row.log, newest);
  freezeLog(row, parts);
  return { row, key, checkpoint: newest.note };
}

// An append drops the newest checkpoint, and must find it: of an append and a freeze at the same time,
// the later fails.
function renew({ connection }: WriterScope, log: number, { note, size }: StoredCheckpoint): void {
  connection.prepare('DELETE FROM receipts_checkpoints WHERE log = ? AND size = ?').must(log, size);
  connection.prepare('INSERT INTO receipts_checkpoints (log, size, note) VALUES (?, ?, ?)').queue(log, size, note);
}

/**
 * Issues the entry that holds the last checkpoint of a log that was frozen: so a verifier notices if that log is left
 * out.
 */
export function issueAdopted({ checkpoint, key }: EndedLog, signing: SigningKeys, parts: SigningParts): void {
  issueKeyEntry(key, { change: 'adopted', previous_checkpoint: checkpoint }, signing, parts);
}
