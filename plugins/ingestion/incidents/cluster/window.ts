import type { Subject } from '../../contract.ts';
import type { Episode } from './episode.ts';

/** A maintenance window as the fold reads it. Times in ms. */
export interface Window {
  readonly maintenance_id: string;
  readonly scope: readonly Subject[];
  readonly starts_ms: number;
  readonly ends_ms: number;
}

/** Episodes that open something, and when time alone may change which do. */
interface Placed {
  readonly episodes: readonly Episode[];
  readonly due_ms?: number;
}

/**
 * Leaves out episodes that were too short to open anything or were over before a maintenance window was; what still
 * fires at the end of the window opens then. Only alerts and what is measured wait: a person and
 * the auditor mean what they say.
 */
export function placeEpisodes(episodes: readonly Episode[], windows: readonly Window[], nowMs: number): Placed {
  const placed: Episode[] = [];
  const moments: number[] = [];
  for (const episode of episodes) {
    if (episode.due_ms !== undefined) moments.push(episode.due_ms);
    const starts_ms = isAlert(episode) ? afterWindows(episode, windows) : episode.starts_ms;
    if (episode.ends_ms !== undefined && starts_ms > episode.starts_ms && episode.ends_ms <= starts_ms) continue;
    const opens = openingOf(episode, starts_ms);
    if (opens > (episode.ends_ms ?? Infinity)) continue;
    if (opens > nowMs && opens > episode.starts_ms) moments.push(opens);
    else placed.push(starts_ms === episode.starts_ms ? episode : { ...episode, starts_ms });
  }
  return moments.length === 0 ? { episodes: placed } : { episodes: placed, due_ms: Math.min(...moments) };
}

function isAlert({ key }: Episode): boolean {
  return key.startsWith('scope:') || key.startsWith('measured:');
}

function openingOf({ policy }: Episode, startsMs: number): number {
  return startsMs + policy.for_s * 1000;
}

function afterWindows({ scope, starts_ms }: Episode, windows: readonly Window[]): number {
  let start = starts_ms;
  const covering = windows.filter((window) => covers(window, scope));
  for (const window of [...covering].sort((a, b) => a.starts_ms - b.starts_ms))
    if (start >= window.starts_ms && start < window.ends_ms) start = window.ends_ms;
  return start;
}

// Says whether all of a scope is under maintenance in a window.
function covers(window: Pick<Window, 'scope'>, scope: readonly Subject[]): boolean {
  const inside = ({ kind, id }: Subject): boolean => window.scope.some((own) => own.kind === kind && own.id === id);
  return scope.length > 0 && scope.every(inside);
}
