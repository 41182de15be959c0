import type { Clock, Platform } from '../../../../kernel/index.ts';

/** What one look finds: the Orbs that something is bound to, and why nothing may run at all, if so. */
interface Look {
  readonly orbs: readonly { readonly orb_id: string; readonly usable: boolean }[];
  readonly refused: string | undefined;
}

/** What is to be recorded of one Orb, or of all of them (`*`). Time in ms since the Unix epoch. */
export interface OutageEvent {
  readonly subject: string;
  readonly state: 'firing' | 'resolved';
  readonly at_ms: number;
  readonly reason: string;
}

/** What a watch over outages works with; `record` resolves when the event is committed. */
interface OutageOptions {
  readonly clock: Clock;
  readonly record: (event: OutageEvent) => Promise<unknown>;
  /** Subjects whose outage was recorded before the start and goes on. */
  readonly open: readonly string[];
  /** Says whether several tenants run Orbs here. */
  readonly shared: () => boolean;
}

/** All Orbs together. */
export const allOrbs = '*';
/** How long providers must be of no use before that is an outage, ms. */
export const outageMs = 60_000;
/** How long they must be good before it is over, ms. */
export const recoveryMs = 300_000;
/** How long they must be good before that is recorded, ms: what flips faster is one outage, and few events. */
const settledMs = 60_000;
/** So many runs must have failed before they are evidence. */
const fewestRuns = 3;

interface Course {
  state: 'good' | 'out' | 'recovering';
  /** Measured to be bad since; on the clock that never goes back. */
  measured?: number;
  runs?: FailedRuns;
  /** Good since. */
  good?: number;
  reason: string;
}

/** Runs that failed one after the other, none of them good; of their tenants two at most are kept. */
interface FailedRuns {
  readonly since: number;
  readonly last: number;
  readonly count: number;
  readonly tenants: readonly string[];
}

/**
 * Watches whether runs can be served: by what is measured of providers, and by what runs show where only they can tell.
 * An event that could not be recorded is tried again with the next look.
 */
export class OutageWatch {
  readonly #options: OutageOptions;
  readonly #courses = new Map<string, Course>();
  #looking = false;

  constructor(options: OutageOptions) {
    this.#options = options;
    for (const subject of options.open) this.#courses.set(subject, { state: 'out', reason: '' });
  }

  /** Takes what a tenant's run showed of the providers of an Orb: a good one counts more than all bad ones before it. */
  ran(orbId: string, usable: boolean, tenant: string): void {
    const course = this.#of(orbId);
    if (usable) delete course.runs;
    else course.runs = withRun(course.runs, this.#options.clock.monotonic(), tenant);
  }

  /** Takes what is measured now, and records what has changed. One look at a time: a second one meanwhile does nothing. */
  async look({ orbs, refused }: Look): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const now = this.#options.clock.monotonic();
    try {
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
    } finally {
      this.#looking = false;
    }
  }

  // Each by its own: a few failed runs that are no outage of an Orb are none of all Orbs.
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
    // Nothing was run for so long that the last failures tell nothing of now.
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

  // What one tenant asks for may be at fault: where there are others, it takes two to make an outage public.
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

/** Finds why nothing may run at all, if a component says so. */
export function refusalOf(components: ReturnType<Platform['components']>): string | undefined {
  const refusing = Object.values(components).find(({ refuses_runs }) => refuses_runs === true);
  return refusing === undefined ? undefined : (refusing.reason ?? 'no run is allowed');
}
