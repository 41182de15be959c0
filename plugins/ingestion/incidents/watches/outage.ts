import { every, type Clock, type Platform } from '../../../../kernel/index.ts';
import type { IncidentScope } from '../store/scope.ts';
import { runSettled, type Runtime } from '../../../runtime/contract.ts';

/** Input of one pass: the Orbs with bound providers, and the reason why no run is allowed, if there is one. */
interface Look {
  readonly orbs: readonly { readonly orb_id: string; readonly usable: boolean }[];
  readonly refused: string | undefined;
}

/** An event to record about one Orb, or about all Orbs (`*`). Time in ms since the Unix epoch. */
export interface OutageEvent {
  readonly subject: string;
  readonly state: 'firing' | 'resolved';
  readonly at_ms: number;
  readonly reason: string;
}

/** Options of the watch; `record` resolves when the event is committed. */
interface OutageOptions {
  readonly clock: Clock;
  readonly record: (event: OutageEvent) => Promise<unknown>;
  /** Subjects with an outage that was recorded before the start and is still open. */
  readonly open: readonly string[];
  /** Says whether several tenants run Orbs in this installation. */
  readonly shared: () => boolean;
}

/** Subject that means all Orbs. */
export const allOrbs = '*';
/** Time without a usable provider that makes an outage, ms. */
export const outageMs = 60_000;
/** Time with usable providers that ends an outage, ms. */
export const recoveryMs = 300_000;
/** Time with usable providers before recovery is recorded, ms: faster changes count as one outage, with few events. */
const settledMs = 60_000;
/** Number of failed runs that count as evidence. */
const fewestRuns = 3;

interface Course {
  state: 'good' | 'out' | 'recovering';
  /** Start of the bad measurements, on the monotonic clock. */
  measured?: number;
  runs?: FailedRuns;
  /** Start of the good time. */
  good?: number;
  reason: string;
}

/** Consecutive failed runs without a good one in between; stores at most two of their tenants. */
interface FailedRuns {
  readonly since: number;
  readonly last: number;
  readonly count: number;
  readonly tenants: readonly string[];
}

/**
 * Watches whether runs can be served, from the measurements of providers and from the results of runs. An event that
 * could not be recorded is tried again in the next pass.
 */
export class OutageWatch {
  readonly #options: OutageOptions;
  readonly #courses = new Map<string, Course>();

  constructor(options: OutageOptions) {
    this.#options = options;
    for (const subject of options.open) this.#courses.set(subject, { state: 'out', reason: '' });
  }

