/**
 * The store as the rest of the program sees it. A write is a list of operations, atomic together; it resolves after the
 * durable commit of its batch. Reads see committed data only.
 */

import { PlatformError } from '../error.ts';
import type { BoundedWaits } from './bounded-waits.ts';
import type { NodeIdentity, Peers } from './peers.ts';
import type { StorePlace } from './place.ts';
import type { SealedRows } from './sealed-contract.ts';

export type { NodeIdentity } from './peers.ts';

/** Names one operation of one store with its arguments: plain values that can cross to the writer thread. */
export interface Operation<Result = unknown> {
  /** Name of the store module. */
  readonly store: string;
  readonly name: string;
  readonly args: unknown;
  /** Carries the type of the result; never set. */
  readonly result?: Result;
}

/** Results of a list of operations, in order. */
export type Results<O extends readonly Operation[]> = {
  -readonly [K in keyof O]: O[K] extends Operation<infer R> ? R : never;
};

/** The store as the kernel and plugins hold it. */
export interface Store {
  /**
   * Commits operations together and durably, or rejects and leaves no trace.
   * Rejects with what the failing operation threw (a PlatformError stays one), or with 503 `storage_unavailable`.
   */
  write<const O extends readonly Operation[]>(operations: O): Promise<Results<O>>;
  /**
   * Opens the reads of a store module; call once, at start. Each answers the value itself where the engine is in this
   * process, and a promise elsewhere.
   */
  reads<R>(module: StoreModule<Operations, R>): AwaitableReads<R>;
  /**
   * Opens the same reads on a thread of its own: each answers a promise. For lists and exports, so that the thread that
   * serves never waits for the disk. A read rejects with 503 `overloaded` when too many wait.
   */
  awaitedReads<R>(module: StoreModule<Operations, R>): AwaitedReads<R>;
  /** Throws 503 `overloaded` or `storage_unavailable` when a write made now could not be recorded. */
  admit(): void;
  /** `ins_<ulid>`: made at the first start, never changes. */
  readonly installation: string;
  /** Where it is, for `viewStore` in another thread. */
  readonly place: StorePlace;
  /** The process that has the store open. */
  readonly node: NodeIdentity;
  /**
   * Whether other processes may have the store open too. Then nothing in memory decides who does a piece of work: its
   * key is claimed durably before it begins.
   */
  readonly shared: boolean;
  /** The other processes that have it open. */
  readonly peers: Peers;
  /** Whether the database does not answer, or the lease of the process may be over: then it begins and sends nothing. */
  isAway(): boolean;
  /** Writes that are not answered yet. */
  outstanding(): number;
  /** Waits for work that writes, while a database is away, for some seconds only; undefined: the store is a file. */
  readonly waits: BoundedWaits | undefined;
  /** Seals and opens secrets of a purpose under the master key. */
  readonly sealer: Sealer;
}

/**
 * Seals bytes under a sub-key of the master key, one per purpose (HKDF info `agent-orb/seal/1/<purpose>`):
 * 0x01 ‖ nonce (24) ‖ secretbox.
 */
export interface Sealer {
  seal(purpose: string, plain: Uint8Array): Uint8Array;
  /** Throws when the blob was sealed under another key or changed. */
  open(purpose: string, blob: Uint8Array): Uint8Array;
  /** Makes a code of a text that only this installation can make: HMAC-SHA-256 in hex, under the key of the purpose. */
  mac(purpose: string, text: string): string;
}

/** Reads whose functions answer promises, however deep they lie; arguments and results are plain values. */
export type AwaitedReads<R> = {
  readonly [K in keyof R]: R[K] extends (...values: infer V) => infer T
    ? (...values: V) => Promise<Awaited<T>>
    : AwaitedReads<R[K]>;
};

/** A value, or a promise of it where the engine is not in this process. */
export type Awaitable<T> = T | Promise<T>;

