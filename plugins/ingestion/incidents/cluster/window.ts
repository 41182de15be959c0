import { given } from '../../../../kernel/index.ts';
import type { MaintenanceView, Subject } from '../../contract.ts';
import { concerns } from '../model/view.ts';
import type { Episode } from './episode.ts';

/** A maintenance window in the form that the fold reads. Times in ms. */
export interface Window {
  readonly maintenance_id: string;
  readonly scope: readonly Subject[];
  readonly starts_ms: number;
  readonly ends_ms: number;
}

/** Converts a window to the form that the fold reads. */
export function windowOf({ maintenance_id, scope, starts_at, ends_at }: MaintenanceView): Window {
  return { maintenance_id, scope, starts_ms: Date.parse(starts_at), ends_ms: Date.parse(ends_at) };
}

/**
 * Removes episodes that were too short to open an incident, or that ended before their maintenance window did. An
 * episode that is still active at the end of the window starts then. This applies only to alerts and measurements: acts
 * of persons and findings of the auditor take effect at once. `due_ms`: the next time at which this may change without
 * an event.
 */
export function placeEpisodes(episodes: readonly Episode[], windows: readonly Window[], nowMs: number) {
  const placed: Episode[] = [];
  const moments: number[] = [];
  for (const episode of episodes) {
    if (episode.due_ms !== undefined) moments.push(episode.due_ms);
    const starts_ms = isAlert(episode) ? afterWindows(episode, windows) : episode.starts_ms;
    if (episode.ends_ms !== undefined && starts_ms > episode.starts_ms && episode.ends_ms <= starts_ms) continue;
    const opens = starts_ms + episode.policy.for_s * 1000;
    if (opens > (episode.ends_ms ?? Infinity)) continue;
    if (opens > nowMs && opens > episode.starts_ms) moments.push(opens);
    else placed.push(starts_ms === episode.starts_ms ? episode : { ...episode, starts_ms });
  }
  return given({ episodes: placed, due_ms: moments.length === 0 ? undefined : Math.min(...moments) });
}

function isAlert({ key }: Episode): boolean {
  return key.startsWith('scope:') || key.startsWith('measured:');
}

function afterWindows({ scope, starts_ms }: Episode, windows: readonly Window[]): number {
  let start = starts_ms;
  const covering = windows.filter((window) => scope.length > 0 && scope.every((one) => concerns(window.scope, one)));
  for (const window of [...covering].sort((a, b) => a.starts_ms - b.starts_ms))
    if (start >= window.starts_ms && start < window.ends_ms) start = window.ends_ms;
  return start;
}
