import { randomBytes } from 'node:crypto';
import { given, rowWriter } from '../../../../kernel/index.ts';
import { addKey, withIssue, openLog, type SigningKeys, type SigningParts } from '../signing-keys.ts';
import { logOrigin } from '../../contract.ts';
import { issueKeyEntry, type KeyFacts } from '../entry.ts';
import type { PublicKey } from '../../format/jwk.ts';
import { emptyRoot } from '../../log/pure/tree.ts';
import { headInCheckpoint, type LogRow } from '../../log/stored/tables.ts';
import type { StoredKey } from '../../issue/signer.ts';

/** Makes the log key of a shard. */
export function addLogKey(shard: string, parts: SigningParts): StoredKey {
  return addKey('log', parts, logOrigin(parts.scope.installation, shard));
}

/** Makes an empty log, which takes the entries of this process from now on; `follows`: origin of the one it continues. */
export async function insertLog(shard: string, key: PublicKey, parts: SigningParts, follows?: string): Promise<void> {
  const { direct, reads, scope } = parts;
  const last = Math.max(0, ...(await reads.logs()).map(({ log }) => log));
  const { incarnation, name: node } = scope.node;
  rowWriter(scope.connection, 'receipts_logs', [
    ...(['log', 'shard', 'origin', 'kid', 'size', 'root', 'status', 'created_at'] as const),
    ...(['node', 'incarnation', 'follows'] as const),
  ])({
    ...{ log: last + 1, shard, kid: key.kid, size: direct === undefined ? headInCheckpoint : 0, root: emptyRoot },
    ...{ origin: logOrigin(scope.installation, shard), status: 'active', created_at: scope.now() },
    ...{ node, incarnation, follows: follows ?? null },
  });
}

/** Freezes a log: it takes no more entries, and its key no longer signs. */
export function freezeLog({ kid, log }: Pick<LogRow, 'kid' | 'log'>, { scope, table }: SigningParts): void {
  scope.connection.prepare(`UPDATE receipts_logs SET status = 'frozen' WHERE log = ?`).queue(log);
  table.retire(kid);
}

/** Writes down that this process writes a log from now on. */
export function claimLog({ log }: Pick<LogRow, 'log'>, { direct, scope }: SigningParts): void {
  const { incarnation, name } = scope.node;
  scope.connection
    .prepare(`UPDATE receipts_logs SET node = ?, incarnation = ? WHERE log = ? AND status = 'active'`)
    .must(name, incarnation, log);
  // A log that another engine began.
  if (direct === undefined)
    scope.connection.prepare('UPDATE receipts_logs SET size = ? WHERE log = ?').queue(headInCheckpoint, log);
}

/**
 * Opens a shard. After a frozen one (`follows`) its first entry, not yet sealed, holds the last checkpoint of that.
 * The key comes from `addLogKey`.
 */
export async function openShard(
  shard: string,
  key: StoredKey,
  { follows, ...facts }: ShardFacts,
  signing: Pick<SigningKeys, 'signer' | 'certificate'>,
  parts: SigningParts,
): Promise<SigningKeys> {
  await insertLog(shard, key, parts, follows);
  const log = await openLog(parts);
  const opened = withIssue({ signer: signing.signer, certificate: signing.certificate, log }, parts);
  issueKeyEntry(key, { change: 'created', ...facts }, opened, parts);
  return opened;
}

/** Lists the facts of a shard that continues another, whose last checkpoint it holds; of none, no facts. */
export function factsAfter(before: LogRow | undefined, checkpoint: string | undefined): ShardFacts {
  return given({ follows: before?.origin, previous_kid: before?.kid, previous_checkpoint: checkpoint });
}

type ShardFacts = Pick<KeyFacts, 'previous_checkpoint' | 'previous_kid' | 'reason' | 'principal'> & {
  /** Origin of the shard that it continues. */
  readonly follows?: string;
};

/**
 * Names the next shard of this process, after a shard it knows. Where a number may be given twice, by other processes or
 * after a restored backup, a random suffix keeps the names unique. The caller holds the guard of the keys.
 */
export async function nextShard(
  after: string | undefined,
  { reads, scope }: SigningParts,
  suffix = randomBytes(4).toString('hex'),
): Promise<string> {
  const known = [...(await reads.logs()).map(({ shard }) => shard), ...(after === undefined ? [] : [after])];
  const number = Math.max(-1, ...known.map(shardNumber)) + 1;
  const alone = !scope.shared && (await reads.owners()).every(({ node }) => node === null || node === scope.node.name);
  // The name of a shard that a restored backup opened, or that came after one, ends in eight random hex digits.
  const plain = alone && after !== undefined && !after.includes('-');
  return plain ? `${number}` : `${number}-${suffix}`;
}

/** Reads the number of a shard: 1 for `1` and for `1-0badcafe`. */
export function shardNumber(shard: string): number {
  return Number(/^\d+/.exec(shard)?.[0] ?? 0);
}
