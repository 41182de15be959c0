import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFileSync } from '../../../../kernel/index.ts';
import { Frontier } from '../pure/frontier.ts';
import {
  bundleOf,
  consistencyProof,
  entriesOf,
  equalBytes,
  hashLeaf,
  inclusionProof,
  subtreesOf,
  tileHeight,
  tilePath,
  tileWidth,
  widthAt,
} from '../pure/tree.ts';
import { checkpointText, noteKey, noteOf, readCheckpoint, signatureLine, type SignedCheckpoint } from '../pure/note.ts';
import type { LogProof } from '../pure/proof-file.ts';

/** Name of the file of a static log that holds its newest checkpoint. */
const checkpointName = 'checkpoint';

/** A log in static files (C2SP tlog-tiles), which any file server can publish. It is read as a whole: it has few entries. */
export interface StaticLog extends SignedCheckpoint {
  readonly entries: readonly Uint8Array[];
  /** Builds the consistency proof between two sizes; undefined for sizes that the log does not have. */
  proof(from: bigint, to: bigint): readonly Uint8Array[] | undefined;
}

/** Signs the checkpoints of a static log. */
export interface LogSigner {
  readonly origin: string;
  /** 32 bytes, Ed25519. */
  readonly publicKey: Uint8Array;
  /** Signs a message: 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** Reads the log in a folder; undefined when there is none. Throws an Error when its files do not fit its checkpoint. */
export function readStaticLog(folder: string): StaticLog | undefined {
  if (!existsSync(join(folder, checkpointName))) return undefined;
  const signed = readCheckpoint(readFileSync(join(folder, checkpointName), 'utf8'));
  if (signed === undefined) throw new Error(`${join(folder, checkpointName)} is not a checkpoint of a log`);
  const size = Number(signed.checkpoint.size);
  const entries: Uint8Array[] = [];
  for (let n = 0; n * tileWidth < size; n++) {
    const path = join(folder, tilePath({ level: 'entries', n, width: widthAt(0, n, size) }));
    const bundle = existsSync(path) ? entriesOf(readFileSync(path)) : undefined;
    if (bundle?.length !== widthAt(0, n, size)) throw new Error(`${path} does not hold the entries of the log`);
    entries.push(...bundle);
  }
  const { root, subtrees } = treeOf(entries);
  if (!equalBytes(root, signed.checkpoint.root))
    throw new Error(`the entries of the log in ${folder} do not have the root of its checkpoint`);
  const proof = (from: bigint, to: bigint) =>
    from > 0n && from <= to && to <= size ? consistencyProof(Number(from), Number(to), subtrees) : undefined;
  return { ...signed, entries, proof };
}

/**
 * Adds an entry to the log in a folder, which is made when it is missing, and signs the new checkpoint; an entry that the
 * log already has is not added again. Answers the proof of the entry under the checkpoint.
 */
export function appendStatic(folder: string, entry: Uint8Array, signer: LogSigner): LogProof {
  const log = readStaticLog(folder);
  if (log !== undefined && log.checkpoint.origin !== signer.origin)
    throw new Error(`the folder ${folder} holds the log ${log.checkpoint.origin}, not ${signer.origin}`);
  const before = log?.entries ?? [];
  const known = before.findIndex((one) => equalBytes(one, entry));
  const entries = known === -1 ? [...before, entry] : before;
  const index = known === -1 ? before.length : known;
  const { levels, root, subtrees } = treeOf(entries);
  writeTiles(folder, entries, levels);
  const text = checkpointText({ origin: signer.origin, size: BigInt(entries.length), root });
  const signature = signer.sign(Buffer.from(text));
  const checkpoint = noteOf(text, [signatureLine(noteKey(signer.origin, signer.publicKey), signature)]);
  // Last: a checkpoint never names entries that are not there yet.
  replaceFileSync(join(folder, checkpointName), checkpoint);
  return { index: BigInt(index), hashes: inclusionProof(index, entries.length, subtrees), checkpoint };
}

function treeOf(entries: readonly Uint8Array[]) {
  const levels: Uint8Array[][] = [];
  const leaves = entries.map((entry) => hashLeaf(entry));
  const edge = Frontier.empty().append(leaves, (height, hash) => {
    if (height % tileHeight === 0) (levels[height / tileHeight] ??= []).push(hash);
  });
  const subtrees = subtreesOf(({ level, n, width }) => partOf(levels[level] ?? [], n, width), entries.length);
  return { levels, root: edge.root(), subtrees };
}

function partOf(hashes: readonly Uint8Array[], n: number, width: number): Uint8Array {
  return Buffer.concat(hashes.slice(n * tileWidth, n * tileWidth + width));
}

function writeTiles(folder: string, entries: readonly Uint8Array[], levels: readonly Uint8Array[][]): void {
  const write = (
    level: number | 'entries',
    count: number,
    contentOf: (n: number, width: number) => Uint8Array,
  ): void => {
    for (let n = 0; n * tileWidth < count; n++) {
      const width = Math.min(tileWidth, count - n * tileWidth);
      const path = join(folder, tilePath({ level, n, width }));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, contentOf(n, width));
    }
  };
  write('entries', entries.length, (n, width) => bundleOf(entries.slice(n * tileWidth, n * tileWidth + width)));
  for (const [level, hashes] of levels.entries()) write(level, hashes.length, (n, width) => partOf(hashes, n, width));
}
