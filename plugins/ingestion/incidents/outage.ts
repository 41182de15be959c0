import type { Clock, Health } from '../../../kernel/index.ts';

/** What one look finds: the Orbs that something is bound to, and why nothing may run at all, if so. */
export interface Look {
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
export interface OutageOptions {
  readonly clock: Clock;
  readonly record: (event: OutageEvent) => Promise<unknown>;
  /** Subjects whose outage was recorded before the start and goes on. */
  readonly open: readonly string[];
}

/** All Orbs together. */
export const allOrbs = '*';
/** How long providers must be of no use before that is an outage, ms. */
export const outageMs = 60_000;
/** How long they must be good before it is over, ms. */
export const recoveryMs = 300_000;

interface Course {
  state: 'good' | 'out' | 'recovering';
  /** Measured to be bad since, and bad by its runs since; on the clock that never goes back. */
  measured?: number;
  runs?: { readonly since: number; readonly last: number };
  /** Good since, while it recovers. */
  good?: number;
  reason: string;
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

  /** Takes what a run showed of the providers of an Orb: a good one counts more than all bad ones before it. */
  ran(orbId: string, usable: boolean): void {
    const course = this.#of(orbId);
    const now = this.#options.clock.monotonic();
    if (usable) delete course.runs;
    else course.runs = { since: course.runs?.since ?? now, last: now };
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
    if (courses.length === 0 || courses.some(({ state }) => state !== 'out')) return undefined;
    return Math.max(...courses.map((course) => badSince(course) ?? 0));
  }

  async #step(subject: string, bad: number | undefined, reason: string): Promise<void> {
    const course = this.#of(subject);
    const now = this.#options.clock.monotonic();
    if (bad === undefined) delete course.measured;
    else course.measured ??= bad;
    // Nothing was run for so long that the last failures tell nothing of now.
    if (course.runs !== undefined && now - course.runs.last > outageMs) delete course.runs;
    const since = badSince(course);
    if (since !== undefined) course.reason = reason;
    if (course.state === 'good' && isEstablished(course, now)) await this.#move(subject, course, 'out', since ?? now);
    else if (course.state === 'out' && since === undefined) {
      await this.#move(subject, course, 'recovering', now);
      course.good = now;
    } else if (course.state === 'recovering' && since !== undefined) await this.#move(subject, course, 'out', now);
    else if (course.state === 'recovering' && now - (course.good ?? now) >= recoveryMs) course.state = 'good';
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

function badSince({ measured, runs }: Course): number | undefined {
  if (measured === undefined || runs === undefined) return measured ?? runs?.since;
  return Math.min(measured, runs.since);
}

function isEstablished({ measured, runs }: Course, now: number): boolean {
  if (measured !== undefined && now - measured >= outageMs) return true;
  return runs !== undefined && runs.last - runs.since >= outageMs;
}

function isIdle(course: Course): boolean {
  return course.state === 'good' && badSince(course) === undefined;
}

/** Finds why nothing may run at all, if a component says so. */
export function refusalOf(
  components: Readonly<
    Record<string, { readonly health: Health; readonly reason?: string; readonly refuses_runs?: true }>
  >,
): string | undefined {
  const refusing = Object.values(components).find(({ refuses_runs }) => refuses_runs === true);
  return refusing === undefined ? undefined : (refusing.reason ?? 'no run is allowed');
}
