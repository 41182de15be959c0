import { operation, PlatformError, timestamp, type Operation, type PluginScope } from '../../../../kernel/index.ts';
import type { Delivery } from '../delivery.ts';
import type { LiveSource, Registry } from '../../sources/registry.ts';
import type { Signal } from '../../signals/signal.ts';
import { reachesIncidents } from '../../signals/words.ts';
import type { SignalBatch, SignalSink } from './sink.ts';
import { deliveryPart } from '../store.ts';
import { storedOf } from './normalize.ts';
import { mostSignals, nextStep, planWork, type Step, type Work } from './work-plan.ts';
import type { IngestMetrics } from '../metrics.ts';
import type { DeliveryReads } from '../reading.ts';
import type { NormalizerThread } from './normalizer-thread.ts';
import type { Runtime } from '../../../runtime/contract.ts';

/** Dependencies of the pipeline; `finished`: called when a delivery of a source has left the queue. */
export interface PipelineOptions extends Pick<PluginScope<unknown, never>, 'store' | 'clock' | 'ids' | 'log'> {
  readonly reads: DeliveryReads;
  readonly registry: Registry;
  readonly sink: SignalSink;
  readonly normalizer: NormalizerThread;
  readonly metrics: IngestMetrics;
  readonly finished: (sourceId: string) => void;
  /** Called after the commit with the delivery reports of a turn; never rejects. */
  readonly reported: (source: LiveSource, reports: readonly Signal[]) => Promise<void>;
  readonly runtime: Pick<Runtime, 'counting'>;
}

/** Result of one turn of a queue. */
type Turn = 'more' | 'empty' | 'later';

const mostDeliveries = 64;
const mostTogetherBytes = 1024 * 1024;
const mostTries = 3;
const leaseMs = 60_000;

/**
 * The deliveries of one source, in the order of acceptance. A turn records at most 500 signals, so a long queue does
 * not block the others. A failed delivery is retried alone; after three tries it becomes a dead letter.
 */
export class SourceQueue {
  readonly #options: PipelineOptions;
  readonly #source: LiveSource;
  #works: readonly Work[] = [];
  /**
   * Deliveries whose try is counted and that are not settled because the store failed; their next try is not counted
   * again.
   */
  readonly #leased = new Set<string>();

  constructor(options: PipelineOptions, source: LiveSource) {
    this.#options = options;
    this.#source = source;
  }

