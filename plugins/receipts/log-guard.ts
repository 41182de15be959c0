import { ConfigError } from '../../kernel/index.ts';
import { verifySignature } from './ed25519.ts';
import { parseCheckpoint } from './log/checkpoint.ts';
import { equalBytes } from './log/hashing.ts';
import { openNote, parseNote } from './log/note.ts';
import { rootOf } from './log/proof.ts';
import { subtreesOf } from './log/tile.ts';
import type { NoteKey } from './log/vkey.ts';
import type { LogReads, LogRow } from './log-tables.ts';
import { nativeSha256 } from './native-sha.ts';

/**
 * Refuses, with a ConfigError that explains, to go on with a log that is not the one this state dir has seen:
 * `copy` is the text of the copied checkpoint, if there is one; `row` the log of the store, if it has one.
 */
export function guardLog(
  copy: string | undefined,
  row: LogRow | undefined,
  keyOf: (row: LogRow) => NoteKey,
  reads: LogReads,
): void {
  if (row !== undefined) guardStore(row, keyOf(row), reads);
  if (copy === undefined) return;
  const note = parseNote(copy);
  const seen = note === undefined ? undefined : parseCheckpoint(note.text);
  if (note === undefined || seen === undefined)
    throw refusal('the file `checkpoint` of the state dir is no checkpoint', 'put back the one that was there');
  if (row === undefined)
    throw refusal(
      `the store holds no log, but this state dir has signed ${seen.size} entries of ${seen.origin}`,
      'put the store back (store.db), or start with an empty state dir',
    );
  if (seen.origin !== row.origin)
    throw refusal(
      `the store's log is ${row.origin}, but this state dir belongs to ${seen.origin}`,
      'put back the store of this state dir, or use the state dir of this store',
    );
  const opened = openNote(note, [keyOf(row)], verifySignature);
  if ('forged' in opened || opened.by.length === 0)
    throw refusal(
      `the file \`checkpoint\` was not signed by the log key of the store (${row.kid})`,
      'put back the store or the file: one of them is from elsewhere',
    );
  if (seen.size > BigInt(row.size))
    throw refusal(
      `the store holds ${row.size} entries, but ${seen.size} were signed: it was put back to an older state`,
      'put back the newest store; an older one would give indexes a second time',
    );
  if (!equalBytes(rootAt(row, Number(seen.size), reads), seen.root))
    throw refusal(
      `the first ${seen.size} entries of the store are not those that were signed`,
      'put back the store of this state dir: two copies of it have diverged',
    );
}

function guardStore(row: LogRow, key: NoteKey, reads: LogReads): void {
  const newest = reads.newestCheckpoint(row.log);
  const note = newest === undefined ? undefined : parseNote(newest.note);
  const signed = note === undefined ? undefined : parseCheckpoint(note.text);
  const opened = note === undefined ? undefined : openNote(note, [key], verifySignature);
  const fits =
    signed?.origin === row.origin &&
    signed.size === BigInt(row.size) &&
    equalBytes(signed.root, row.root) &&
    opened !== undefined &&
    'by' in opened &&
    opened.by.length === 1;
  if (!fits)
    throw refusal(`the newest checkpoint of ${row.origin} does not fit its head and key`, 'put back a store that does');
  const beyond = reads.entries(row.log, row.size, 1);
  if (beyond.length > 0 || !equalBytes(rootAt(row, row.size, reads), row.root))
    throw refusal(
      `the entries of ${row.origin} do not yield the root that was signed`,
      'run `orb log fsck` to see where, and put back a store that does',
    );
}

function rootAt({ log }: LogRow, size: number, reads: LogReads): Uint8Array {
  try {
    return rootOf(
      size,
      subtreesOf((tile) => reads.tile(log, tile), size, nativeSha256),
      nativeSha256,
    );
  } catch {
    // A tile that lacks hashes has no root: none that could have been signed.
    return new Uint8Array();
  }
}

function refusal(what: string, remedy: string): ConfigError {
  return new ConfigError([`receipts: ${what}; nothing is signed. ${remedy[0]?.toUpperCase()}${remedy.slice(1)}.`]);
}
