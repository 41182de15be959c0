import { healths, type NotedMinute } from './store.ts';

/** The health of a provider in one step of time: the worst of it. */
export interface HealthPoint {
  /** Start of the step, ms since 1970. */
  readonly at: number;
  readonly health: (typeof healths)[number];
  /** Why; absent: it is not known, or it was up. */
  readonly reason?: string;
}

/** What a history is made of. */
export interface HistoryParts {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  /** What was noted before `from`, the newest first. */
  readonly before: readonly NotedMinute[];
  /** What was noted since, the newest first. */
  readonly noted: readonly NotedMinute[];
  /** Names of the nodes that serve now: what others noted last has ended with them. */
  readonly serving: ReadonlySet<string>;
}

interface State {
  readonly health: number;
  readonly reason: string;
}

const up = healths.indexOf('up');

/** Makes the points of a history, the oldest first: the worst over all nodes; no point where nothing is known. */
export function historyOf({ from, to, stepMs, before, noted, serving }: HistoryParts): readonly HealthPoint[] {
  const states = new Map<string, State>();
  for (const one of [...before].reverse()) states.set(one.node, lastOf(one));
  for (const node of states.keys()) if (!serving.has(node)) states.delete(node);
  const left = [...noted].reverse();
  const points: HealthPoint[] = [];
  for (let at = from; at < to; at += stepMs) {
    let worst = worstOf([...states.values()]);
    for (let next = left[0]; next !== undefined && next.at < at + stepMs; next = left[0]) {
      left.shift();
      worst = worstOf([...(worst === undefined ? [] : [worst]), { health: next.worst, reason: next.reason }]);
      if (serving.has(next.node)) states.set(next.node, lastOf(next));
    }
    if (worst !== undefined) points.push(pointOf(at, worst));
  }
  return points;
}

// The reason is that of the worst of the minute, which may be over at its end.
function lastOf({ health, reason, worst }: NotedMinute): State {
  return { health, reason: health === worst ? reason : '' };
}

function worstOf(all: readonly State[]): State | undefined {
  return all.reduce<State | undefined>((worst, one) => (one.health > (worst?.health ?? -1) ? one : worst), undefined);
}

function pointOf(at: number, { health, reason }: State): HealthPoint {
  const point = { at, health: healths[health] ?? 'unknown' };
  return health <= up || reason === '' ? point : { ...point, reason };
}