  /** Runs one turn. Never rejects. */
  async turn(): Promise<Turn> {
    const { log } = this.#options;
    const { source_id } = this.#source.record;
    try {
      if (this.#works.length === 0) {
        const taken = await this.#take();
        if (taken.length === 0) return 'empty';
        this.#works = await this.#plan(taken);
      }
      if (this.#works.length > 0) await this.#record();
      return 'more';
    } catch (err) {
      if (!isStorageTrouble(err)) for (const { delivery } of this.#works) this.#leased.delete(delivery.delivery_id);
      this.#works = [];
      log.warn({ err, source_id }, 'the server could not process deliveries of a source; it tries again');
      return 'later';
    }
  }

  /** Reads the next deliveries: several small ones, or a single one that was tried before. */
  async #take(): Promise<Delivery[]> {
    const waiting = await this.#options.reads.queued(this.#source.record.source_id, mostDeliveries);
    const first = waiting[0];
    if (first === undefined || first.attempts > 0) return waiting.slice(0, 1);
    let bytes = 0;
    const together = waiting.findIndex((one, index) => {
      bytes += one.size;
      return index > 0 && (one.attempts > 0 || bytes > mostTogetherBytes);
    });
    return together < 0 ? waiting : waiting.slice(0, together);
  }

  async #plan(deliveries: readonly Delivery[]): Promise<Work[]> {
    const { store, clock } = this.#options;
    const alive = deliveries.filter((one) => this.#leased.has(one.delivery_id) || one.attempts < mostTries);
    const fresh = alive.map(({ delivery_id }) => delivery_id).filter((id) => !this.#leased.has(id));
    if (fresh.length > 0) {
      const lease = { delivery_ids: fresh, until: timestamp(clock.now() + leaseMs) };
      await store.write([operation(deliveryPart, 'lease', lease)]);
    }
    const works: Work[] = [];
    for (const delivery of deliveries) {
      const work = alive.includes(delivery) ? await this.#normalized(delivery) : this.#dead(delivery, 'gave_up');
      // Later deliveries wait for the failed one, so the order of the source is kept.
      if (work === undefined) break;
      works.push(work);
    }
    return works;
  }

  async #normalized(delivery: Delivery): Promise<Work | undefined> {
    const { normalizer, reads, log, metrics } = this.#options;
    const body = await reads.body(delivery.delivery_id);
    if (body === undefined) return this.#dead(delivery, 'body_gone');
    try {
      const normalized = await normalizer.normalize(storedOf(this.#source, delivery, body));
      const known = delivery.signals === 0 ? [] : await reads.signalsOfDelivery(delivery.delivery_id);
      return planWork(delivery, normalized, known);
    } catch (err) {
      metrics.failed(delivery.vendor);
      const { delivery_id, vendor } = delivery;
      log.warn({ err, delivery_id, vendor }, 'a delivery could not be normalized');
      return undefined;
    }
  }

  #dead(delivery: Delivery, reason: string): Work {
    const { version } = this.#source.vendor;
    return { delivery, signals: [], from: 0, state: 'dead', reason, withdrawn: [], version };
  }

  /** Records one step in one write: signals, the end of deliveries, and the operations of incidents. */
  async #record(): Promise<void> {
    const { store, sink, ids, log } = this.#options;
    const { steps, left } = this.#cut(ids);
    const batch: SignalBatch = {
      source: this.#source.view,
      signals: steps.flatMap(({ settled }) => settled.signals.filter(({ type }) => reachesIncidents(type))),
      withdrawn: steps.flatMap(({ withdrawn }) => withdrawn),
    };
    const concerns = batch.signals.length > 0 || batch.withdrawn.length > 0;
    const theirs = concerns ? await sink.takeSignals(batch) : [];
    const own: Operation[] = steps.map(({ settled }) => operation(deliveryPart, 'settle', settled));
    for (const { settled } of steps) this.#leased.add(settled.delivery_id);
    await store.write([...own, ...theirs, ...this.#counted(steps)]);
    this.#works = left;
    for (const step of steps) this.#settled(step);
    const reports = steps.flatMap(({ settled }) =>
      settled.signals.filter(({ type }) => type === 'orb.signal.delivery'),
    );
    if (reports.length > 0) await this.#options.reported(this.#source, reports);
    if (!concerns) return;
    await sink.signalsTaken(batch).catch((err: unknown) => {
      const { source_id } = batch.source;
      log.error({ err, source_id }, 'the server could not update incidents after deliveries of a source');
    });
  }

  // Webhooks belong to no tenant.
  #counted(steps: readonly Step[]): Operation[] {
    const { clock, runtime } = this.#options;
    const states = steps.flatMap(({ settled: { state } }) => state ?? []);
    if (states.length === 0) return [];
    const { source_id: name } = this.#source.record;
    const nobody = { tenant: '', orbiset_id: '', orb_id: '', mode: '' };
    const one = { ...nobody, what: 'webhooks', at: timestamp(clock.now()), name };
    return [runtime.counting(states.map((status) => ({ ...one, status })))];
  }

  #cut(ids: PipelineOptions['ids']): { steps: Step[]; left: readonly Work[] } {
    const steps: Step[] = [];
    let room = mostSignals;
    for (const [index, work] of this.#works.entries()) {
      if (room <= 0) return { steps, left: this.#works.slice(index) };
      const step = nextStep(work, room, ids);
      steps.push(step);
      room -= step.settled.signals.length;
      if (step.left !== undefined) return { steps, left: [step.left, ...this.#works.slice(index + 1)] };
    }
    return { steps, left: [] };
  }

  #settled({ settled }: Step): void {
    const { state, delivery_id, signals } = settled;
    const { vendor, source_id } = this.#source.record;
    const used = signals.filter(({ type }) => type === 'orb.signal.analytics').length;
    if (used > 0) this.#options.metrics.used(vendor, used);
    if (state === undefined) return;
    this.#leased.delete(delivery_id);
    if (state !== 'done') this.#options.metrics.delivered(vendor, state);
    this.#options.finished(source_id);
  }
}

// Such an error is not caused by the deliveries, so the try does not count.
function isStorageTrouble(error: unknown): boolean {
  return error instanceof PlatformError && (error.code === 'storage_unavailable' || error.code === 'overloaded');
}
