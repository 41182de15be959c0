import {
  every,
  given,
  operation,
  PlatformError,
  timestamp,
  type Operation,
  type PluginScope,
} from '../../../kernel/index.ts';
import { Arrivals } from './arrivals.ts';
import { attestChange } from './store/change.ts';
import type { Act } from './cluster/episode.ts';
import type { AlertEvent } from './cluster/event.ts';
import { Memory } from './cluster/memory.ts';
import { windowOf } from './maintenance.ts';
import { incidentPart } from './store/store-part.ts';
import { planOf, type Plan } from './cluster/plan.ts';
import type { IncidentReads } from './store/reading.ts';
import type { IncidentRecord } from './store/record.ts';
import type { Settled } from './store/writing.ts';
import type { Window } from './cluster/window.ts';
import { problems } from '../problems.ts';

type Parts = 'platform' | 'calls' | 'store' | 'clock' | 'ids' | 'log';

/** What the engine stands on. */
interface EngineOptions extends Pick<PluginScope<unknown, never>, Parts> {
  readonly reads: IncidentReads;
  readonly seen: (fingerprint: string) => number | undefined;
  /** Hears of every committed change of an incident or of what is shown of it. */
  readonly changed: (record: IncidentRecord) => void;
}

const lookMs = 1000;
const retryMs = 2000;
// So many keys are attested at the same time: the writer's queue is there for runs, too.
const atOnce = 64;

