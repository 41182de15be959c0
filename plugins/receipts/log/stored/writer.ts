import { replacing, type Connection } from '../../../../kernel/index.ts';
import { checkpointText } from '../pure/checkpoint.ts';
import { Frontier } from '../pure/frontier.ts';
import { hashBytes, hashLeaf } from '../pure/hashing.ts';
import { noteOf, signatureLine } from '../pure/note.ts';
import { hashesAt, subtreesOf, tileWidth } from '../pure/tile.ts';
import type { NoteKey } from '../pure/vkey.ts';
import type { LogReads, LogRow } from './tables.ts';
import { nativeSha256 } from './native-sha.ts';

/** Signs checkpoints. */
export interface CheckpointSigner {
  readonly key: NoteKey;
  /** Signs a text with a key whose pair was proven, and checks the signature by a second one: 64 bytes. Throws otherwise. */
  sign(text: Uint8Array): Uint8Array;
}

interface Tree {
  readonly frontier: Frontier;
  /** Hashes of the leaves after the last full tile. */
  readonly tail: readonly Uint8Array[];
}

/**
 * Appends to one log inside the batch's transaction and signs its checkpoints. The tree in memory advances with
 * `settle`, once the batch is durable; `reset` reads it again from the committed rows.
 */
export class LogWriter {
  readonly origin: string;
  readonly log: number;
  readonly #reads: LogReads;
  readonly #signer: CheckpointSigner;
  readonly #statements;
  #committed: Tree;
  #pending: Tree | undefined;
  /** Entries of the batch, from the committed size on. */
  #added: Uint8Array[] = [];

  constructor(connection: Connection, reads: LogReads, row: LogRow, signer: CheckpointSigner) {
    this.origin = row.origin;
    this.log = row.log;
    this.#reads = reads;
    this.#signer = signer;
    this.#statements = {
      insertEntry: connection.prepare('INSERT INTO receipts_entries (log, idx, entry) VALUES (?, ?, ?)'),
      putTile: connection.prepare(
        `INSERT INTO receipts_tiles (log, level, n, hashes) VALUES (?, ?, ?, ?)
         ${replacing(['log', 'level', 'n'], ['hashes'])}`,
      ),
      moveHead: connection.prepare(
        `UPDATE receipts_logs SET size = ?, root = ? WHERE log = ? AND size = ? AND root = ? AND status = 'active'`,
      ),
      // Only the newest is kept: the entries prove every size of the log before it.
      moveCheckpoint: connection.prepare(
        'UPDATE receipts_checkpoints SET size = ?, note = ? WHERE log = ? AND size = ?',
      ),
      insertCheckpoint: connection.prepare('INSERT INTO receipts_checkpoints (log, size, note) VALUES (?, ?, ?)'),
    };
    this.#committed = this.#read();
  }

  /** Signs a text that is no checkpoint with the key of the log. Throws when it cannot. */
  probe(text: Uint8Array): void {
    this.#signer.sign(text);
  }

  /** Index of the next entry. */
  get next(): number {
    return this.#committed.frontier.size + this.#added.length;
  }

  /** Writes an entry and answers its index. */
  add(entry: Uint8Array): number {
    const index = this.next;
    this.#statements.insertEntry.queue(this.log, index, entry);
    this.#added.push(entry);
    return index;
  }

  /**
   * Signs and stores the checkpoint over all entries of the batch, hashed again from the rows just written.
   * Throws when a row differs from what was written, or when another writer changed the log.
   */
  seal(): void {
    const { frontier, tail } = this.#committed;
    const levels = new Map<number, Uint8Array[]>();
    const grown = frontier.append(this.#readBack(), (height, hash) => {
      if (height % 8 !== 0) return;
      const level = height / 8;
      const hashes = levels.get(level) ?? [];
      hashes.push(hash);
      levels.set(level, hashes);
    });
    const leaves = [...tail, ...(levels.get(0) ?? [])];
    const full = leaves.length - (leaves.length % tileWidth);
    this.#putTiles(0, frontier.size - tail.length, leaves.slice(0, full));
    for (const [level, hashes] of levels) if (level > 0) this.#extendTiles(level, hashes, frontier.size);
    this.#sign(frontier, grown);
    this.#pending = { frontier: grown, tail: leaves.slice(full) };
  }

  /** Advances the tree in memory, because the batch is durable. */
  settle(): void {
    if (this.#pending !== undefined) this.#committed = this.#pending;
    this.#clear();
  }

  /** Drops the state in memory and reads the committed rows. */
  reset(): void {
    this.#clear();
    this.#committed = this.#read();
  }

  #clear(): void {
    this.#pending = undefined;
    this.#added = [];
  }

  #read(): Tree {
    const row = this.#reads.logs().find(({ log }) => log === this.log);
    if (row === undefined) throw new Error(`the log ${this.origin} is gone from the store`);
    const tiles = subtreesOf((tile) => this.#reads.tile(this.log, tile), row.size, nativeSha256);
    const left = row.size % tileWidth;
    return {
      frontier: Frontier.of(row.size, tiles, nativeSha256),
      tail: this.#reads.entries(this.log, row.size - left, left).map((entry) => hashLeaf(entry, nativeSha256)),
    };
  }

  // A bit flipped between here and the disk must not be signed: it would break the log permanently.
  #readBack(): Uint8Array[] {
    const written = this.#reads.entries(this.log, this.#committed.frontier.size, this.#added.length + 1);
    if (written.length !== this.#added.length) throw new Error('the log holds other entries than were written');
    return written.map((entry, at) => {
      const expected = this.#added[at];
      if (expected === undefined || Buffer.compare(entry, expected) !== 0)
        throw new Error('an entry of the log was changed between writing and signing; nothing is signed');
      return hashLeaf(entry, nativeSha256);
    });
  }

  #sign(before: Frontier, after: Frontier): void {
    const { insertCheckpoint, moveCheckpoint, moveHead } = this.#statements;
    const root = after.root();
    const text = checkpointText({ origin: this.origin, size: BigInt(after.size), root });
    const signature = this.#signer.sign(Buffer.from(text));
    if (moveHead.run(after.size, root, this.log, before.size, before.root()) !== 1)
      throw new Error('the head of the log is not where this writer left it');
    const note = noteOf(text, [signatureLine(this.#signer.key, signature)]);
    if (moveCheckpoint.run(after.size, note, this.log, before.size) === 0)
      insertCheckpoint.queue(this.log, after.size, note);
  }

  #extendTiles(level: number, hashes: readonly Uint8Array[], sizeBefore: number): void {
    const before = hashesAt(level, sizeBefore);
    const width = before % tileWidth;
    const partial = this.#reads.tile(this.log, { level, n: Math.floor(before / tileWidth), width });
    if (width > 0 && partial.length !== width * hashBytes) throw new Error('a tile of the log is cut short');
    const known = Array.from({ length: width }, (_, at) => partial.subarray(at * hashBytes, (at + 1) * hashBytes));
    this.#putTiles(level, before - width, [...known, ...hashes]);
  }

  /** Writes tiles from hash number `first`, the start of a tile. */
  #putTiles(level: number, first: number, hashes: readonly Uint8Array[]): void {
    for (let at = 0; at < hashes.length; at += tileWidth)
      this.#statements.putTile.queue(
        this.log,
        level,
        Math.floor((first + at) / tileWidth),
        Buffer.concat(hashes.slice(at, at + tileWidth)),
      );
  }
}