/** Reads whose functions answer values or promises, however deep they lie: await them. */
export type AwaitableReads<R> = {
  readonly [K in keyof R]: R[K] extends (...values: infer V) => infer T
    ? (...values: V) => Awaitable<Awaited<T>>
    : AwaitableReads<R[K]>;
};

/** A prepared statement of an operation. An engine answers at once or by a promise. */
export interface WriteStatement {
  /** Makes an effect whose count is not needed: the engine may send it later, before the next awaited statement. */
  queue(...values: readonly Value[]): void;
  /**
   * Queues an effect that must change a row: when it changes none, the whole write fails with 503 `storage_unavailable`,
   * because somebody else was first.
   */
  must(...values: readonly Value[]): void;
  /** Answers how many rows changed. */
  run(...values: readonly Value[]): Awaitable<number>;
  get(...values: readonly Value[]): Awaitable<Row | undefined>;
  all(...values: readonly Value[]): Awaitable<Row[]>;
}

/** Prepares the statements of the operations. */
export interface WriteConnection {
  prepare(sql: string): WriteStatement;
}

/** A prepared statement that answers at once. */
export interface Statement extends WriteStatement {
  run(...values: readonly Value[]): number;
  get(...values: readonly Value[]): Row | undefined;
  all(...values: readonly Value[]): Row[];
}

/** A value a column holds. Booleans are stored as 0 and 1. */
export type Value = string | number | bigint | Uint8Array | null;

/** One row, by column. */
export type Row = Record<string, Value>;

/** Prepares statements that answer at once. No statement stays open across an `await`. */
export interface Connection extends WriteConnection {
  prepare(sql: string): Statement;
}

/** The scope of a store module in the writer thread. */
export interface WriterScope {
  readonly connection: WriteConnection;
  readonly sealer: Sealer;
  readonly installation: string;
  /** The process that has the store open. */
  readonly node: NodeIdentity;
  /** Whether other processes may have the store open too, as `Store.shared` says. */
  readonly shared: boolean;
  /** Absolute path of the state dir. */
  readonly stateDir: string;
  /** Version of the program, semver. */
  readonly version: string;
  /** Milliseconds since the Unix epoch: the time at which the batch left the main thread, on the kernel's clock. */
  now(): number;
  /** Makes a ULID. */
  ulid(): string;
}

/** The second argument of an operation. */
export interface WriteContext {
  /**
   * Passes an item to the module's own `beforeCommit`, once the write of the item has succeeded. The item may be the
   * operation's result: `beforeCommit` can still fill it, since the answer is sent after the commit.
   */
  defer(item: object): void;
  /**
   * Takes a key for one of many takers, with the rows that depend on it, or learns who has it: answers undefined when
   * the key is the taker's, else the row that has it, as it stands here or after the commit. The loser leaves nothing. A key that the taker has already stays
   * its own, and nothing changes, so that an operation that is run again answers the same. Engines may answer a promise.
   */
  claim(claim: Claim, taker: Taker): Awaitable<Row | undefined>;
  /**
   * Lets operations of the module that guard the same name run one after the other, to their commits, wherever they run.
   * Call it before the first read of an operation that writes what follows from several rows: the largest number and
   * one, at most so many, the last of its kind. A statement that compares and writes one row needs no guard.
   */
  guard(name: string): void;
  /** Tells the other nodes, with the commit, that something of a topic has changed; `ref` names it (`Peers.follow`). */
  tell(topic: string, ref: string): void;
  /**
   * Reads the clock of the store, which is the same for all nodes: milliseconds since the Unix epoch. An operation that
   * reads it awaits a statement.
   */
  time(): Awaitable<number>;
}

/** A key that one of many takers gets. Described once, in the `claims` of its store module. */
export interface Claim {
  readonly table: string;
  /** Columns of the row that is inserted. */
  readonly columns: readonly string[];
  /** The columns by which the row is unique. */
  readonly key: readonly string[];
  /** The column that names the taker: an id that no two takers share. */
  readonly holder: string;
  /**
   * The condition, in SQL, on which the row that has the key gives it to the next taker, e.g.
   * `notes_keys.expires_at <= ? AND notes_keys.answer IS NOT NULL`. Without it no row does.
   */
  readonly givenUp?: string;
  /** Tables of the rows that are inserted with the key, or not at all. */
  readonly dependents?: readonly { readonly table: string; readonly columns: readonly string[] }[];
}