  /**
   * Notes whether a run of a tenant found the providers of an Orb usable; a good run removes all bad ones before it.
   */
  ran(orbId: string, usable: boolean, tenant: string): void {
    const course = this.#of(orbId);
    if (usable) delete course.runs;
    else course.runs = withRun(course.runs, this.#options.clock.monotonic(), tenant);
  }

  /** Takes the current measurements and records changes. Call it when the pass before has ended. */
  async look({ orbs, refused }: Look): Promise<void> {
    const now = this.#options.clock.monotonic();
    const bound = new Map(orbs.map(({ orb_id, usable }) => [orb_id, usable]));
    const known = [...this.#courses.keys()].filter((subject) => subject !== allOrbs);
    for (const subject of new Set([...bound.keys(), ...known]))
      await this.#step(
        subject,
        bound.get(subject) === false ? now : undefined,
        `${subject} has no provider that can be used`,
      );
    const bad = refused === undefined ? this.#allOutSince(orbs) : now;
    await this.#step(allOrbs, bad, refused ?? 'no Orb has a provider that can be used');
    for (const subject of known) if (!bound.has(subject) && isIdle(this.#of(subject))) this.#courses.delete(subject);
  }

  // Every Orb must be out by itself: a few failed runs that are no outage of an Orb are no outage of all Orbs.
  #allOutSince(orbs: Look['orbs']): number | undefined {
    const courses = orbs.map(({ orb_id }) => this.#of(orb_id));
    if (courses.length === 0 || courses.some(({ state, good }) => state !== 'out' || good !== undefined))
      return undefined;
    return Math.max(...courses.map((course) => this.#badSince(course) ?? 0));
  }

  async #step(subject: string, bad: number | undefined, reason: string): Promise<void> {
    const course = this.#of(subject);
    const now = this.#options.clock.monotonic();
    if (bad === undefined) delete course.measured;
    else course.measured ??= bad;
    // The last run is too long ago, so its failure is no longer evidence.
    if (course.runs !== undefined && now - course.runs.last > outageMs) delete course.runs;
    const since = this.#badSince(course);
    if (since === undefined) return this.#good(subject, course, now);
    course.reason = reason;
    delete course.good;
    if (course.state === 'good' && this.#isEstablished(course, now)) await this.#move(subject, course, 'out', since);
    else if (course.state === 'recovering') await this.#move(subject, course, 'out', now);
  }

  async #good(subject: string, course: Course, now: number): Promise<void> {
    course.good ??= now;
    const forMs = now - course.good;
    if (course.state === 'out' && forMs >= settledMs) await this.#move(subject, course, 'recovering', course.good);
    if (course.state === 'recovering' && forMs >= recoveryMs) course.state = 'good';
  }

  #badSince({ measured, runs }: Course): number | undefined {
    const ran = runs !== undefined && this.#isEvidence(runs) ? runs.since : undefined;
    return measured === undefined || ran === undefined ? (measured ?? ran) : Math.min(measured, ran);
  }

  #isEstablished({ measured, runs }: Course, now: number): boolean {
    if (measured !== undefined && now - measured >= outageMs) return true;
    return runs !== undefined && this.#isEvidence(runs) && runs.last - runs.since >= outageMs;
  }

  // A tenant's own requests may cause its failures: with several tenants, an outage needs failures of two.
  #isEvidence({ count, tenants }: FailedRuns): boolean {
    return count >= fewestRuns && (tenants.length > 1 || !this.#options.shared());
  }

  async #move(subject: string, course: Course, next: 'out' | 'recovering', at: number): Promise<void> {
    const { clock, record } = this.#options;
    const at_ms = clock.now() - (clock.monotonic() - at);
    const state = next === 'out' ? 'firing' : 'resolved';
    await record({ subject, state, at_ms: Math.floor(at_ms), reason: course.reason });
    course.state = next;
  }

  #of(subject: string): Course {
    const known = this.#courses.get(subject);
    if (known !== undefined) return known;
    const made: Course = { state: 'good', reason: '' };
    this.#courses.set(subject, made);
    return made;
  }
}

function isIdle({ state, measured, runs }: Course): boolean {
  return state === 'good' && measured === undefined && runs === undefined;
}

function withRun(before: FailedRuns | undefined, now: number, tenant: string): FailedRuns {
  const none: Pick<FailedRuns, 'since' | 'count' | 'tenants'> = { since: now, count: 0, tenants: [] };
  const { since, count, tenants } = before ?? none;
  const known = tenants.length > 1 || tenants.includes(tenant);
  return { since, last: now, count: count + 1, tenants: known ? tenants : [...tenants, tenant] };
}

/** Finds the reason why no run is allowed, if a component reports one. */
export function refusalOf(components: ReturnType<Platform['components']>): string | undefined {
  const refusing = Object.values(components).find(({ refuses_runs }) => refuses_runs === true);
  return refusing === undefined ? undefined : (refusing.reason ?? 'no run is allowed');
}

/** Where measured outages are recorded. */
export interface OutageRecord {
  /** Lists the subjects that are out, as it was recorded before the start. */
  open(): Promise<readonly string[]>;
  record(event: OutageEvent): Promise<unknown>;
}

const lookMs = 1000;

/** Measures whether each Orb can be served, and records when one cannot for a minute, and when it can again. */
export function measureOutages({ clock, hooks, log, platform, runtime }: IncidentScope, outages: OutageRecord) {
  const record = (event: OutageEvent): Promise<unknown> => outages.record(event);
  const shared = (): boolean => hasSeveralTenants(runtime.catalog);
  let watching: OutageWatch | undefined;
  let stop = (): void => undefined;
  hooks.of(runSettled).tap('outages', ({ orb_id, tenant, usable }) => {
    if (usable !== undefined) watching?.ran(orb_id, usable, tenant);
  });
  const look = (): unknown => watching?.look({ orbs: runtime.orbs(), refused: refusalOf(platform.components()) });
  return {
    async start() {
      watching = new OutageWatch({ clock, record, open: await outages.open(), shared });
      stop = every(lookMs, look, (err) => log.warn({ err }, 'the server could not record an outage; it tries again'));
    },
    stop: () => stop(),
  };
}

// A run belongs to the tenant of its Orbiset.
function hasSeveralTenants({ orbisets }: Runtime['catalog']): boolean {
  return new Set([...orbisets.values()].map(({ tenant }) => tenant)).size > 1;
}
