import { given } from '../../../../kernel/index.ts';
import type { Act } from '../model/record.ts';
import type { Episode } from './episode.ts';

/** Episodes of one key that form one incident. */
export interface Cluster {
  /** By start. */
  readonly episodes: readonly Episode[];
  /** Active periods, oldest first; the last one may be open. Times in ms. */
  readonly spans: readonly Span[];
  /** Number of times it became active again after it had closed. */
  readonly reopened: number;
  /** It reopened so often that it stays open until it has been quiet for a long time. */
  readonly flapping: boolean;
  /** The resolution or retraction by a person. */
  readonly act?: Act;
}

/** One active period, half-open. */
export type Span = { readonly from_ms: number; readonly to_ms?: number };

const hourMs = 3_600_000;
const flappingCount = 3;
// Time without activity before a flapping incident closes.
const quietMs = 1_800_000;

/**
 * Groups the episodes of one key: episodes that overlap, including the reopen window, form one incident. An incident
 * that a person resolved stays resolved: a later episode opens a new one. Retracted episodes join no incident.
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

// Adds late episodes: an episode that was over before the person closed the incident belongs to that incident.
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

/**
 * Computes when a resolved cluster closes, ms: the end of its last span plus the hold time; undefined while it is
 * active.
 */
export function closingOf({ spans, flapping, episodes }: Cluster): number | undefined {
  const end = spans.at(-1)?.to_ms;
  if (end === undefined) return undefined;
  const ended = episodes.some(({ ending, ends_ms }) => ending === 'manual' && ends_ms === end);
  const hold = (episodes[0]?.policy.hold_s ?? 0) * 1000;
  return ended ? end : end + (flapping ? Math.max(hold, quietMs) : hold);
}

/** The timeline of a cluster, built from its episodes by start. The policy of the first episode applies to all. */
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

  /** Says whether an episode with this start belongs to the timeline; starts come in ascending order. */
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
    // With the policy `last`, the alert that began last sets the end; otherwise the alert that ends last does.
    const goesOn = !this.#last && span.to_ms === undefined;
    if (ends_ms === undefined || goesOn) delete span.to_ms;
    else span.to_ms = this.#last ? ends_ms : Math.max(span.to_ms ?? ends_ms, ends_ms);
  }

  #holds(): number {
    return this.flapping ? Math.max(this.#holdMs, quietMs) : this.#holdMs;
  }
}
