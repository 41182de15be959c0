import { ConfigError, PlatformError, renewError, type ProblemExtensions } from '../error.ts';
import type { NodeIdentity, StorePlace } from './contract.ts';

/** The data with which the writer thread opens the store. */
export interface WriterData extends StorePlace {
  readonly masterKey: Uint8Array;
  readonly version: string;
  readonly node: NodeIdentity;
  readonly installation?: string;
  /** Whether other processes may have the store open too. */
  readonly shared: boolean;
  /** An id that the state dir keeps: of two processes with the same one, the earlier has ended. Empty without `address`. */
  readonly place: string;
  /** What the engine shares with the thread that serves; absent: the store is a file. */
  readonly shares?: unknown;
  /** Time of the boot in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly modules: readonly NamedModule[];
  /** Address of the module that lists the modules without a file. */
  readonly list?: string;
}

/** A store module by name; with `file`, loaded from that absolute path. */
export interface NamedModule {
  readonly name: string;
  readonly file?: string;
}

/** The data with which a reader thread opens the store. */
export type ReaderData = StorePlace & Pick<WriterData, 'modules' | 'list'>;

/** One read: the store module, the names that lead to the function in its reads, and the arguments. */
export interface ReadJob {
  readonly store: string;
  readonly path: readonly string[];
  readonly values: readonly unknown[];
}

/** Many writes as one flat message: write `i` is the next `sizes[i]` operations, numbers of the table in `ready`. */
export interface Batch {
  readonly kind: 'batch';
  /** Time of the batch in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly sizes: readonly number[];
  readonly codes: readonly number[];
  readonly args: readonly unknown[];
}

/** Messages from the main thread to the writer; `open` comes first. */
export type ToWriter = { readonly kind: 'open'; readonly data: WriterData } | Batch | { readonly kind: 'close' };

/** The result of a batch: results flat, in the order of its operations; failures as (index of the write, why). */
export interface Answer {
  readonly kind: 'answer';
  readonly results: readonly unknown[];
  readonly failures: readonly (readonly [number, Failure])[];
  /** The whole batch was rejected. */
  readonly rejected?: true;
  /** Failures of the batch as a whole, for the log; it may have been committed all the same. */
  readonly faults?: readonly Failure[];
}

/** How far the clock of this machine is from the clock of the engine. */
export type Skew = 'none' | 'noticed' | 'mute';

/** One step of an upgrade that begins: the migration of a store, and how many are left with it. */
export interface UpgradeStep {
  readonly store: string;
  /** Its number, from 1. */
  readonly migration: number;
  /** How many are left with it, of all stores. */
  readonly left: number;
}

/** What an engine reports while it opens its store or serves. */
export type EngineEvent =
  /** While it opens: a migration of a store that has data begins. */
  | ({ readonly kind: 'upgrading' } & UpgradeStep)
  /** The database has not answered for some seconds, or the right to write may be over; the next answer ends that, too. */
  | { readonly kind: 'away'; readonly failure: Failure }
  | { readonly kind: 'back' }
  /** The clock of this machine is so far ahead of that of the database, or behind it when negative. */
  | { readonly kind: 'skewed'; readonly skew: Skew; readonly aheadMs: number }
  /** While it opens: another process has the store, and this one waits. */
  | { readonly kind: 'waiting'; readonly node: string };

/** Messages from the writer to the main thread. */
export type FromWriter =
  | EngineEvent
  | { readonly kind: 'ready'; readonly installation: string; readonly operations: OperationTable }
  | Answer
  /** The last message, after the files are released: the store was not opened, or the writer gave up. */
  | { readonly kind: 'refused' | 'lost'; readonly reason: string; readonly failure: Failure }
  | { readonly kind: 'closed'; readonly reason: string };

/** Names of the operations per store; the number of an operation is its index through all of them. */
export type OperationTable = readonly (readonly [store: string, names: readonly string[]])[];

/** An error as plain values. */
export type Failure =
  | { readonly kind: 'problem'; readonly code: string; readonly detail: string; readonly extensions: ProblemExtensions }
  | { readonly kind: 'config'; readonly faults: readonly string[] }
  | { readonly kind: 'defect'; readonly text: string };

/** Turns an error into plain values that can be sent to another thread. */
export function pack(error: unknown): Failure {
  if (error instanceof PlatformError)
    return { kind: 'problem', code: error.code, detail: error.message, extensions: error.extensions };
  if (error instanceof ConfigError) return { kind: 'config', faults: error.faults };
  return { kind: 'defect', text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** Recreates the error; a defect becomes `internal` without its cause. */
export function unpack(failure: Failure): PlatformError | ConfigError {
  if (failure.kind === 'config') return new ConfigError(failure.faults);
  if (failure.kind === 'defect') return new PlatformError('internal');
  return renewError(failure.code, failure.detail, failure.extensions);
}

/** Rewrites an answer that cannot be cloned: results that cannot be cloned become failures of their writes. */
export function withoutForeign(answer: Answer, sizes: readonly number[]): Answer {
  const failures = new Map(answer.failures);
  const results: unknown[] = [];
  sizes.forEach((size, write) => {
    for (const result of answer.results.slice(results.length, results.length + size)) {
      const fault = cloneFault(result);
      results.push(fault === undefined ? result : undefined);
      if (fault !== undefined) failures.set(write, fault);
    }
  });
  return { ...answer, results, failures: [...failures].sort(([a], [b]) => a - b) };
}

/** Returns why a value cannot be sent to the other thread. */
export function cloneFault(value: unknown): Failure | undefined {
  try {
    structuredClone(value);
    return undefined;
  } catch (error) {
    return pack(error);
  }
}
