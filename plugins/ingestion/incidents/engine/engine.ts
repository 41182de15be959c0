import {
  createSerial,
  every,
  given,
  operation,
  PlatformError,
  timestamp,
  whenKnown,
  type Awaitable,
  type Operation,
} from '../../../../kernel/index.ts';
import { Arrivals } from './arrivals.ts';
import { DueKeys } from './due-keys.ts';
import { attestPlan, type AttestScope } from './change.ts';
import type { Act, IncidentRecord } from '../model/record.ts';
import type { AlertEvent, Heard } from '../model/event.ts';
import { Memory } from '../cluster/memory.ts';
import { windowOf, type Window } from '../cluster/window.ts';
import { pruneInSteps } from '../store/pruning.ts';
import type { IncidentScope } from '../store/scope.ts';
import { incidentPart } from '../store/store-part.ts';
import { planOf, type Plan } from '../cluster/plan.ts';
import { hearAgain, type Taken } from './repeats.ts';
import { problems } from '../../problems.ts';

type ActOf = (record: IncidentRecord, nowMs: number) => Act;
type EngineScope = IncidentScope & AttestScope;

/** A key that was folded, with what is left to do for it; `mark`: the events that were known. */
interface Folded {
  readonly key: string;
  readonly mark: number;
  readonly plan: Plan;
  readonly due_ms?: number;
}

const lookMs = 1000;
const retryMs = 2000;
// Most keys attested at the same time; the writer's queue must also have room for runs.
const atOnce = 64;

/**
 * Keeps the incidents consistent with their signals: processes keys that are due, attests changes, and schedules
 * changes that depend only on time. Passes run one at a time, so nothing is attested twice; a key whose change could
 * not be attested stays due.
 */
export class Engine {
  readonly #scope: EngineScope;
  readonly #memory: Memory;
  readonly #due = new DueKeys();
  readonly #arrivals = new Arrivals();
  #windows: readonly Window[] = [];
  #replanned = false;
  readonly #exclusive = createSerial();
  #waiting: Promise<void> | undefined;
  #stopLooking: () => void = () => undefined;
  #stopped = false;

  constructor(scope: EngineScope) {
    this.#scope = scope;
    this.#memory = new Memory(scope);
  }

