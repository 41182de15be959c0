/** The store as others see it. A write is a list of operations, atomic together; reads see committed data. */

import { PlatformError } from '../error.ts';
import type { NodeIdentity, Peers } from './peers.ts';

export type { NodeIdentity } from './peers.ts';

/** Names one operation of one store with its arguments: plain values that can cross to the writer thread. */
export interface Operation<Result = unknown> {
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
  /** Commits operations durably together, or leaves no trace and rejects with what failed or `storage_unavailable`. */
  write<const O extends readonly Operation[]>(operations: O): Promise<Results<O>>;
  /** Opens the reads of a store module; call once, at start. They answer promises where the engine is elsewhere. */
  reads<R>(module: StoreModule<Operations, R>): AwaitableReads<R>;
  /** Opens the same reads on a thread of its own, for lists and exports. They reject with `overloaded` at a limit. */
  awaitedReads<R>(module: StoreModule<Operations, R>): AwaitedReads<R>;
  /** Throws 503 `overloaded` or `storage_unavailable` when a write made now could not be recorded. */
  admit(): void;
  /** `ins_<ulid>`: made at the first start, never changes. */
  readonly installation: string;
  /** Where it is, for `viewStore` in another thread. */
  readonly place: StorePlace;
  readonly node: NodeIdentity;
  /** Whether other processes may have the store open too: then work must be claimed durably before it begins. */
  readonly shared: boolean;
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

/** Seals bytes under a sub-key of the master key, one per purpose: 0x01 ‖ nonce (24) ‖ secretbox. */
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
  /** Queues an effect that must change a row; if it changes none, the write fails with `storage_unavailable`. */
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
  readonly node: NodeIdentity;
  /** Whether other processes may have the store open too, as `Store.shared` says. */
  readonly shared: boolean;
  /** Absolute path of the state dir. */
  readonly stateDir: string;
  /** Version of the program, semver. */
  readonly version: string;
  /** Milliseconds since the Unix epoch: the time at which the batch left the main thread, on the kernel's clock. */
  now(): number;
  ulid(): string;
}

/** The second argument of an operation. */
export interface WriteContext {
  /** Passes an item, such as a result to fill, to the module's `beforeCommit` once its write has succeeded. */
  defer(item: object): void;
  /**
   * Takes a key for a taker with the rows that depend on it: answers undefined when it is the taker's, now or already,
   * else the row that has it, and nothing changes. An operation that is run again answers the same.
   */
  claim(claim: Claim, taker: Taker): Awaitable<Row | undefined>;
  /**
   * Lets operations that guard the same name run one after the other, to their commits, on all nodes. Call it before
   * the first read of an operation that writes what follows from several rows, such as the largest number and one.
   */
  guard(name: string): void;
  /** Tells the other nodes, with the commit, that something of a topic has changed; `ref` names it (`Peers.follow`). */
  tell(topic: string, ref: string): void;
  /** Reads the clock of the store, the same for all nodes, in ms since the Unix epoch, as an awaited statement. */
  time(): Awaitable<number>;
}

/** A key that one of many takers gets. Described once, in the `claims` of its store module. */
export interface Claim {
  readonly table: string;
  readonly columns: readonly string[];
  /** The columns by which the row is unique. */
  readonly key: readonly string[];
  /** The column that names the taker: an id that no two takers share. */
  readonly holder: string;
  /** The SQL condition on which a row gives its key to the next taker (`keys.expires_at <= ?`); absent: never. */
  readonly givenUp?: string;
  /** Tables of the rows that are inserted with the key, or not at all. */
  readonly dependents?: readonly { readonly table: string; readonly columns: readonly string[] }[];
}

