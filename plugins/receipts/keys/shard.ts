import { rowWriter } from '../../../kernel/index.ts';
import { addKey, withIssue, openLog, type SigningKeys, type SigningParts } from './signing-keys.ts';
import { logOrigin } from '../contract.ts';
import { issueKeyEntry, type KeyEntry, type KeyFacts } from './entry.ts';
import type { PublicKey } from '../format/jwk.ts';
import { emptyRoot } from '../log/pure/hashing.ts';
import type { LogRow } from '../log/stored/tables.ts';
import type { StoredKey } from '../issue/signer.ts';

/** Makes the log key of a shard. */
export function addLogKey(shard: string, parts: SigningParts): StoredKey {
  return addKey('log', parts, logOrigin(parts.scope.installation, shard));
}

/** Makes an empty log, which takes the entries from now on. */
export function insertLog(shard: string, key: PublicKey, { reads, scope }: SigningParts): void {
  const columns = ['log', 'shard', 'origin', 'kid', 'size', 'root', 'status', 'created_at'] as const;
  const insert = rowWriter(scope.connection, 'receipts_logs', columns);
  insert({
    ...{ log: Math.max(0, ...reads.logs().map(({ log }) => log)) + 1, shard, kid: key.kid, size: 0, root: emptyRoot },
    ...{ origin: logOrigin(scope.installation, shard), status: 'active', created_at: scope.now() },
  });
}

/** Freezes a log: it takes no more entries, and its key no longer signs. */
export function freezeLog({ kid, log }: Pick<LogRow, 'kid' | 'log'>, { scope, table }: SigningParts): void {
  scope.connection.prepare(`UPDATE receipts_logs SET status = 'frozen' WHERE log = ?`).run(log);
  table.retire(kid);
}

/**
 * Opens the shard after a frozen one: its first entry, not yet sealed, holds the last checkpoint of the old shard.
 * The key comes from `addLogKey`.
 */
export function openShard(
  shard: string,
  key: StoredKey,
  facts: Pick<KeyFacts, 'previous_checkpoint' | 'previous_kid' | 'reason' | 'principal'>,
  signing: Pick<SigningKeys, 'signer' | 'certificate'>,
  parts: SigningParts,
): { readonly opened: SigningKeys; readonly entry: KeyEntry } {
  insertLog(shard, key, parts);
  const opened = withIssue({ signer: signing.signer, certificate: signing.certificate, log: openLog(parts) }, parts);
  return { opened, entry: issueKeyEntry(key, { change: 'created', ...facts }, opened, parts) };
}

/** Reads the number of a shard: 1 for `1` and for `1-0badcafe`. */
export function shardNumber(shard: string): number {
  return Number(/^\d+/.exec(shard)?.[0] ?? 0);
}

/** Says whether a shard was opened by a restored backup, or after one: its name ends in eight random hex digits. */
export function isBranch(shard: string): boolean {
  return shard.includes('-');
}