  /** Attests the changes left by the last stop, and starts the timer. */
  async start(): Promise<void> {
    this.#due.take((await this.#scope.reads.keys()).map(({ key, due_ms }) => [key, due_ms]));
    await this.#readWindows();
    await this.settle();
    this.#stopLooking();
    this.#stopLooking = every(
      lookMs,
      () => this.#tick(),
      (err) => this.#scope.log.warn({ err }, 'the server could not update incidents; it tries again'),
    );
  }

  /** Stops after the current pass. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopLooking();
    await this.#exclusive(() => Promise.resolve());
  }

  /** Notes that events of these keys will be written; `batch` names them until they are taken. */
  announce(batch: string, keys: readonly string[]): void {
    this.#arrivals.announce(batch, keys, this.#scope.clock.now());
  }

  /** Adds what is committed; resolves when the resulting changes are attested. */
  async taken(batch: string, { events, heard }: Taken, withdrawn: readonly string[]): Promise<void> {
    const { reads } = this.#scope;
    const dues: [key: string, due_ms: number][] = events.map(({ key }) => [key, 0]);
    try {
      const alerts = [...new Set(events.map(({ fingerprint }) => fingerprint))];
      if (alerts.length > 0) for (const key of await reads.keysOfEach(alerts)) dues.push([key, 0]);
      // An alert that lost all its events is due only in the rows, so all due times are read again.
      if (withdrawn.length > 0) for (const { key, due_ms } of await reads.keys()) dues.push([key, due_ms]);
    } finally {
      // Events are announced until they are in memory, so that no pass settles their keys before.
      this.#arrivals.taken(batch);
      this.#memory.take(events, withdrawn);
      this.#due.take(dues);
    }
    const revived = await this.#hear(heard);
    if (dues.length > 0 || revived) await this.settle();
  }

  /** Notes that deliveries arrived again: what they say is seen again. */
  async refreshed(deliveryIds: readonly string[]): Promise<void> {
    await this.#hear(await hearAgain(deliveryIds, this.#scope));
  }

  // When an alert expires that goes on is looked at when the time has come that was known before.
  async #hear(heard: readonly Heard[]): Promise<boolean> {
    const again = heard.filter((one) => this.#memory.hear(one)).map(({ fingerprint }) => fingerprint);
    if (again.length === 0) return false;
    this.#due.take((await this.#scope.reads.keysOfEach([...new Set(again)])).map((key) => [key, 0]));
    return true;
  }

  /** Processes all keys that are due; calls made before the pass starts share it. */
  settle(): Promise<void> {
    this.#waiting ??= this.#exclusive(async () => {
      this.#waiting = undefined;
      await this.#look();
    });
    return this.#waiting;
  }

  /**
   * Adds an event of an operator, the auditor or a measurement, unless `make` finds that there is none to add; commits it
   * with the receipt of the change it causes, and `along` with it.
   */
  async add(make: () => Awaitable<AlertEvent | undefined>, along: readonly Operation[] = []): Promise<void> {
    return this.#exclusive(async () => {
      const event = await make();
      if (event === undefined) return void (along.length > 0 && (await this.#scope.store.write(along)));
      await this.#memory.load(event.key, { fingerprints: [event.fingerprint] });
      this.#memory.add(event);
      const part = operation(incidentPart, 'takeEvents', { events: [event], withdrawn: [] });
      await this.#apply(event.key, [part, ...along]);
      this.#arrivals.mark([event.key]);
      this.#due.set(event.key, 0);
    });
  }

  /** Applies a person's decision about an incident and commits it with its receipt, and `along` with it. */
  async decide(incidentId: string, actOf: ActOf, along: readonly Operation[] = []): Promise<void> {
    return this.#exclusive(async () => {
      await this.#look();
      const key = (await this.#scope.reads.incident(incidentId))?.key ?? '';
      await this.#memory.load(key, { incidents: [incidentId] });
      const record = this.#memory.stored(key).find(({ incident_id }) => incident_id === incidentId);
      if (record === undefined)
        throw new PlatformError(problems.incident_conflict, `${incidentId} ended too long ago and cannot change now`);
      const moment = Math.max(this.#scope.clock.now(), this.#memory.lastMoment(key, incidentId));
      const act = actOf(record, moment);
      this.#memory.decide(key, act);
      await this.#apply(key, [operation(incidentPart, 'putAct', act), ...along]);
      this.#due.set(key, 0);
    });
  }

  /** Deletes the events of incidents that were over before a moment; these incidents no longer change. */
  async forget(beforeMs: number): Promise<void> {
    await pruneInSteps(beforeMs, (prune) =>
      this.#exclusive(async () => {
        if (this.#stopped) return undefined;
        const [done] = await this.#scope.store.write([operation(incidentPart, 'pruneIncidents', prune)]);
        if (done.pruned > 0) this.#memory.clear();
        return done;
      }),
    );
  }

  /** Writes or removes a maintenance window, and processes all keys that wait for time. */
  async plan(write: Operation): Promise<void> {
    await this.#exclusive(async () => {
      await this.#scope.store.write([write]);
      await this.#readPlan();
    });
    await this.settle();
  }

  /** Notes that another node has written a window: within a second all keys that wait for time are processed. */
  replanned(): void {
    this.#replanned = true;
  }

  async #readPlan(): Promise<void> {
    await this.#readWindows();
    this.#due.take((await this.#scope.reads.keys()).map(({ key }) => [key, 0]));
  }

  async #tick(): Promise<void> {
    if (this.#replanned) {
      this.#replanned = false;
      await this.#exclusive(() => this.#readPlan()).catch((error: unknown) => {
        this.#replanned = true;
        throw error;
      });
    }
    if (this.#due.at(this.#scope.clock.now()).length > 0) await this.settle();
  }

  async #readWindows(): Promise<void> {
    this.#windows = (await this.#scope.reads.windows('', '~')).map(windowOf);
  }

  async #look(): Promise<void> {
    if (this.#stopped) return;
    const keys = this.#due.at(this.#scope.clock.now());
    for (let at = 0; at < keys.length; at += atOnce) {
      const looked = await Promise.all(keys.slice(at, at + atOnce).map((key) => this.#lookAt(key)));
      await this.#settled(looked.filter((one) => one !== undefined));
    }
    this.#memory.trim();
  }

  async #lookAt(key: string): Promise<Folded | undefined> {
    try {
      let { plan, due_ms, mark } = await this.#plan(key);
      if (plan.changes.length > 0) {
        await attestPlan(plan, { key, extra: [], memory: this.#memory }, this.#scope);
        ({ plan, due_ms, mark } = await this.#plan(key));
      }
      // More events arrived meanwhile or are announced: the key stays due.
      if (plan.changes.length > 0 || this.#arrivals.isAnnounced(key, this.#scope.clock.now())) return undefined;
      return { key, mark, plan, ...given({ due_ms }) };
    } catch (error) {
      this.#memory.drop(key);
      // The stored rows keep the key due, so nothing is lost.
      this.#due.set(key, this.#scope.clock.now() + retryMs);
      this.#scope.log.warn({ err: error }, 'the server could not attest a change of an incident; it tries again');
      return undefined;
    }
  }

  /** Attests the pending changes of a key; `extra` commits with the first receipt. */
  async #apply(key: string, extra: readonly Operation[]): Promise<void> {
    try {
      const { plan } = await this.#plan(key);
      await attestPlan(plan, { key, extra, memory: this.#memory }, this.#scope);
    } catch (error) {
      // The memory holds changes that were not committed.
      this.#memory.drop(key);
      throw error;
    }
  }

  #plan(key: string): Awaitable<Folded> {
    return whenKnown(this.#memory.load(key), () => {
      const mark = this.#arrivals.markOf(key);
      const { incidents, due_ms } = this.#memory.fold(key, this.#windows, this.#scope.clock.now());
      const plan = planOf(this.#memory.stored(key), incidents, () => this.#scope.ids('inc'));
      return { key, mark, plan, ...given({ due_ms }) };
    });
  }

  // Writes the data that needs no receipt: views, assignments of events, and the next due times.
  async #settled(all: readonly Folded[]): Promise<void> {
    // Keys that were written to meanwhile must stay due in their rows.
    const looked = all.filter(({ key, mark }) => this.#arrivals.markOf(key) === mark);
    if (looked.length === 0) return;
    try {
      await this.#scope.store.write([operation(incidentPart, 'settleKeys', settledOf(looked))]);
    } catch (error) {
      this.#scope.log.warn({ err: error }, 'the server could not write the view of incidents; it tries again');
      for (const { key } of looked) this.#due.set(key, this.#scope.clock.now() + retryMs);
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
        const updated = { ...record, shown, updated_at: timestamp(this.#scope.clock.now()) };
        this.#memory.keep(updated);
        await this.#scope.changed(updated);
      }
    }
  }
}

/** Makes the write of what needs no receipt. */
function settledOf(folded: readonly Folded[]) {
  return {
    keys: folded.map(({ key, due_ms }) => given({ key, due_ms })),
    assigned: folded.flatMap(({ plan }) => plan.assigned),
    shown: folded.flatMap(({ plan }) =>
      plan.shown.map(({ record, shown }) => ({ incident_id: record.incident_id, shown })),
    ),
  };
}