/** One taker of a key: its values, as `rowWriter` takes them. */
export interface Taker {
  readonly row: Readonly<Record<string, unknown>>;
  readonly givenUp?: readonly Value[];
  /** One row for each of the claim's `dependents`, in their order. */
  readonly dependents?: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Named operations on plain values. One that only queues, defers and claims shares its commit with hundreds of others.
 * One that awaits a statement may hold them up, and must be rare; it awaits nothing else. A batch may be built twice,
 * so an operation changes neither its arguments nor anything in memory: it defers an item instead.
 */
export type Operations = Record<string, (args: never, write: WriteContext) => unknown>;

/** The writing half of a store module: made once in the writer thread, before the first batch. */
export interface Writing<W extends Operations> {
  readonly operations: W;
  /**
   * Runs before the first batch, in a transaction of its own, perhaps twice: makes rows that must exist, and reads the
   * state into memory. `committed` is called when it is durable. A throw refuses the start.
   */
  open?(write: Pick<WriteContext, 'guard'>): Awaitable<void>;
  /**
   * Runs inside the transaction of each batch, after its writes, with the items that successful writes deferred. A
   * throw fails the whole batch, which is rebuilt once from the committed state and then rejected.
   */
  beforeCommit?(items: readonly object[]): Awaitable<void>;
  /** Called when the batch is durable: advances the state in memory. */
  committed?(): void;
  /** Called when the batch was lost, or read again: reads the state in memory from the committed rows. */
  reload?(): Awaitable<void>;
  /** Called when the database lost commits of this process: notes in the state dir what the next start must know. */
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
  /** Statements, run in both places of a move, that end what only one may go on with, such as signing a log. */
  readonly moved?: readonly string[];
  /** The sealed values without which a start is refused: a check of the store opens them too. */
  readonly opens?: readonly SealedRows[];
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

/** Sealed values of one table that a start opens. */
export interface SealedRows {
  readonly table: string;
  readonly purpose: string;
  /** What one of them is, for the operator: `signing key`. */
  readonly what: string;
  /** A query that lists them: `sealed`, `name` where there are several, and what `read` needs. */
  readonly rows: string;
  /** Throws when the start could not use the opened value of a row. */
  read?(plain: Uint8Array, row: Readonly<Record<string, unknown>>): void;
}

/** Callers stop waiting for work, because the database does not answer. The work continues and may complete later. */
export class GaveUp extends PlatformError {
  readonly late: Promise<unknown>;

  constructor(late: Promise<unknown>) {
    super('storage_unavailable', 'the database does not answer now; try again', { retry_after: 1 });
    this.late = late;
  }
}

/** Bounds how long callers wait for work that writes, while a database is away that work itself waits for. */
export interface BoundedWaits {
  /** Waits for work. Rejects with GaveUp when it has waited for seconds and the database is away. */
  wait<T>(work: Promise<T>): Promise<T>;
}

/** The address of a store that is no file: plain values, with those that its engine needs, such as a password. */
export interface StoreAddress {
  /** Address of the module of the engine. */
  readonly module: string;
  /** Address of a module whose `provideKit` lets an engine from outside the tree import what authors may. */
  readonly list?: string;
  /** The address without the password, for logs and errors. */
  readonly shown: string;
}

/** Where a store is: plain values that can be handed to another thread. */
export interface StorePlace {
  /** Absolute path. */
  readonly stateDir: string;
  /** Absent: the store is a file of the state dir. */
  readonly address?: StoreAddress;
  /** Of a store that is open: its node, and the memory in which its writer notes how far it has come. */
  readonly writer?: { readonly node: string; readonly buffer: SharedArrayBuffer };
}

// Most rows of one write, so that the writer can commit runs in between.
const most = 5000;

/** Writes an operation that erases at most so many rows, again until it finds fewer; answers how many rows were erased. */
export async function eraseAll(
  store: Pick<Store, 'write'>,
  operationOf: (most: number) => Operation<number | bigint>,
): Promise<number> {
  for (let total = 0; ;) {
    const [erased] = await store.write([operationOf(most)]);
    total += Number(erased);
    if (Number(erased) < most) return total;
  }
}
