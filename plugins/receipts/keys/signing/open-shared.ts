import { readCheckpoint } from '../../log/pure/note.ts';
import { readCheckpointFile, replaceCheckpointFile } from '../../log/stored/checkpoint-file.ts';
import { guardStore } from '../../log/stored/guard.ts';
import { activeLogs, shardsOf, unfollowed, type Shards } from '../../log/stored/own-shard.ts';
import { claimRestored, settleRestored } from '../../log/stored/restored.ts';
import type { LogRow } from '../../log/stored/tables.ts';
import { shardOf } from '../../verifier/position.ts';
import { issueKeyEntry } from '../entry.ts';
import { endLog, issueAdopted, type EndedLog } from './freeze.ts';
import { addLogKey, claimLog, factsAfter, nextShard, openShard } from './shard.ts';
import { openSigner } from '../../issue/signer.ts';
import { isActive } from '../key-tables.ts';
import { noteKeyOf, openKeys, withIssue, type HeldKeys, type SigningKeys, type SigningParts } from '../signing-keys.ts';

/**
 * Continues the log that this node signed last. The checkpoint in its state dir shows which log that is; the
 * caller has checked that the store is not behind it. Without such a log the next entry opens one.
 */
export async function goOn(copy: string | undefined, parts: SigningParts): Promise<void> {
  const seen = readCheckpoint(copy)?.checkpoint;
  const mine = logsOf(await shardsOf(parts.reads), parts.scope.node.name);
  const own = mine.find(({ origin }) => origin === seen?.origin);
  if (own === undefined) return;
  // No other process appends to it: this process has the name of its node, and the earlier process has ended.
  await guardStore(own, noteKeyOf(await parts.table.all(), own), parts.reads);
  claimLog(own, parts);
}

/**
 * Opens the log of this process, for the entry that comes next in the same batch. It continues the last log of the node,
 * unless another does; logs that earlier starts of the node left open are frozen.
 */
export async function openOwn(parts: SigningParts): Promise<SigningKeys> {
  const { reads, scope } = parts;
  const shards = await shardsOf(reads);
  const ended: EndedLog[] = [];
  for (const row of logsOf(shards, scope.node.name)) ended.push(await endLog(row, parts));
  const last = ended.pop();
  const before = last?.row ?? unfollowed(shards, scope.node.name);
  const copy = readCheckpointFile(scope.stateDir);
  const seen = readCheckpoint(copy)?.checkpoint;
  // Only a restored store is behind the state dir. This checkpoint shows that entries signed after the backup are
  // lost.
  const isAhead = seen !== undefined && seen.origin === before?.origin && seen.size > BigInt(before.size);
  const stored = before === undefined ? undefined : await reads.newestCheckpoint(before.log);
  const shard = await nextShard(seen && shardOf(seen.origin), parts, claimRestored(scope.stateDir));
  const facts = factsAfter(before, isAhead ? copy : stored?.note);
  const own = await openKeys(parts);
  const known = await introducer(own, parts);
  const first = await openShard(shard, addLogKey(shard, parts), facts, { ...own, ...known }, parts);
  const opened = known === undefined ? first : await introduce(own, first, parts);
  for (const log of ended) issueAdopted(log, opened, parts);
  await announceMissing(opened, parts);
  return opened;
}

/**
 * Finds a receipt key that an entry has published, for the first entries of a node whose own key is not published yet.
 */
async function introducer({ signer }: HeldKeys, { scope, table }: SigningParts) {
  const keys = await table.all();
  if (keys.find(({ kid }) => kid === signer.kid)?.since !== undefined) return undefined;
  const known = keys.find((key) => isActive('receipt', key) && key.since !== undefined);
  return known === undefined ? undefined : { signer: openSigner(known, scope.sealer) };
}

/** Makes the receipt key of a node known by the key that signs, and signs with the node's from then on. */
async function introduce(own: HeldKeys, signing: SigningKeys, parts: SigningParts): Promise<SigningKeys> {
  const key = await parts.table.find(own.signer.kid);
  if (key === undefined) throw new Error(`the key ${own.signer.kid} is missing from the store`);
  issueKeyEntry(key, { change: 'added' }, signing, parts);
  return withIssue({ ...signing, ...own }, parts);
}

/** Writes down in the state dir that the log was opened: the next start goes on with it, however soon this one ends. */
export function settleOwn(stateDir: string, { log }: SigningKeys): void {
  if (log.note !== undefined) replaceCheckpointFile(stateDir, log.note);
  settleRestored(stateDir);
}

/** Publishes keys that no entry has published yet, because a start created them when they were missing. */
async function announceMissing(signing: SigningKeys, parts: SigningParts): Promise<void> {
  const { node } = parts.scope;
  const unnamed = (await parts.table.all()).filter(
    (key) => key.since === undefined && key.role !== 'log' && (key.node ?? node.name) === node.name,
  );
  for (const key of unnamed) issueKeyEntry(key, { change: 'created' }, signing, parts);
}

/** Lists the active logs of a node, and logs of older versions that belong to no node. */
function logsOf(shards: Shards, node: string): readonly LogRow[] {
  return activeLogs(shards, (owner) => (owner?.node ?? node) === node);
}
