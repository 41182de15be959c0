import { PlatformError } from '../../../kernel/index.ts';
import type { OrbState } from '../projection/orb.ts';
import type { Changes, OrbEvent, State } from '../projection/state.ts';
import { turned } from '../projection/suspension.ts';
import type { FollowScope } from './scope.ts';
import { breath } from './pages.ts';

const patienceMs = 10_000;
const pollMs = 50;

/**
 * Waits until the node that folds the log has folded what was committed before the call, at most ten seconds. Rejects
 * with 503 `storage_unavailable` then. `ended`: true ends the wait early.
 */
export async function foldedElsewhere(
  { log, reads }: Pick<FollowScope, 'log' | 'reads'>,
  ended: () => boolean,
): Promise<void> {
  const heads = await log.heads();
  const end = performance.now() + patienceMs;
  while (!ended()) {
    const folded = new Map((await reads.cursors()).rows.map(({ index, origin }) => [origin, index + 1]));
    if (heads.every(({ origin, tree_size: size }) => (folded.get(origin) ?? 0) >= size)) return;
    if (performance.now() > end)
      throw new PlatformError('storage_unavailable', 'no node read the log to its end within ten seconds', {
        retry_after: 5,
      });
    await breath(pollMs);
  }
}

/** Finds what one state changed of another, as far as answers depend on it. */
export function differences(before: State, after: State): Changes {
  const orbs = changed(before.orbs, after.orbs);
  return {
    orbs,
    incidents: changed(before.incidents, after.incidents),
    namespaces: changed(before.namespaces, after.namespaces),
    events: orbs.flatMap((orb) => turnsOf(before.orbs.get(orb.orb_id), orb)),
    ...{ refused: [], deciders: [], revoked: [], waiting: [], arrived: [] },
  };
}

function changed<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): readonly T[] {
  return [...after].flatMap(([name, value]) =>
    JSON.stringify(before.get(name)) === JSON.stringify(value) ? [] : [value],
  );
}

// Only the notification of listeners: the events themselves are in the store.
function turnsOf(before: OrbState | undefined, orb: OrbState): readonly OrbEvent[] {
  const events = turned({ ...orb, causes: before?.causes ?? [] }, orb.causes, 0, 'auto');
  return events.map((event) => ({ ...event, orb_id: orb.orb_id, day: '' }));
}
