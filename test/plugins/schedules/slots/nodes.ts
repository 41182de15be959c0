import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PlatformError } from '../../../../kernel/index.ts';
import { operation, type Operation, type Principal } from '../../../../kernel/index.ts';
import type { OpenStore } from '../../../../kernel/store/serving/store.ts';
import { openShipped } from '../../../helpers/stores/open-shipped.ts';
import { createIds } from '../../../../kernel/tools/id.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { HandOver } from '../../../../plugins/schedules/slots/hand-over.ts';
import { slotAfter } from '../../../../plugins/schedules/slots/plan.ts';
import { Scheduler } from '../../../../plugins/schedules/slots/scheduler.ts';
import { Stops } from '../../../../plugins/schedules/slots/stops.ts';
import { loadTimes } from '../../../../plugins/schedules/slots/times.ts';
import schedulesStore, { type NewSchedule, type ScheduleRow } from '../../../../plugins/schedules/store.ts';
import { readsNow } from '../../../helpers/reads.ts';
import type { Runtime } from '../../../../plugins/runtime/contract.ts';

const storeFile = fileURLToPath(new URL('../../../../plugins/schedules/store.ts', import.meta.url));

/** A run that a queue took. */
export interface TakenRun {
  readonly run_id: string;
  readonly key: string;
  readonly schedule_id: string;
  readonly planned_at: number;
}

/** What makes a schedule. */
export type Made = Pick<ScheduleRow, 'cron' | 'timezone' | 'catch_up'> & Partial<ScheduleRow>;

/** Nodes that share a store, and a queue that takes their runs. */
export class Nodes {
  now: number;
  readonly runs: TakenRun[] = [];
  /** Runs of the queue that have not ended. */
  readonly waiting = new Set<string>();
  /** Thrown by the queue. */
  refusal: PlatformError | undefined;
  /** What the queue was asked for, refused or not. */
  asked = 0;
  readonly #dir = mkdtempSync(join(tmpdir(), 'orb-schedules-'));
  readonly #clock = { now: () => this.now, monotonic: () => performance.now() };
  readonly #ids = createIds(this.#clock);
  #store: OpenStore | undefined;
  #nodes: Scheduler[] = [];

  constructor(time: string) {
    this.now = Date.parse(time);
  }

  get store(): OpenStore {
    if (this.#store === undefined) throw new Error('start the nodes first');
    return this.#store;
  }

  /** Opens the store and starts so many nodes; those that ran before are gone. */
  async start(count = 1): Promise<void> {
    await this.#store?.close();
    const modules = [{ module: schedulesStore, file: storeFile }];
    this.#store = await openShipped({
      ...{ stateDir: this.#dir, modules, version: '1.0.0', clock: this.#clock, log: silentLog },
    });
    this.#nodes = Array.from({ length: count }, () => this.#node(this.store));
  }

  /** Makes schedules that begin now. */
  async make(all: readonly Made[]): Promise<readonly string[]> {
    const times = await loadTimes();
    const rows = all.map((made): NewSchedule => {
      const next_at = slotAfter({ until_at: null, ...made }, this.now, times);
      return {
        ...{ schedule_id: this.#ids('sch'), orbiset_id: 'default', tenant: 'default', orb_id: 'demo.echo@1.0.0' },
        ...{ principal: 'prn_1', key_id: 'key_1', mode: 'live', client_ip: '127.0.0.1', overlap: 'queue' },
        ...{ until_at: null, state: 'active', reason: null, created_at: this.now, next_at, due_at: next_at },
        ...{ computed_at: this.now, floor_at: 0, last_run_id: null, inputs: '{"text":"x"}', most: 100_000, ...made },
      };
    });
    for (let from = 0; from < rows.length; from += 500)
      await this.store.write(rows.slice(from, from + 500).map((row) => operation(schedulesStore, 'create', row)));
    return rows.map(({ schedule_id }) => schedule_id);
  }

  /** Sets the clock, and lets all nodes look at once. */
  async look(now: number): Promise<void> {
    this.now = now;
    await Promise.all(this.#nodes.map((node) => node.tick()));
  }

  row(scheduleId: string): ScheduleRow | undefined {
    return readsNow(this.store, schedulesStore).find(scheduleId);
  }

  async close(): Promise<void> {
    await this.#store?.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #node(store: OpenStore): Scheduler {
    const reads = readsNow(store, schedulesStore);
    const shared = { store, reads, clock: this.#clock, ids: this.#ids, log: silentLog };
    const principal: Principal = { id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes: ['*'], mode: 'live' };
    const stops = new Stops({ ...shared, incidents: undefined });
    const handOver = new HandOver({ ...shared, stops, runtime: this.#queue(store), credential: () => principal });
    return new Scheduler({ ...shared, handOver });
  }

  // As the queue of runs: what is beside a run commits with it.
  #queue(store: OpenStore): Pick<Runtime, 'enqueue' | 'isWaiting'> {
    return {
      isWaiting: (runId) => this.waiting.has(runId),
      enqueue: async (_call, key, beside: (runId: string) => readonly Operation[]) => {
        this.asked++;
        if (this.refusal !== undefined) throw this.refusal;
        const run_id = this.#ids('run');
        const writes = beside(run_id);
        await store.write(writes);
        for (const { args } of writes) {
          const { schedule_id, planned_at } = args as { schedule_id: string; planned_at: number };
          this.runs.push({ run_id, key, schedule_id, planned_at });
        }
        this.waiting.add(run_id);
        return { run_id, replayed: false };
      },
    };
  }
}
