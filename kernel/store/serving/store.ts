import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../tools/clock.ts';
import { ConfigError, PlatformError } from '../../error.ts';
import type { Health, HealthCheck } from '../../health.ts';
import type { Log } from '../../tools/log.ts';
import { Condition } from './condition.ts';
import { loadEngine, type Attendance } from '../engine.ts';
import type { Operation, Operations, Results, Store, StoreModule, StoreAddress } from '../contract.ts';
import { isArriving } from '../sqlite/moved.ts';
import { storeFile } from '../sqlite/database.ts';
import { takeLock } from '../sqlite/lock.ts';
import { findMasterKey } from '../master-key.ts';
import type { EngineEvent, ReaderData, UpgradeStep, WriterData } from '../message.ts';
import { findNode, findPlace } from '../node.ts';
import { nobodyElse } from '../peers.ts';
import { Pipeline, unavailable, type StoreCounters } from './pipeline.ts';
import { createSealer } from '../sealer.ts';
import { openReads, type OpenReads } from './reads.ts';
import { given } from '../../tools/given.ts';
import { startWriter, type WriterLink } from './writer-link.ts';
import { every } from '../../tools/every.ts';

/** The options of opening a store. */
export interface StoreOptions {
  /** Absolute path; made with mode 0700. */
  readonly stateDir: string;
  /** `file`: absolute path of an external store file; without it the module is one that ships. */
  readonly modules: readonly { readonly module: StoreModule<Operations, unknown>; readonly file?: string }[];
  /** Address of the module that lists the modules without a file; absent: all have one. */
  readonly list?: string;
  readonly masterKey?: string;
  readonly node?: string;
  readonly installation?: string;
  /** Absent: the store is a file of the state dir. */
  readonly address?: StoreAddress;
  /** Whether other nodes serve on the same database; without it one waits for the other. */
  readonly beside?: boolean;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the store's health changes, but not when it closes. */
  onHealth?(health: Health, reason?: string): void;
}

/** The store with the functions that only the kernel may use. */
export interface OpenStore extends Store {
  readonly health: HealthCheck;
  readonly counters: Readonly<StoreCounters>;
  /** Resolves when another process has taken the database; never when the store is a file. */
  readonly lost: Promise<void>;
  /** Lets the changes of others come: all followers are registered. Resolves when the others see that it serves. */
  begin(): Promise<void>;
  /** Whether other nodes may have changed what this one does not know of, as a key that was revoked. */
  isCut(): boolean;
  /** The clock of the engine, milliseconds since the Unix epoch, once it is known; absent: the store is a file. */
  readonly now?: Attendance['now'];
  /** Commits the waiting writes, rejects later ones, empties the log and releases the lock. */
  close(): Promise<void>;
}

