import { replacing, type Connection, type WriteConnection } from '../../../../kernel/index.ts';
import { checkpointText, noteOf, signatureLine, type NoteKey } from '../pure/note.ts';
import type { Frontier } from '../pure/frontier.ts';
import { hashLeaf, hashesAt, tileWidth } from '../pure/tree.ts';
import { frontierAt, readEdge, type Edge } from './edge.ts';
import { headMover, type MoveHead } from './head.ts';
import { nativeSha256, logReads, type LogReads, type LogRow, type WriterReads } from './tables.ts';

/** Signs checkpoints. */
export interface CheckpointSigner {
  readonly key: NoteKey;
  /** Signs a text with a key whose pair was proven, and checks the signature by a second one: 64 bytes. Throws otherwise. */
  sign(text: Uint8Array): Uint8Array;
}

interface Tree {
  readonly frontier: Frontier;
  readonly edge: Edge;
}

/** What a log is written with. */
export interface LogParts {
  readonly connection: WriteConnection;
  /** The same connection where its engine answers at once: there the entries are read back before they are signed. */
  readonly direct: Connection | undefined;
  readonly reads: Pick<WriterReads, 'logs' | 'tile'>;
}

/**
 * Appends to one log inside the batch's transaction and signs its checkpoints. The tree in memory advances with
 * `settle`, once the batch is durable; `reset` reads it again from the committed rows.
 */
export class LogWriter {
  readonly origin: string;
  readonly log: number;
  readonly #reads: LogParts['reads'];
  /** The entries as they were written; absent on an engine of another process, where they would take a round trip. */
  readonly #written: LogReads['entries'] | undefined;
  readonly #signer: CheckpointSigner;
  readonly #statements;
  readonly #moveHead: MoveHead;
  #committed: Tree;
  #note: string | undefined;
  #pending: Tree | undefined;
  /** Entries of the batch, from the committed size on. */
  #added: Uint8Array[] = [];

  private constructor({ connection, direct, reads }: LogParts, row: LogRow, signer: CheckpointSigner, tree: Tree) {
    this.origin = row.origin;
    this.log = row.log;
    this.#reads = reads;
    this.#signer = signer;
    this.#committed = tree;
    this.#written = direct === undefined ? undefined : logReads(direct).entries;
    this.#moveHead = headMover(connection, row);
    this.#statements = {
      insertEntry: connection.prepare('INSERT INTO receipts_entries (log, idx, entry) VALUES (?, ?, ?)'),
      putTile: connection.prepare(
        `INSERT INTO receipts_tiles (log, level, n, hashes) VALUES (?, ?, ?, ?)
         ${replacing(['log', 'level', 'n'], ['hashes'])}`,
      ),
    };
  }

  /** Opens a log at its committed size. Throws RangeError when its tiles lack hashes. */
  static async open(parts: LogParts, row: LogRow, signer: CheckpointSigner): Promise<LogWriter> {
    return new LogWriter(parts, row, signer, await treeOf(parts.reads, row));
  }

  /** Signs a text that is no checkpoint with the key of the log. Throws when it cannot. */
  probe(text: Uint8Array): void {
    this.#signer.sign(text);
  }

  /** The checkpoint that it signed last. */
  get note(): string | undefined {
    return this.#note;
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
    const { edge, frontier } = this.#committed;
    const levels: Uint8Array[][] = [];
    const grown = frontier.append(this.#hashes(), (height, hash) => {
      if (height % 8 === 0) (levels[height / 8] ??= []).push(hash);
    });
    const extended = levels.map((hashes, level) => [...(edge[level] ?? []), ...hashes]);
    extended.forEach((hashes, level) => {
      const first = hashesAt(level, frontier.size) - (edge[level]?.length ?? 0);
      this.#putTiles(level, first, level > 0 ? hashes : hashes.slice(0, fullTiles(hashes)));
    });
    this.#sign(frontier, grown);
    const rest = extended.map((hashes) => hashes.slice(fullTiles(hashes)));
    this.#pending = { frontier: grown, edge: [...rest, ...edge.slice(rest.length)] };
  }

  /** Advances the tree in memory, because the batch is durable. */
  settle(): void {
    if (this.#pending !== undefined) this.#committed = this.#pending;
    this.#clear();
  }

  /** Drops the state in memory and reads the committed rows. */
  async reset(): Promise<void> {
    this.#clear();
    const row = (await this.#reads.logs()).find(({ log }) => log === this.log);
    if (row === undefined) throw new Error(`the log ${this.origin} is missing from the store`);
    this.#committed = await treeOf(this.#reads, row);
  }

  #clear(): void {
    this.#pending = undefined;
    this.#added = [];
  }

  // A bit flipped between here and the disk must not be signed: it would break the log permanently. Where reading back
  // would take a round trip, the auditor finds it right after.
  #hashes(): Uint8Array[] {
    const added = this.#added;
    const written = this.#written?.(this.log, this.#committed.frontier.size, added.length + 1) ?? added;
    if (written.length !== added.length) throw new Error('the log does not contain the entries that were written');
    return written.map((entry, at) => {
      const expected = added[at];
      if (expected === undefined || Buffer.compare(entry, expected) !== 0)
        throw new Error('an entry of the log was changed between writing and signing; the server does not sign it');
      return hashLeaf(entry, nativeSha256);
    });
  }

  #sign(before: Frontier, after: Frontier): void {
    const root = after.root();
    const text = checkpointText({ origin: this.origin, size: BigInt(after.size), root });
    const signature = this.#signer.sign(Buffer.from(text));
    const note = noteOf(text, [signatureLine(this.#signer.key, signature)]);
    this.#note = note;
    this.#moveHead({ size: before.size, root: before.root() }, { size: after.size, root, note });
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

async function treeOf(reads: LogParts['reads'], { log, size }: LogRow): Promise<Tree> {
  const edge = await readEdge(reads, log, size);
  return { frontier: frontierAt(edge, size), edge };
}

// How many of the hashes lie in full tiles.
function fullTiles(hashes: readonly unknown[]): number {
  return hashes.length - (hashes.length % tileWidth);
}
