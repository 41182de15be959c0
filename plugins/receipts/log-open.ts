import type { Connection, WriterScope } from '../../kernel/index.ts';
import { Chains } from './chain.ts';
import { readCheckpointFile } from './checkpoint-file.ts';
import { createCommit } from './commitment.ts';
import { logOrigin } from './contract.ts';
import { encodeBase64Url } from './base64.ts';
import { issuer, type Appended } from './issue.ts';
import type { PublicKey } from './jwk.ts';
import { mirrorKeys } from './key-file.ts';
import { isActiveReceiptKey, keyTable } from './key-tables.ts';
import { entryOf } from './log/entry.ts';
import { emptyRoot } from './log/hashing.ts';
import { formatVkey, noteKey, type NoteKey } from './log/vkey.ts';
import { guardLog } from './log-guard.ts';
import { logReads, type LogReads, type LogRow } from './log-tables.ts';
import { LogWriter } from './log-writer.ts';
import { draftOther } from './other-statement.ts';
import { createKey, openSigner, type Signer, type StoredKey } from './signer.ts';
import { otherToAppend } from './to-append.ts';

/** What signs and logs: the active receipt key and the log at work. */
export interface Signing {
  readonly signer: Signer;
  readonly log: LogWriter;
}

/**
 * Opens the receipt key and the log, made at the first start, and publishes the public keys.
 * Throws ConfigError when the log is not the one this state dir has seen.
 */
export function openSigning(scope: WriterScope): Signing {
  const reads = logReads(scope.connection);
  const table = keyTable(scope.connection);
  const row = reads.logs().at(-1);
  guardLog(readCheckpointFile(scope.stateDir), row, (log) => noteKeyOf(table.all(), log), reads);
  if (row === undefined) transact(scope.connection, () => beginLog(scope, reads));
  const keys = table.all();
  const signing = openKeys(scope, keys, reads);
  mirrorKeys(scope.stateDir, keys);
  return signing;
}

function openKeys({ connection, sealer }: WriterScope, keys: readonly StoredKey[], reads: LogReads): Signing {
  const active = keys.filter(isActiveReceiptKey);
  const [key] = active;
  if (key === undefined || active.length > 1) throw new Error(`${active.length} receipt keys are active; one must be`);
  const row = reads.logs().at(-1);
  if (row === undefined) throw new Error('the store holds no log');
  const logSigner = openSigner(logKeyOf(keys, row), sealer);
  const checkpointSigner = { key: noteKeyOf(keys, row), sign: logSigner.signVerified };
  return { signer: openSigner(key, sealer), log: new LogWriter(connection, reads, row, checkpointSigner) };
}

function logKeyOf(keys: readonly StoredKey[], { kid, origin }: LogRow): StoredKey {
  const key = keys.find((candidate) => candidate.kid === kid);
  if (key?.role !== 'log' || key.origin !== origin) throw new Error(`the store holds no key for the log ${origin}`);
  return key;
}

function noteKeyOf(keys: readonly StoredKey[], row: LogRow): NoteKey {
  return noteKey(row.origin, logKeyOf(keys, row).public_key);
}

/** Makes the first log: what was signed before it comes first, in the order it was committed, then its keys. */
function beginLog(scope: WriterScope, reads: LogReads): void {
  const { connection, installation, sealer } = scope;
  const table = keyTable(connection);
  const now = scope.now();
  const origin = logOrigin(installation);
  if (!table.all().some(({ role }) => role === 'receipt')) table.insert(createKey('receipt', sealer, now));
  const logKey = createKey('log', sealer, now, origin);
  table.insert(logKey);
  connection
    .prepare('INSERT INTO receipts_logs VALUES (1, ?, ?, ?, 0, ?, ?, ?)')
    .run('0', origin, logKey.kid, emptyRoot, 'active', now);
  const signing = openKeys(scope, table.all(), reads);
  logOlder(connection, signing.log, table.all());
  logKeys(scope, signing, table.all());
}

const batch = 256;

function logOlder(connection: Connection, log: LogWriter, keys: readonly PublicKey[]): void {
  const older = connection.prepare(
    'SELECT rowid AS row, payload, signature, kid FROM receipts_receipts WHERE idx IS NULL ORDER BY rowid LIMIT ?',
  );
  const move = connection.prepare('UPDATE receipts_receipts SET log = ?, idx = ? WHERE rowid = ?');
  for (let rows = older.all(batch); rows.length > 0; rows = older.all(batch)) {
    log.begin();
    for (const { row, payload, signature, kid } of rows) {
      const key = keys.find((candidate) => candidate.kid === kid);
      if (key === undefined) throw new Error(`a receipt was signed by the key ${String(kid)}, which is not stored`);
      const entry = entryOf(payload as Uint8Array, signature as Uint8Array, key.public_key);
      move.run(log.log, log.add(entry), row ?? null);
    }
    log.seal();
    log.settle();
  }
}

function logKeys(scope: WriterScope, { signer, log }: Signing, keys: readonly PublicKey[]): void {
  const { connection, installation, version } = scope;
  const issuedBy = { installation, version, kid: signer.kid, origin: log.origin };
  // No key fact is in a chain, so the heads of the chains are not asked for.
  const issue = issuer(connection, signer, new Chains(() => undefined), log);
  const commit = createCommit();
  log.begin();
  for (const key of keys) {
    const fact = { kind: 'key', at: new Date(scope.now()).toISOString(), kid: key.kid, facts: created(key) } as const;
    const drafted = draftOther(fact, `rec_${scope.ulid()}`, issuedBy, commit);
    const appended: Appended = { receipt_id: '', signature_valid: false, sequence: 0, digest: '', index: 0 };
    issue(otherToAppend('key', drafted), appended);
  }
  log.seal();
  log.settle();
}

function created({ role, public_key, origin }: PublicKey): object {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(public_key) };
  const log = origin === undefined ? {} : { origin, vkey: formatVkey(noteKey(origin, public_key)) };
  return { role, change: 'created', public_key: jwk, ...log };
}

function transact(connection: Connection, act: () => void): void {
  connection.prepare('BEGIN IMMEDIATE').run();
  try {
    act();
    connection.prepare('COMMIT').run();
  } catch (error) {
    connection.prepare('ROLLBACK').run();
    throw error;
  }
}