/** Opens the store of a state dir: lock, master key, writer thread, migrations, read connection. Throws ConfigError. */
export async function openStore(options: StoreOptions): Promise<OpenStore> {
  const { stateDir, log } = options;
  prepareFolder(stateDir, log);
  const lock = takeLock(stateDir);
  try {
    return await open(options, () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

function prepareFolder(stateDir: string, log: Log): void {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new ConfigError([`ORB_STATE_DIR: ${stateDir} cannot be created (${(error as NodeJS.ErrnoException).code})`]);
  }
  try {
    chmodSync(stateDir, 0o700);
  } catch (err) {
    // A mounted volume may belong to another user and still be writable for this one.
    log.warn({ stateDir, err }, 'the permissions of the state dir cannot be restricted to this user');
  }
}

async function open(options: StoreOptions, release: () => void): Promise<OpenStore> {
  const { stateDir, modules, version, clock, log, address } = options;
  const [masterKey, node] = [masterKeyOf(options), findNode(stateDir, options.node)];
  const shared = address !== undefined && options.beside === true;
  const at = clock.now();
  const engine = address && (await loadEngine(address));
  const attendance = await engine?.attend({ shared, node, version, at, log, quiet: (is) => condition.quiet(is) });
  const condition: Condition = new Condition({ ...options, attendance });
  const where = { stateDir, ...given({ address, writer: attendance?.writer }) };
  const opened = {
    ...where,
    modules: modules.map(({ module: { name }, file }) => given({ name, file })),
    ...given({ list: options.list, installation: options.installation }),
  };
  const place = address === undefined ? '' : findPlace(stateDir);
  const data = { ...opened, ...given({ shares: attendance?.shares }), node, masterKey, version, shared, place, at };
  const { link, pipeline } = await connect(data, attendance, condition, { clock, log });
  const reader = await readsOf(opened, link);
  condition.set('up');
  const finish = finishing(condition, pipeline, async () => {
    await reader.close();
    await link.close();
    attendance?.close();
    release();
  });
  let closed: Promise<void> | undefined;
  return Object.freeze({
    ...{ installation: link.installation, place: where, node },
    // The lock of the state dir keeps every other process out of a file; without `beside` the lease does.
    ...{ shared, peers: attendance?.peers ?? nobodyElse(node, version, at), begin: ending(reader, attendance) },
    ...{ isAway: () => condition.isAway(), isCut: () => condition.isCut(), waits: condition.waits },
    sealer: createSealer(masterKey, link.installation),
    counters: pipeline.counters,
    health: () => condition.now(),
    lost: address === undefined ? never : condition.down,
    outstanding: () => pipeline.outstanding(),
    ...given({ now: attendance?.now }),
    close: () => (closed ??= finish()),
    reads: reader.reads,
    awaitedReads: reader.awaitedReads,
    admit() {
      if (!condition.writable() || condition.isAway()) throw unavailable();
      if (pipeline.isFull())
        throw new PlatformError('overloaded', 'too many writes are waiting; try again', { retry_after: 1 });
    },
    write<const O extends readonly Operation[]>(operations: O): Promise<Results<O>> {
      if (!condition.writable() || condition.isMute()) return Promise.reject(unavailable());
      // The writer answers one result per operation, in order.
      return pipeline.write(operations) as Promise<Results<O>>;
    },
  });
}

function finishing(condition: Condition, pipeline: Pipeline, close: () => Promise<void>): () => Promise<void> {
  const stopProbing = probing(condition, pipeline);
  return async () => {
    condition.closing = true;
    stopProbing();
    condition.waits?.back();
    // While the database is away it is unknown when it would be empty.
    if (condition.away) pipeline.fail();
    await pipeline.empty();
    await close();
  };
}

/** What ends the start: reads are impatient from then on, and the others see that the process serves. */
function ending(reader: Pick<OpenReads, 'begin'>, attendance: Attendance | undefined): () => Promise<void> {
  return async () => {
    reader.begin();
    await attendance?.begin();
  };
}

// A store that is a file stays in its place.
const never = new Promise<void>(() => undefined);

function masterKeyOf({ stateDir, masterKey: value, address }: StoreOptions): Uint8Array {
  // A key that each state dir made for itself would open the store for one node only.
  if (address !== undefined && value === undefined)
    throw new ConfigError([
      'ORB_MASTER_KEY: must be set, the same on all nodes, when the store is a PostgreSQL database',
    ]);
  const storeExists = (statSync(join(stateDir, storeFile), { throwIfNoEntry: false })?.size ?? 0) > 0;
  return findMasterKey({ stateDir, value, storeExists: storeExists || isArriving(stateDir) });
}

async function readsOf(place: ReaderData, link: WriterLink): Promise<OpenReads> {
  try {
    return openReads(place);
  } catch (error) {
    await link.close();
    throw error;
  }
}

async function connect(
  data: WriterData,
  attendance: Attendance | undefined,
  condition: Condition,
  { clock, log }: Pick<StoreOptions, 'clock' | 'log'>,
): Promise<{ link: WriterLink; pipeline: Pipeline }> {
  const progress = tellingUpgrade(log);
  const link = await startWriter({
    ...{ data, transfer: attendance?.transfer ?? [] },
    onAnswer(answer) {
      for (const fault of answer.faults ?? []) log.error({ fault }, 'the store could not commit a batch of writes');
      if (answer.rejected === true) condition.set('degraded', 'the last batch could not be committed');
      else condition.set('up');
      pipeline.answer(answer);
    },
    onEvent(event) {
      if (event.kind === 'upgrading') progress.begins(event);
      else hear(event, condition, log);
      if (event.kind === 'away' && condition.closing) pipeline.fail();
    },
    onEnd({ reason, failure }) {
      if (failure !== undefined) log.error({ reason, failure }, 'the writer thread of the store ended');
      condition.set('down', reason);
      pipeline.fail();
    },
  }).finally(progress.stop);
  const { operations } = link;
  const pipeline = new Pipeline({
    ...{ operations, clock, log, gathering: attendance?.gathering },
    post: (batch) => link.post(batch),
  });
  condition.settled = () => pipeline.empty();
  return { link, pipeline };
}

type Passing = Exclude<EngineEvent, { readonly kind: 'upgrading' }>;

function hear(event: Passing, condition: Condition, log: Log): void {
  if (event.kind === 'away') {
    log.error({ why: event.failure }, 'the database does not answer');
    condition.set('degraded', 'the database does not answer', true);
  } else if (event.kind === 'back') condition.set('up');
  else if (event.kind === 'waiting')
    log.info({ node: event.node }, `node ${event.node} uses the store; this node waits until its lease ends`);
  else {
    const { aheadMs, skew } = event;
    const reason = saidOf(aheadMs);
    if (skew === 'none') log.info({ aheadMs }, 'the clock of this machine agrees with the clock of the database again');
    else log[skew === 'mute' ? 'error' : 'warn']({ aheadMs }, reason);
    condition.skewed(skew, reason);
  }
}

function saidOf(aheadMs: number): string {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  return `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of the database; correct it`;
}

const progressMs = 5000;

// An upgrade of a large store takes a minute, in which nothing else is to be seen of the server.
function tellingUpgrade(log: Log): { readonly begins: (step: UpgradeStep) => void; readonly stop: () => void } {
  let stop = (): void => undefined;
  return {
    begins({ store, migration, left }) {
      const tell = (msg: string): void => log.info({ store, migration, left }, msg);
      stop();
      tell('the store is upgraded');
      stop = every(
        progressMs,
        () => tell('the store is still being upgraded'),
        () => undefined,
      );
    },
    stop: () => stop(),
  };
}

const probeMs = 2000;

// After a batch that could not be committed, an empty batch finds out, without any traffic, that the disk works again.
function probing(condition: Condition, pipeline: Pipeline): () => void {
  const probe = (): unknown => (condition.failing && !condition.away ? pipeline.write([]) : undefined);
  // A failure leaves the condition as it was, so nothing needs to be done.
  return every(probeMs, probe, () => undefined);
}
