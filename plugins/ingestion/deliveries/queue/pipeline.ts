import { after, every, operation, timestamp } from '../../../../kernel/index.ts';
import { deliveryPart } from '../store.ts';
import { SourceQueue, type PipelineOptions } from './source-queue.ts';

/** Number of queues that work at the same time. */
const width = 4;

/** Waiting time of a queue after a failure outside the queue, ms. */
const waitMs = 500;

const tidyMs = 15 * 60_000;

/** Schedules the sources with waiting deliveries: in order within one source, round robin between sources. */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #ring: string[] = [];
  /** Sources that work or wait in the ring; `again`: more deliveries arrived meanwhile. */
  readonly #busy = new Map<string, { again: boolean }>();
  readonly #waits = new Set<() => void>();
  #queues = new Map<string, SourceQueue>();
  #untidy = (): void => undefined;
  #running = 0;
  #stopped = true;
  #idle: (() => void)[] = [];

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /** Clears the leases of the previous process and starts with the waiting deliveries. */
  async start(): Promise<void> {
    await this.#options.store.write([operation(deliveryPart, 'freeLeases', null)]);
    this.#stopped = false;
    const failed = (err: unknown): void =>
      this.#options.log.warn({ err }, 'the server could not delete old deliveries');
    this.#untidy = every(tidyMs, () => this.#tidy(), failed);
    for (const { source_id } of await this.#options.reads.depths()) this.wake(source_id);
  }

  /** Schedules a source with waiting deliveries. */
  wake(sourceId: string): void {
    if (this.#stopped || this.#isPaused(sourceId)) return;
    const busy = this.#busy.get(sourceId);
    if (busy !== undefined) {
      busy.again = true;
      return;
    }
    this.#busy.set(sourceId, { again: false });
    this.#ring.push(sourceId);
    this.#pump();
  }

  /** Applies a changed source: its waiting deliveries are processed with the new settings. */
  changed(sourceId: string): void {
    this.#queues.delete(sourceId);
    this.wake(sourceId);
  }

  /** Resolves when no source works or waits. */
  async idle(): Promise<void> {
    if (this.#busy.size === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Waits for the running turns; waiting deliveries stay in the store. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#untidy();
    for (const sourceId of this.#ring.splice(0)) this.#busy.delete(sourceId);
    for (const stop of this.#waits) stop();
    this.#waits.clear();
    while (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  // Deletes bodies and deliveries that are due, in small batches.
  async #tidy(): Promise<void> {
    const { store, clock } = this.#options;
    for (let dropped = 200; dropped === 200;)
      [dropped] = await store.write([operation(deliveryPart, 'purge', { now: timestamp(clock.now()) })]);
  }

  // A deleted source cannot be resumed, so it is not treated as paused; its deliveries would wait for ever.
  #isPaused(sourceId: string): boolean {
    const source = this.#options.registry.byId(sourceId);
    return source?.record.paused === true && !source.deleted;
  }

  #pump(): void {
    while (this.#running < width) {
      const sourceId = this.#ring.shift();
      if (sourceId === undefined) return;
      this.#running += 1;
      void this.#turn(sourceId);
    }
  }

  async #turn(sourceId: string): Promise<void> {
    const turn = (await this.#queue(sourceId)?.turn()) ?? 'empty';
    this.#running -= 1;
    if (turn === 'more' && !this.#stopped && !this.#isPaused(sourceId)) this.#ring.push(sourceId);
    else if (turn === 'later' && !this.#stopped) this.#later(sourceId);
    else this.#rest(sourceId);
    this.#pump();
    if (this.#busy.size === 0 || this.#stopped) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #queue(sourceId: string): SourceQueue | undefined {
    const source = this.#options.registry.byId(sourceId);
    if (source === undefined) return undefined;
    const queue = this.#queues.get(sourceId) ?? new SourceQueue(this.#options, source);
    this.#queues.set(sourceId, queue);
    return queue;
  }

  #later(sourceId: string): void {
    const again = (): void => {
      this.#waits.delete(stop);
      this.#ring.push(sourceId);
      this.#pump();
    };
    const failed = (err: unknown): void =>
      this.#options.log.error({ err, source_id: sourceId }, 'the queue of a source could not continue');
    const stop = after(waitMs, again, failed);
    this.#waits.add(stop);
  }

  #rest(sourceId: string): void {
    const again = this.#busy.get(sourceId)?.again === true;
    this.#busy.delete(sourceId);
    if (again) this.wake(sourceId);
  }
}