/**
 * Keeps the incidents in step with their signals: looks at keys that are due, attests what changed, remembers when time
 * alone will change something. One look at a time, so that nothing is attested twice; what was due and could not be
 * attested stays due.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #memory: Memory;
  readonly #due = new Map<string, number>();
  readonly #arrivals = new Arrivals();
  #windows: readonly Window[] = [];
  #tail: Promise<unknown> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #stopLooking: () => void = () => undefined;
  #stopped = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#memory = new Memory(options);
  }

  /** Attests what the last stop left due, and begins to look at the clock. */
  async start(): Promise<void> {
    for (const { key, due_ms } of this.#options.reads.keys()) this.#due.set(key, due_ms);
    this.#readWindows();
    await this.settle();
    this.#stopLooking = every(
      lookMs,
      () => (this.#hasDue() ? this.settle() : undefined),
      (err) => this.#options.log.warn({ err }, 'incidents could not be updated; the server tries again'),
    );
  }

  /** Ends after the look that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopLooking();
    await this.#tail;
  }

  /** Events of these keys are about to be written; `batch` names them until they are taken. */
  announce(batch: string, keys: readonly string[]): void {
    this.#arrivals.announce(batch, keys, this.#options.clock.now());
  }

  /** Takes events whose rows are committed; resolves when what they change is attested. */
  async taken(batch: string, events: readonly AlertEvent[], withdrawn: readonly string[]): Promise<void> {
    this.#arrivals.taken(batch);
    if (events.length === 0 && withdrawn.length === 0) return;
    this.#memory.take(events, withdrawn);
    const alerts = new Set(events.map(({ fingerprint }) => fingerprint));
    for (const fingerprint of alerts) for (const key of this.#options.reads.keysOf(fingerprint)) this.#due.set(key, 0);
    // Of alerts that lost all their events only the rows know that they are due.
    if (withdrawn.length > 0) for (const { key, due_ms } of this.#options.reads.keys()) this.#due.set(key, due_ms);
    await this.settle();
  }

  /** The same deliveries came again: their alerts are not stale. */
  refreshed(deliveryId: string): void {
    for (const fingerprint of this.#options.reads.fingerprintsOfDelivery(deliveryId)) {
      this.#memory.refreshed(fingerprint);
      for (const key of this.#options.reads.keysOf(fingerprint)) this.#due.set(key, 0);
    }
  }

  /** Looks at all keys that are due; calls that come before the look begins share it. */
  settle(): Promise<void> {
    this.#waiting ??= this.#exclusive(async () => {
      this.#waiting = undefined;
      await this.#look();
    });
    return this.#waiting;
  }

  /** Adds an event of an operator or the auditor; it commits with the receipt of what it changes. */
  async add(event: AlertEvent): Promise<IncidentRecord | undefined> {
    return this.#exclusive(async () => {
      this.#memory.add(event);
      const part = operation(incidentPart, 'takeEvents', { events: [event], withdrawn: [] });
      const records = await this.#apply(event.key, [part]);
      this.#arrivals.mark([event.key]);
      this.#due.set(event.key, 0);
      return records.at(-1) ?? this.#memory.stored(event.key).at(-1);
    });
  }

  /** Does what a person decided of an incident: it commits with its receipt. Answers the incident afterwards. */
  async decide(incidentId: string, actOf: (record: IncidentRecord, nowMs: number) => Act): Promise<IncidentRecord> {
    return this.#exclusive(async () => {
      await this.#look();
      const key = this.#options.reads.incident(incidentId)?.key ?? '';
      const record = this.#memory.stored(key).find(({ incident_id }) => incident_id === incidentId);
      if (record === undefined)
        throw new PlatformError(problems.incident_conflict, `${incidentId} ended long ago and can no longer change`);
      const moment = Math.max(this.#options.clock.now(), this.#memory.lastMoment(key, incidentId));
      const act = actOf(record, moment);
      this.#memory.decide(key, act);
      const records = await this.#apply(key, [operation(incidentPart, 'putAct', act)]);
      this.#due.set(key, 0);
      return records.findLast(({ incident_id }) => incident_id === incidentId) ?? record;
    });
  }

  /** Forgets the events of incidents that were over before a moment; they stand as they are from then on. */
  async forget(beforeMs: number): Promise<void> {
    const limits = { before: timestamp(beforeMs), before_ms: beforeMs };
    await this.#exclusive(async () => {
      await this.#options.store.write([operation(incidentPart, 'pruneIncidents', limits)]);
      this.#memory.clear();
    });
  }

  /** Writes a maintenance window, and looks at everything that waits for time. */
  async plan(write: Operation): Promise<void> {
    await this.#exclusive(async () => {
      await this.#options.store.write([write]);
      this.#readWindows();
      for (const { key } of this.#options.reads.keys()) this.#due.set(key, 0);
    });
    await this.settle();
  }

  #readWindows(): void {
    this.#windows = this.#options.reads.windows('', '~').map(windowOf);
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  #hasDue(): boolean {
    const now = this.#options.clock.now();
    return [...this.#due.values()].some((due) => due <= now);
  }

  async #look(): Promise<void> {
    if (this.#stopped) return;
    const now = this.#options.clock.now();
    const keys = [...this.#due].filter(([, due]) => due <= now).map(([key]) => key);
    if (keys.length === 0) return;
    for (let at = 0; at < keys.length; at += atOnce) {
      const looked = await Promise.all(keys.slice(at, at + atOnce).map((key) => this.#lookAt(key)));
      await this.#settled(looked.filter((one) => one !== undefined));
    }
    this.#memory.trim();
  }

  async #lookAt(key: string): Promise<Looked | undefined> {
    try {
      let { plan, due_ms, mark } = this.#plan(key);
      if (plan.changes.length > 0) {
        await this.#carryOut(key, plan, []);
        ({ plan, due_ms, mark } = this.#plan(key));
      }
      // More came meanwhile, or is about to: it stays due.
      if (plan.changes.length > 0 || this.#arrivals.isAnnounced(key, this.#options.clock.now())) return undefined;
      return { key, mark, plan, ...given({ due_ms }) };
    } catch (error) {
      // Nothing is lost: the rows say that it is due.
      this.#due.set(key, this.#options.clock.now() + retryMs);
      this.#options.log.warn({ err: error }, 'a change of an incident could not be attested; the server tries again');
      return undefined;
    }
  }

  /** Attests what is to change of a key; `extra` commits with the first receipt. */
  async #apply(key: string, extra: readonly Operation[]): Promise<IncidentRecord[]> {
    try {
      return await this.#carryOut(key, this.#plan(key).plan, extra);
    } catch (error) {
      // What was taken into memory for it is not committed.
      this.#memory.drop(key);
      throw error;
    }
  }

  async #carryOut(key: string, plan: Plan, extra: readonly Operation[]): Promise<IncidentRecord[]> {
    try {
      const records: IncidentRecord[] = [];
      let parts = extra;
      for (const change of plan.changes) {
        const assigned = plan.assigned.filter(({ incident_id }) => incident_id === change.incident_id);
        const attested = await attestChange(change, { key, assigned, extra: parts }, this.#options);
        parts = [];
        for (const record of attested) this.#memory.keep(record);
        this.#memory.assign(assigned);
        for (const taken of change.takes) this.#memory.moveActs(taken, change.incident_id);
        for (const record of attested.slice(-1)) this.#options.changed(record);
        records.push(...attested);
      }
      if (parts.length > 0) await this.#options.store.write(parts);
      return records;
    } catch (error) {
      this.#memory.drop(key);
      throw error;
    }
  }

  #plan(key: string): Looked {
    const mark = this.#arrivals.markOf(key);
    const now = this.#options.clock.now();
    const { incidents, due_ms } = this.#memory.fold(key, this.#windows, now);
    const plan = planOf(this.#memory.stored(key), incidents, () => this.#options.ids('inc'));
    return { key, mark, plan, ...given({ due_ms }) };
  }

  // Writes what needs no receipt: views, events and their incidents, and when to look again.
  async #settled(all: readonly Looked[]): Promise<void> {
    // Of keys that are being written to just now the row must go on saying that they are due.
    const looked = all.filter(({ key, mark }) => this.#arrivals.markOf(key) === mark);
    if (looked.length === 0) return;
    const settled: Settled = {
      keys: looked.map(({ key, due_ms }) => given({ key, due_ms })),
      assigned: looked.flatMap(({ plan }) => plan.assigned),
      shown: looked.flatMap(({ plan }) =>
        plan.shown.map(({ record, shown }) => ({ incident_id: record.incident_id, shown })),
      ),
    };
    try {
      await this.#options.store.write([operation(incidentPart, 'settleKeys', settled)]);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the view of incidents could not be written; the server tries again');
      for (const { key } of looked) this.#due.set(key, this.#options.clock.now() + retryMs);
      return;
    }
    for (const { key, mark, due_ms, plan } of looked) {
      if (this.#arrivals.markOf(key) !== mark) this.#due.set(key, 0);
      else if (due_ms === undefined) {
        this.#due.delete(key);
        this.#arrivals.rest(key);
      } else this.#due.set(key, due_ms);
      this.#memory.assign(plan.assigned);
      for (const { record, shown } of plan.shown) {
        const updated = { ...record, shown, updated_at: timestamp(this.#options.clock.now()) };
        this.#memory.keep(updated);
        this.#options.changed(updated);
      }
    }
  }
}

interface Looked {
  readonly key: string;
  readonly mark: number;
  readonly plan: Plan;
  readonly due_ms?: number;
}
