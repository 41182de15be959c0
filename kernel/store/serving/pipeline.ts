import type { Clock } from '../../tools/clock.ts';
import { PlatformError } from '../../error.ts';
import type { Log } from '../../tools/log.ts';
import type { Operation } from '../contract.ts';
import type { Attendance, Gathering } from '../engine.ts';
import { cloneFault, unpack, type Answer, type Batch, type OperationTable } from '../message.ts';

/** Counts of commits since the start, for metrics: batches that the writer answered, and the writes in them. */
export interface StoreCounters {
  batches: number;
  writes: number;
  /** Writes in the last batch. */
  lastBatch: number;
  /** Batches rejected as a whole. */
  rejectedBatches: number;
}

interface PipelineOptions {
  readonly operations: OperationTable;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes how writes wait for each other; without it they do not. */
  readonly gathering?: Attendance['gathering'] | undefined;
  /** Sends a batch to the writer. */
  post(batch: Batch): void;
}

interface Waiting extends Pick<PromiseWithResolvers<unknown[]>, 'resolve' | 'reject'> {
  /** Released once they are sent: under load they are most of what the garbage collector would have to copy. */
  operations: readonly Operation[];
  readonly size: number;
}

const maxBatch = 256;
// Enough writes for a commit of their own while more arrive in the same turn of the event loop.
const fullEnough = 64;
const maxFlying = 2;
// A third batch is sent when it is full: the writer works while the main thread serves callers.
const maxFlyingFull = 3;
const maxOutstanding = 4096;

// Half of the waiting writes: the callers of one half are served while the other half is committed.
function share(waiting: number): number {
  return Math.min(maxBatch, Math.max(fullEnough, Math.ceil(waiting / 2)));
}

/** Makes the answer of a write that cannot be recorded now. */
export function unavailable(reason = 'the store cannot record the result now; try again'): PlatformError {
  return new PlatformError('storage_unavailable', reason, { retry_after: 1 });
}

/** Gathers writes into batches by the load. Two are under way, or three full ones, so that the writer is not idle. */
export class Pipeline {
  readonly counters: StoreCounters = { batches: 0, writes: 0, lastBatch: 0, rejectedBatches: 0 };
  readonly #options: PipelineOptions;
  readonly #codes: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly #gathering: Gathering | undefined;
  #queue: Waiting[] = [];
  readonly #flying: Waiting[][] = [];
  #scheduled = false;
  #onEmpty: (() => void)[] = [];
  readonly #flush = (): void => {
    this.#scheduled = false;
    this.#send();
  };

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#gathering = options.gathering?.(() => this.#send());
    let code = 0;
    this.#codes = new Map(options.operations.map(([store, names]) => [store, new Map(names.map((n) => [n, code++]))]));
  }

  outstanding(): number {
    return this.#flying.reduce((sum, writes) => sum + writes.length, this.#queue.length);
  }

  isFull(): boolean {
    return this.outstanding() > maxOutstanding;
  }

  write(operations: readonly Operation[]): Promise<unknown[]> {
    for (const { store, name } of operations)
      if (this.#code(store, name) === undefined) return Promise.reject(this.#defect(`no operation ${store}.${name}`));
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    this.#queue.push({ operations, size: operations.length, resolve, reject });
    if (this.#queue.length >= fullEnough) this.#send();
    else if (this.#gathering?.holds(this.#queue.length, this.#flying.length) === true) return promise;
    else if (this.#flying.length < maxFlying && !this.#scheduled) {
      this.#scheduled = true;
      // At the end of this turn of the event loop, so that writes that arrived in it are sent together.
      setImmediate(this.#flush);
    }
    return promise;
  }

  /** Takes the writer's answer to the batch under way. */
  answer(answer: Answer): void {
    const writes = this.#flying.shift() ?? [];
    this.#count(writes.length, answer.rejected === true);
    this.#gathering?.note(writes.length + this.outstanding());
    // First, so that the writer is not idle while the answers are delivered.
    if (this.#gathering?.holds(this.#queue.length, this.#flying.length) !== true) this.#send();
    if (answer.rejected === true) for (const { reject } of writes) reject(unavailable());
    else this.#handOut(writes, answer);
    this.#tellWhenEmpty();
  }

  /** Rejects all waiting writes, because they will get no answer. */
  fail(): void {
    const writes = [...this.#flying.splice(0).flat(), ...this.#queue];
    this.#queue = [];
    for (const { reject } of writes) reject(unavailable());
    this.#tellWhenEmpty();
  }

  /** Resolves once nothing is outstanding. */
  async empty(): Promise<void> {
    if (this.outstanding() === 0) return;
    await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  #code(store: string, name: string): number | undefined {
    return this.#codes.get(store)?.get(name);
  }

  #send(): void {
    if (this.#queue.length === 0 || this.#flying.length >= this.#mayFly()) return;
    this.#gathering?.sent();
    const writes = this.#queue.splice(0, share(this.#queue.length));
    this.#flying.push(writes);
    const sizes: number[] = [];
    const codes: number[] = [];
    const args: unknown[] = [];
    for (const { operations } of writes) {
      sizes.push(operations.length);
      for (const operation of operations) {
        codes.push(this.#code(operation.store, operation.name) ?? -1);
        args.push(operation.args);
      }
    }
    try {
      this.#options.post({ kind: 'batch', at: this.#options.clock.now(), sizes, codes, args });
    } catch (error) {
      this.#sift(writes, error);
      return;
    }
    for (const write of writes) write.operations = [];
  }

  #mayFly(): number {
    return this.#queue.length >= fullEnough ? maxFlyingFull : maxFlying;
  }

  /** Rejects only the write whose value cannot be cloned; the others are sent. */
  #sift(writes: readonly Waiting[], error: unknown): void {
    this.#flying.pop();
    const good = writes.filter(({ operations }) => operations.every(({ args }) => cloneFault(args) === undefined));
    const bad = writes.filter((write) => !good.includes(write));
    const rejected = bad.length === 0 ? writes : bad;
    for (const { reject } of rejected) reject(this.#defect('arguments that cannot cross to the writer', error));
    if (bad.length > 0) this.#queue.unshift(...good);
    this.#send();
    this.#tellWhenEmpty();
  }

  #handOut(writes: readonly Waiting[], { results, failures }: Answer): void {
    let offset = 0;
    let failed = 0;
    for (let write = 0; write < writes.length; write++) {
      const { size, resolve, reject } = writes[write] as Waiting;
      const failure = failures[failed];
      if (failure?.[0] === write) {
        failed++;
        const [, packed] = failure;
        reject(packed.kind === 'defect' ? this.#defect(packed.text) : unpack(packed));
      } else resolve(results.slice(offset, offset + size));
      offset += size;
    }
  }

  #count(writes: number, rejected: boolean): void {
    this.counters.batches++;
    this.counters.writes += writes;
    this.counters.lastBatch = writes;
    if (rejected) this.counters.rejectedBatches++;
  }

  #defect(text: string, cause?: unknown): PlatformError {
    this.#options.log.error({ text, ...(cause === undefined ? {} : { err: cause }) }, 'a write to the store failed');
    return new PlatformError('internal');
  }

  #tellWhenEmpty(): void {
    if (this.outstanding() > 0 || this.#onEmpty.length === 0) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}
