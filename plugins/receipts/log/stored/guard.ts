import { ConfigError } from '../../../../kernel/index.ts';
import { verifySignature } from '../../format/ed25519.ts';
import { readCheckpoint, type SignedCheckpoint, isSignedBy, type NoteKey } from '../pure/note.ts';
import { equalBytes } from '../pure/tree.ts';
import { edgeRoot } from './edge.ts';
import type { LogRow, WriterReads } from './tables.ts';
import { restoredFile } from './restored.ts';

type Reads = Pick<WriterReads, 'logs' | 'newestCheckpoint' | 'entries' | 'tile'>;

interface Guarded {
  /** Text of the copied checkpoint, if there is one. */
  readonly copy: string | undefined;
  readonly reads: Reads;
  readonly installation: string;
  /** The store was restored from a backup: it may be behind the copy, since no index of its log is given again. */
  readonly restored: boolean;
  /** Other processes append to their logs meanwhile: only the log of the copy is checked. */
  readonly shared?: boolean;
  keyOf(row: LogRow): NoteKey;
}

/** Throws a ConfigError with an explanation when the log is not the one this state dir has seen. */
export async function guardLog({ copy, installation, keyOf, reads, restored, shared }: Guarded): Promise<void> {
  const rows = await reads.logs();
  if (shared !== true) for (const row of rows) await guardStore(row, keyOf(row), reads);
  if (copy === undefined) return;
  const read = readCheckpoint(copy);
  if (read === undefined)
    throw refusal(
      'the file `checkpoint` of the state dir is not a checkpoint',
      'restore the earlier version of the file',
    );
  const seen = read.checkpoint;
  if (rows.length === 0)
    throw refusal(
      `the store has no log, but this state dir has signed ${seen.size} entries of ${seen.origin}`,
      'restore the store (store.db), or start with an empty state dir',
    );
  const row = rows.find(({ origin }) => origin === seen.origin);
  if (row === undefined) guardUnknown(seen.origin, rows, installation, restored);
  else await guardSeen(read, row, { keyOf, reads, restored });
}

function guardUnknown(origin: string, rows: readonly LogRow[], installation: string, restored: boolean): void {
  const newest = rows.at(-1)?.origin ?? '';
  if (!origin.startsWith(`${installation}.`))
    throw refusal(
      `the store's log is ${newest}, but this state dir belongs to ${origin}`,
      'restore the store of this state dir, or use the state dir of this store',
    );
  if (restored) return;
  throw refusal(
    `the store's newest log is ${newest}, but this state dir has signed ${origin}: an older state was restored`,
    behind,
  );
}

type Guarding = Pick<Guarded, 'keyOf' | 'reads' | 'restored'>;

async function guardSeen({ checkpoint: seen, note }: SignedCheckpoint, row: LogRow, guarding: Guarding): Promise<void> {
  const { keyOf, reads, restored } = guarding;
  if (!isSignedBy(note, [keyOf(row)], verifySignature))
    throw refusal(
      `the file \`checkpoint\` was not signed by the log key of the store (${row.kid})`,
      'restore the store or the file; one of them belongs to another installation',
    );
  if (seen.size > BigInt(row.size)) {
    if (restored) return;
    throw refusal(
      `the store has ${row.size} entries, but ${seen.size} were signed: an older state was restored`,
      behind,
    );
  }
  if (!equalBytes(await edgeRoot(reads, row.log, Number(seen.size)), seen.root))
    throw refusal(
      `the first ${seen.size} entries of the store differ from those that were signed`,
      'restore the store of this state dir; two copies of it have diverged',
    );
}

const behind =
  `restore the newest store; an older one would use positions a second time. If you have only a backup, make an ` +
  `empty file \`${restoredFile}\` in the state dir: the log then continues in a new shard`;

/** Throws a ConfigError when the entries, the head and the newest checkpoint of a log do not fit each other. */
export async function guardStore(row: LogRow, key: NoteKey, reads: Reads): Promise<void> {
  const { checkpoint, note } = readCheckpoint((await reads.newestCheckpoint(row.log))?.note) ?? {};
  const fits =
    checkpoint?.origin === row.origin &&
    checkpoint.size === BigInt(row.size) &&
    equalBytes(checkpoint.root, row.root) &&
    note !== undefined &&
    isSignedBy(note, [key], verifySignature);
  if (!fits)
    throw refusal(
      `the newest checkpoint of ${row.origin} does not match its head and key`,
      'restore a store in which they match',
    );
  const beyond = await reads.entries(row.log, row.size, 1);
  if (beyond.length > 0 || !equalBytes(await edgeRoot(reads, row.log, row.size), row.root))
    throw refusal(
      `the entries of ${row.origin} do not match the signed root`,
      'run `orb log fsck` to find the damaged entries, and restore a store in which they match',
    );
}

function refusal(what: string, remedy: string): ConfigError {
  return new ConfigError([
    `receipts: ${what}; the server signs nothing. ${remedy[0]?.toUpperCase()}${remedy.slice(1)}.`,
  ]);
}
