import { given } from '../../../../kernel/index.ts';
import type { Act, Episode } from './episode.ts';

/** Episodes of one key that are one incident. */
export interface Cluster {
  /** By start. */
  readonly episodes: readonly Episode[];
  /** Active stretches of time, oldest first; the last may have no end. Times in ms. */
  readonly spans: readonly Span[];
  /** How often it was active again after it had closed. */
  readonly reopened: number;
  /** It reopened so often that it stays open until it has been quiet for long. */
  readonly flapping: boolean;
  /** The resolution or retraction by a person. */
  readonly act?: Act;
}

/** One active stretch, half-open. */
export interface Span {
  readonly from_ms: number;
  readonly to_ms?: number;
}

const hourMs = 3_600_000;
const flappingCount = 3;
// How long a flapping incident must be quiet before it closes.
const quietMs = 1_800_000;

/**
 * Groups episodes of one key: those that overlap, the reopen window included, are one incident. What a person resolved
 * stays resolved: a later episode opens anew. What a person retracted joins nothing.
 */
export function clustersOf(episodes: readonly Episode[]): readonly Cluster[] {
  const groups = Map.groupBy([...episodes].sort(byStart), ({ act }) => act);
  const free = join(groups.get(undefined) ?? []);
  const closed: Episode[][] = [];
  for (const [act, group] of groups)
    if (act?.kind === 'retracted') closed.push(group);
    else if (act !== undefined) closed.push(...join(group));
  const all = [...closed.map((group) => absorb(group, free)), ...free.filter((group) => group.length > 0)];
  return all.map(clusterOf).sort((a, b) => startOf(a.episodes) - startOf(b.episodes));
}

function byStart(a: Episode, b: Episode): number {
  return a.starts_ms - b.starts_ms || (a.fingerprint < b.fingerprint ? -1 : 1);
}

function startOf(episodes: readonly Episode[]): number {
  return episodes[0]?.starts_ms ?? 0;
}

function join(sorted: readonly Episode[]): Episode[][] {
  const groups: { episodes: Episode[]; course: Course }[] = [];
  for (const episode of sorted) {
    const last = groups.at(-1);
    if (last !== undefined && last.course.reaches(episode.starts_ms)) {
      last.episodes.push(episode);
      last.course.add(episode);
    } else groups.push({ episodes: [episode], course: courseOf([episode]) });
  }
  return groups.map(({ episodes }) => episodes);
}

// A late word of an episode that was over before the person closed the incident belongs to it.
function absorb(closed: Episode[], free: Episode[][]): Episode[] {
  const act = closed[0]?.act;
  if (act?.kind !== 'resolved') return closed;
  const course = courseOf(closed);
  const joined = free.filter((group) => {
    const own = courseOf(group);
    const over = own.endMs !== undefined && own.endMs <= act.at_ms;
    return over && course.reaches(startOf(group)) && own.reaches(startOf(closed));
  });
  for (const group of joined) closed.push(...group.splice(0));
  return closed.sort(byStart);
}

function courseOf(episodes: readonly Episode[]): Course {
  const course = new Course();
  for (const episode of episodes) course.add(episode);
  return course;
}

function clusterOf(episodes: readonly Episode[]): Cluster {
  const { spans, reopened, flapping } = courseOf(episodes);
  const act = episodes.find((episode) => episode.act !== undefined)?.act;
  return { episodes, spans, reopened, flapping, ...given({ act }) };
}

/** When a resolved cluster closes, ms: the end of its last span and the hold; undefined while it is active. */
export function closingOf({ spans, flapping, episodes }: Cluster): number | undefined {
  const end = spans.at(-1)?.to_ms;
  if (end === undefined) return undefined;
  const ended = episodes.some(({ ending, ends_ms }) => ending === 'manual' && ends_ms === end);
  const hold = (episodes[0]?.policy.hold_s ?? 0) * 1000;
  return ended ? end : end + (flapping ? Math.max(hold, quietMs) : hold);
}

/** The course of a cluster in time, built from its episodes by start. The first episode's policy rules it. */
class Course {
  readonly #spans: { from_ms: number; to_ms?: number }[] = [];
  #holdMs = 0;
  #reopenMs = 0;
  #last = false;

  get spans(): readonly Span[] {
    return this.#spans;
  }

  get reopened(): number {
    return this.#spans.length - 1;
  }

  get endMs(): number | undefined {
    return this.#spans.at(-1)?.to_ms;
  }

  get flapping(): boolean {
    const newest = this.#spans.at(-1)?.from_ms ?? 0;
    const again = this.#spans.slice(1).filter(({ from_ms }) => from_ms > newest - hourMs);
    return again.length >= flappingCount;
  }

  /** Says whether an episode that starts then belongs to this course; starts come in order. */
  reaches(startsMs: number): boolean {
    const end = this.endMs;
    return end === undefined || startsMs <= end + Math.max(this.#reopenMs, this.#holds());
  }

  add({ starts_ms, ends_ms, policy }: Episode): void {
    const span = this.#spans.at(-1);
    if (span === undefined) {
      this.#holdMs = policy.hold_s * 1000;
      this.#reopenMs = policy.reopen_window_s * 1000;
      this.#last = policy.auto_resolve === 'last';
    }
    if (span === undefined || (span.to_ms !== undefined && starts_ms > span.to_ms + this.#holds())) {
      this.#spans.push({ from_ms: starts_ms, ...given({ to_ms: ends_ms }) });
      return;
    }
    // By the policy `last` the alert that began last decides, else the one that ends last.
    const goesOn = !this.#last && span.to_ms === undefined;
    if (ends_ms === undefined || goesOn) delete span.to_ms;
    else span.to_ms = this.#last ? ends_ms : Math.max(span.to_ms ?? ends_ms, ends_ms);
  }

  #holds(): number {
    return this.flapping ? Math.max(this.#holdMs, quietMs) : this.#holdMs;
  }
}
