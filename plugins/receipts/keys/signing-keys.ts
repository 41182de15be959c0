import type { Connection, WriterScope } from '../../../kernel/index.ts';
import type { Chains } from '../issue/chain.ts';
import { issuer, type Issue, type IssueParts } from '../issue/append-receipt.ts';
import type { Shapes } from '../issue/shapes.ts';
import type { PublicKey } from '../format/jwk.ts';
import { keysOf, type KeyTable } from './key-tables.ts';
import { noteKey, type NoteKey } from '../log/pure/note.ts';
import type { LogRow, WriterReads } from '../log/stored/tables.ts';
import { ownShard, shardsOf, type Owner } from '../log/stored/own-shard.ts';
import { LogWriter } from '../log/stored/writer.ts';
import { createKey, openSigner, type Signer, type StoredKey } from '../issue/signer.ts';

/** What opening the signing keys needs, in the writer thread. */
export interface SigningParts {
  readonly scope: WriterScope;
  /** The connection of the scope where its engine answers at once. */
  readonly direct: Connection | undefined;
  readonly reads: WriterReads;
  readonly table: KeyTable;
  readonly chains: Chains;
  readonly shapes: Shapes;
  readonly marks: IssueParts['marks'];
}

/** The keys in use and the log being written: a value, replaced as a whole by a change of keys. */
export interface SigningKeys {
  /** The receipt key. */
  readonly signer: Signer;
  readonly certificate: Signer;
  readonly log: LogWriter;
  readonly issue: Issue;
}

/** The keys that sign something else than a log. */
export type HeldKeys = Pick<SigningKeys, 'signer' | 'certificate'>;

/** Opens the active keys and the log of this process. Throws when one is missing or does not match. */
export async function openSigningKeys(parts: SigningParts): Promise<SigningKeys> {
  return withIssue({ ...(await openKeys(parts)), log: await openLog(parts) }, parts);
}

/** Opens the same; without a log when the store is shared and this process has not opened one. */
export async function openFound(parts: SigningParts): Promise<SigningKeys | HeldKeys> {
  const { reads, scope } = parts;
  const waits = scope.shared && ownShard(await shardsOf(reads), ownerIn(scope)) === undefined;
  return waits ? openKeys(parts) : openSigningKeys(parts);
}

/** Opens the active keys that sign something else than a log. Throws when one is missing or does not match. */
export async function openKeys({ scope, table }: SigningParts): Promise<HeldKeys> {
  const keys = await table.all();
  return { signer: openActive('receipt', keys, scope), certificate: openActive('certificate', keys, scope) };
}

/** Adds the function that issues receipts under the receipt key and the log. */
export function withIssue(signing: Omit<SigningKeys, 'issue'>, parts: SigningParts): SigningKeys {
  const { connection } = parts.scope;
  return { ...signing, issue: issuer({ ...parts, connection }, signing.signer, signing.log) };
}

/** Makes a key and stores it; `origin`: the log that a log key signs for. */
export function addKey(role: PublicKey['role'], { scope, table }: SigningParts, origin?: string): StoredKey {
  const made = createKey(role, scope.sealer, scope.now(), origin);
  // Each node has a receipt key of its own: it is revoked from one position of one line of logs.
  const key = role === 'receipt' && scope.shared ? { ...made, node: scope.node.name } : made;
  table.insert(key);
  return key;
}

/** Opens the log that this process writes, with its key. */
export async function openLog({ direct, reads, scope, table }: SigningParts): Promise<LogWriter> {
  const row = ownShard(await shardsOf(reads), ownerIn(scope));
  if (row === undefined) throw new Error(`the store has no log of the node ${scope.node.name}`);
  const keys = await table.all();
  const { signTwice } = openSigner(logKeyOf(keys, row), scope.sealer);
  const { connection } = scope;
  return LogWriter.open({ connection, direct, reads }, row, { key: noteKeyOf(keys, row), sign: signTwice });
}

/** Names the process of a writer as the owner of logs. */
export function ownerIn({ node, shared }: WriterScope): Owner {
  return { ...node, shared };
}

/** Builds the key of a log in the form that verifiers of notes need. */
export function noteKeyOf(keys: readonly StoredKey[], row: LogRow): NoteKey {
  return noteKey(row.origin, logKeyOf(keys, row).public_key);
}

function logKeyOf(keys: readonly StoredKey[], { kid, origin }: LogRow): StoredKey {
  const key = keys.find((candidate) => candidate.kid === kid);
  if (key?.role !== 'log' || key.origin !== origin) throw new Error(`the store has no key for the log ${origin}`);
  return key;
}

function openActive(role: PublicKey['role'], keys: readonly StoredKey[], { node, sealer }: WriterScope): Signer {
  const active = keysOf(role, keys, node.name);
  const [key] = active;
  if (key === undefined || active.length > 1)
    throw new Error(`${active.length} ${role} keys are active; exactly one must be active`);
  return openSigner(key, sealer);
}
