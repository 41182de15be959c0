import type { MessagePort } from 'node:worker_threads';
import type { Log } from '../tools/log.ts';
import type { NamedWriting, OwnerLost } from './committer.ts';
import type {
  Awaitable,
  Connection,
  Operations,
  Sealer,
  StoreModule,
  WriteConnection,
  BoundedWaits,
  StoreAddress,
  StorePlace,
} from './contract.ts';
import type { Answer, Batch, EngineEvent, OperationTable, WriterData } from './message.ts';
import type { Peers } from './peers.ts';

/** The settings that say where a store is, and how they may be read. */
export interface StoreUrls {
  /** ORB_STORE_URL, else what platform.json says. */
  readonly url: string;
  /** Likewise for the role that makes and changes the tables. */
  readonly migrationUrl?: string | undefined;
  /** Allows a store on another machine without verified TLS. */
  readonly insecure: boolean;
}

/** An engine other than SQLite, as a plugin declares it: data, so that a store in a file loads nothing of the engine. */
export interface EngineDeclaration {
  /** Schemes of the addresses that it serves, such as `postgres:`. */
  readonly schemes: readonly string[];
  /** How an address of it looks. */
  readonly form: string;
  /** Address of its module, which exports the StoreEngine `engine`; threads import it. */
  readonly module: string;
  /** Reads an address; undefined: it has faults, which were added. None of them holds the password. */
  readAddress(urls: StoreUrls, faults: string[]): Omit<StoreAddress, 'module' | 'list'> | undefined;
}

/** An engine. Its parts run in different threads, so it loads each when it is called. */
export interface StoreEngine {
  /** In the thread that serves: makes what this thread shares with the writer thread. */
  attend(options: AttendOptions): Promise<Attendance>;
  /** In the writer thread: opens the store. Throws ConfigError, or `storage_unavailable` without an answer. */
  open(options: EngineOptions): Promise<OpenEngine>;
  /** In a thread that waits for each answer: opens the store for reading. The first statement connects. */
  view(address: StoreAddress, options: ViewOptions): Promise<EngineView>;
  /** In a thread that it started by `startThread`. */
  serve(data: unknown): Promise<void>;
}

/** What attending a store needs. */
export interface AttendOptions extends Pick<WriterData, 'at' | 'node' | 'shared' | 'version'> {
  readonly log: Pick<Log, 'error' | 'info' | 'warn'>;
  /** Lets the process write nothing, or again; resolves when what it has written is answered. */
  quiet(is: boolean): Promise<void>;
}

/** How writes wait for each other before they go to an engine for which a batch of few costs as much as one of all. */
export interface Gathering {
  /** Notes how many writes were outstanding when a batch was answered. */
  note(outstanding: number): void;
  /** Whether writes are to wait: for the answer of a batch under way, or a moment for others. */
  holds(waiting: number, flying: number): boolean;
  /** Ends the wait: sends the waiting writes. */
  sent(): void;
}

/** The part of the thread that serves in a store on an engine. */
export interface Attendance {
  /** For the writer thread, which gives it to `open`. */
  readonly shares: unknown;
  readonly transfer: readonly MessagePort[];
  /** For threads that read. */
  readonly writer: NonNullable<StorePlace['writer']>;
  readonly peers: Peers;
  /** Bounds waits while the engine is away; `away` and `back` say when that is. */
  readonly waits: BoundedWaits & { away(): void; back(): void };
  /** Makes how writes wait for each other; `send` sends those that wait. */
  gathering(send: () => void): Gathering;
  /** Lets changes of others come: all listeners are there. Resolves when the other nodes see that this one serves. */
  begin(): Promise<void>;
  /** Whether the right of the process to write may be over. */
  isOver(): boolean;
  /** Whether the clock of the machine is wrong now. */
  isMute(): boolean;
  /** The clock of the engine, milliseconds since the Unix epoch; undefined until it is known, or when it has none. */
  readonly now: () => number | undefined;
  close(): void;
}

/** What opening a store for its writer needs. */
export interface EngineOptions extends Pick<
  WriterData,
  'masterKey' | 'node' | 'place' | 'shares' | 'stateDir' | 'version'
> {
  readonly address: StoreAddress;
  readonly modules: readonly StoreModule<Operations>[];
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  newInstallation(): string;
  /** Tells the thread that serves. */
  say(event: EngineEvent): void;
  /** Another process has taken the store. */
  onLost(reason: OwnerLost): void;
  /** Called with the time of the engine when the clock of the machine was wrong, before anything is written. */
  onTime(now: number): void;
}

/** A store that is open for its writer. */
export interface OpenEngine {
  readonly installation: string;
  readonly sealer: Sealer;
  readonly connection: WriteConnection;
  serve(modules: readonly NamedWriting[]): Awaitable<Serving>;
  close(): Awaitable<void>;
}

/** What commits the batches of an open store. */
export interface Serving {
  readonly operations: OperationTable;
  commit(batch: Batch): Awaitable<Answer>;
  /** Called after each answer is sent. */
  tidy?(): void;
  /** Called when the store is told to close, while a batch may still wait. */
  end?(): void;
  /** Called when the database turns out to be older than what was committed. */
  wentBack?(): void;
  /** Called after the last batch. */
  finish?(): void;
}

/** How a store is opened for reading. */
export interface ViewOptions {
  /** Of a process that serves: a server that lacks what the writer has committed answers nothing. */
  readonly serving?: boolean;
  readonly writer?: StorePlace['writer'];
}

/** A store on an engine, open for reading. A statement that could not be answered throws. */
export interface EngineView extends Connection {
  /** Fixes the snapshot: later commits are not seen. */
  hold(): void;
  /** Says whether the store has a table; a store of an earlier version may lack it. */
  hasTable(name: string): boolean;
  close(): void;
}

/** Loads the engine of an address, in any thread. */
export async function loadEngine({ module, list }: Pick<StoreAddress, 'module' | 'list'>): Promise<StoreEngine> {
  if (list !== undefined) await ((await import(list)) as { provideKit(): Promise<void> }).provideKit();
  return ((await import(module)) as { readonly engine: StoreEngine }).engine;
}