/** One taker of a key: its values, as `rowWriter` takes them. */
export interface Taker {
  readonly row: Readonly<Record<string, unknown>>;
  /** Values of the condition `givenUp`. */
  readonly givenUp?: readonly Value[];
  /** One row for each of the claim's `dependents`, in their order. */
  readonly dependents?: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Named operations: each takes its arguments (plain values) and answers a plain value. One that only queues, defers and
 * claims shares its commit with hundreds of others on every engine. One that awaits a statement may hold them up, and
 * must be rare; it awaits nothing but statements and claims. A batch may be built twice, so an operation changes neither
 * its arguments nor anything in memory: it defers an item instead, and its result follows from its arguments and the
 * committed rows.
 */
export type Operations = Record<string, (args: never, write: WriteContext) => unknown>;

/** The writing half of a store module: made once in the writer thread, before the first batch. */
export interface Writing<W extends Operations> {
  readonly operations: W;
  /**
   * Runs once before the first batch, in a transaction of its own: makes the rows that the module must have, and reads
   * its state into memory. `committed` is called when it is durable. A throw refuses the start; it may run again.
   */
  open?(write: Pick<WriteContext, 'guard'>): Awaitable<void>;
  /**
   * Runs once per batch, inside its transaction, after its writes: `items` are those deferred by writes that succeeded,
   * in order. A throw fails the whole batch, which is rebuilt once from the committed state and then rejected.
   */
  beforeCommit?(items: readonly object[]): Awaitable<void>;
  /** Called when the batch is durable: advances the state in memory. */
  committed?(): void;
  /**
   * Called when the batch was lost, or its result was read again: reads the state in memory again from the committed
   * rows.
   */
  reload?(): Awaitable<void>;
  /**
   * Called once when the database turns out to be older than what this process has committed, after which it commits
   * nothing more: writes down in the state dir what the next start must know.
   */
  wentBack?(): void;
}

/** A plugin's store: tables `<name>_…`, their migrations, named writes and reads. */
export interface StoreModule<W extends Operations = Operations, R = unknown> {
  /** Prefix of its tables, the plugin's name with `_` for `-`. */
  readonly name: string;
  /** Purposes for which it seals values; no other module may name one of them. */
  readonly seals?: readonly string[];
  /** SQL texts, applied once each, in order; a changed one is refused. */
  readonly migrations: readonly string[];
  /**
   * Statements that end what only one place of the store may go on with, as signing a log. They run in both when the
   * store is moved to another engine.
   */
  readonly moved?: readonly string[];
  /** The sealed values without which a start is refused: a check of the store opens them too. */
  readonly opens?: readonly SealedRows[];
  /** The keys that its operations claim by `write.claim`. */
  readonly claims?: readonly Claim[];
  write(scope: WriterScope): Writing<W>;
  read(connection: Connection): R;
}

/** Makes the error of a write with a statement that had to change a row, and changed none. */
export function changedElsewhere(): PlatformError {
  return new PlatformError('storage_unavailable', 'another write came first; send the request again', {
    retry_after: 1,
  });
}

/** Defines a store module. */
export function defineStore<W extends Operations, R>(module: StoreModule<W, R>): StoreModule<W, R> {
  return Object.freeze(module);
}

/** Builds a typed operation of a store module, e.g. `operation(store, 'insertRun', row)`. */
export function operation<W extends Operations, K extends keyof W & string>(
  module: Pick<StoreModule<W>, 'name'> & { write(scope: WriterScope): Writing<W> },
  name: K,
  args: Parameters<W[K]>[0],
): Operation<Awaited<ReturnType<W[K]>>> {
  return { store: module.name, name, args };
}
