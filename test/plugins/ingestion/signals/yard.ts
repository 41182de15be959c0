import { counting } from '../../../../plugins/runtime/stats/counting.ts';
import runtimeStore from '../../../../plugins/runtime/store.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIds } from '../../../../kernel/tools/id.ts';
import { digest as digestOf, operation, type Operation, type Store } from '../../../../kernel/index.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { createMetrics } from '../../../../kernel/tools/metrics.ts';
import { openShipped } from '../../../helpers/stores/open-shipped.ts';
import { shippedList } from '../../../helpers/stores/shipped-list.ts';
import { ingestMetrics } from '../../../../plugins/ingestion/deliveries/metrics.ts';
import type { NormalizerThread } from '../../../../plugins/ingestion/deliveries/queue/normalizer-thread.ts';
import { normalize } from '../../../../plugins/ingestion/deliveries/queue/normalize.ts';
import { Pipeline } from '../../../../plugins/ingestion/deliveries/queue/pipeline.ts';
import type { SignalBatch, SignalSink } from '../../../../plugins/ingestion/deliveries/queue/sink.ts';
import { openRegistry } from '../../../../plugins/ingestion/sources/registry.ts';
import ingestionStore from '../../../../plugins/ingestion/store.ts';
import { lateClock } from '../home.ts';
import { readsNow } from '../../../helpers/reads.ts';

/** A pipeline over a real store, between deliveries made here and a sink that remembers. */
export interface Yard {
  readonly store: Store;
  readonly reads: ReturnType<typeof ingestionStore.read>['deliveries'];
  readonly clock: ReturnType<typeof lateClock>;
  /** What came to incidents, in order. */
  readonly batches: SignalBatch[];
  /** What was read, by delivery id, in order. */
  readonly tried: string[];
  /** Sources of deliveries that came to their end, in order. */
  readonly finished: string[];
  /** Makes the normalizer throw for a delivery. */
  readonly poison: Set<string>;
  /** Throws from takeSignals, once each. */
  readonly sinkErrors: Error[];
  /** Throws from the writes that end deliveries, once each. */
  readonly storeErrors: Error[];
  source(): Promise<string>;
  /** Accepts a delivery of so many alerts. */
  deliver(sourceId: string, name: string, alerts?: number): Promise<string>;
  /** A pipeline that is not started yet; the one before is stopped. */
  make(): Promise<Pipeline>;
  /** A pipeline as after a start; the one before is stopped. */
  start(): Promise<Pipeline>;
  close(): Promise<void>;
}

/** Opens it in a folder of its own. */
export async function openYard(): Promise<Yard> {
  const stateDir = mkdtempSync(join(tmpdir(), 'orb-yard-'));
  const clock = lateClock();
  const ids = createIds(clock);
  const modules = [{ module: ingestionStore as never }, { module: runtimeStore as never }];
  const store = await openShipped({ stateDir, modules, list: shippedList, version: '0.0.0', clock, log: silentLog });
  const { deliveries: reads, sources } = readsNow(store, ingestionStore);
  const registry = await openRegistry(sources, store.sealer, clock);
  const state = {
    batches: [] as SignalBatch[],
    tried: [] as string[],
    finished: [] as string[],
    poison: new Set<string>(),
    sinkErrors: [] as Error[],
    storeErrors: [] as Error[],
  };
  let pipeline: Pipeline | undefined;
  const guarded = guard(store, state.storeErrors);
  const options = {
    ...{ store: guarded, reads, registry, clock, ids, log: silentLog },
    sink: sinkOf(state),
    normalizer: normalizerOf(state),
    metrics: ingestMetrics(createMetrics()),
    finished: (sourceId: string) => void state.finished.push(sourceId),
    reported: async () => undefined,
    runtime: { counting },
  };
  const make = async (): Promise<Pipeline> => {
    await pipeline?.stop();
    return (pipeline = new Pipeline(options));
  };
  return {
    ...{ store, reads, clock, ...state },
    make,
    async source() {
      const record = { source_id: ids('src'), name: 'yard', vendor: 'alertmanager' as const };
      const token_hash = new Uint8Array(Buffer.from(record.source_id));
      const created_at = new Date(clock.now()).toISOString();
      await store.write([operation(ingestionStore, 'addSource', { record, token_hash, created_at })]);
      await registry.refresh();
      return record.source_id;
    },
    async deliver(source_id, name, alerts = 1) {
      const delivery_id = ids('dlv');
      await store.write([accepting(delivery_id, source_id, bodyOf(name, alerts), clock.now())]);
      pipeline?.wake(source_id);
      return delivery_id;
    },
    async start() {
      const made = await make();
      await made.start();
      return made;
    },
    async close() {
      await pipeline?.stop();
      await store.close();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

function bodyOf(name: string, alerts: number): Buffer {
  const list = Array.from({ length: alerts }, (_, index) => ({
    status: 'firing',
    labels: { alertname: name },
    startsAt: '2026-11-20T10:00:00Z',
    fingerprint: `${name}-${index}`,
  }));
  return Buffer.from(JSON.stringify({ alerts: list }));
}

function accepting(delivery_id: string, source_id: string, body: Buffer, now: number): Operation {
  const received_at = new Date(now).toISOString();
  return operation(ingestionStore, 'accept', {
    ...{ delivery_id, source_id, received_at },
    vendor: 'alertmanager',
    delivery_key: digestOf(body),
    stable: false,
    method: 'POST',
    headers: {},
    query: {},
    size: body.length,
    digest: digestOf(body),
    auth_strength: 'strong',
    auth_scheme: 'test',
    test: false,
    keep_until: new Date(now + 3 * 86_400_000).toISOString(),
    body: { form: 'raw', bytes: new Uint8Array(body) },
  });
}

function sinkOf(state: { readonly batches: SignalBatch[]; readonly sinkErrors: Error[] }): SignalSink {
  return {
    async takeSignals() {
      const error = state.sinkErrors.shift();
      if (error !== undefined) throw error;
      return [];
    },
    async signalsTaken(batch) {
      state.batches.push(batch);
    },
    refreshed: () => Promise.resolve(),
  };
}

function normalizerOf(state: { readonly tried: string[]; readonly poison: ReadonlySet<string> }): NormalizerThread {
  return {
    async normalize(stored) {
      state.tried.push(stored.delivery.delivery_id);
      if (state.poison.has(stored.delivery.delivery_id)) throw new TypeError('a defect of the normaliser');
      return normalize(stored);
    },
    stop: async () => undefined,
  };
}

function guard(store: Store, errors: Error[]): Store {
  const write = async (operations: readonly Operation[]): Promise<unknown[]> => {
    const error = operations.some(({ name }) => name === 'settle') ? errors.shift() : undefined;
    if (error !== undefined) throw error;
    return store.write(operations);
  };
  return { ...store, write: write as Store['write'], reads: store.reads, admit: store.admit };
}
