import { holds, type Principal } from '../../access.ts';
import { PlatformError } from '../../error.ts';
import type { Problem } from '../../http/problem.ts';
import { timestamp } from '../../tools/clock.ts';
import { given } from '../../tools/given.ts';
import { shown } from '../run/run-routes.ts';
import type { RunRow } from '../store.ts';
import type { QueuedRow } from './store.ts';

/** What is known of a run beside its row. */
export interface StateParts {
  readonly underWay: (run: QueuedRow) => boolean;
  readonly position: (run: QueuedRow) => number;
}

/** Shows a run that waits or is under way. */
export function queuedState(run: QueuedRow, { underWay, position: count }: StateParts): object {
  const { run_id: id, orbiset_id: orbiset, orb_id: orb, principal: caller, mode: kind, accepted_at } = run;
  const running = underWay(run);
  return {
    ...{ run_id: id, orbiset_id: orbiset, orb_id: orb, principal: caller, mode: kind },
    status: running ? 'running' : 'queued',
    queued_at: timestamp(accepted_at),
    ...timesOf(run),
    ...(running ? {} : { position: Math.max(1, count(run)) }),
  };
}

/** Shows when a run that waits may begin, and until when. */
export function timesOf({ accepted_at, run_at: at, expires_at: until }: QueuedRow): object {
  return { ...given({ run_at: at > accepted_at ? timestamp(at) : undefined }), expires_at: timestamp(until) };
}

/** Shows a run that has ended, to its own principal with its answer. */
export async function endedState(
  { run, attempts }: { readonly run: RunRow; readonly attempts: readonly object[] | undefined },
  answer: () => Promise<{ readonly outputs: object } | undefined>,
  problemOf: (failure: PlatformError) => Problem,
): Promise<object> {
  const known = { ...shown(run), ...given({ attempts }) };
  try {
    return { ...known, ...given({ outputs: (await answer())?.outputs }) };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return { ...known, problem: problemOf(error).body };
  }
}

/** Who a run belongs to. */
export type Owned = Pick<RunRow, 'tenant' | 'principal' | 'orb_id'>;

/** Says whether a caller may see a run: by `runs:read` those of its tenant, by `orbs:execute` its own. */
export function maySee(run: Owned, { id, tenant, scopes }: Principal): boolean {
  if (scopes.includes('*') || (run.tenant === tenant && holds(scopes, 'runs:read'))) return true;
  return mayAnswer(run, { id, scopes });
}

/** Says whether a caller may read the answer of a run: its own one, of an Orb that it may run. */
export function mayAnswer(run: Owned, { id, scopes }: Pick<Principal, 'id' | 'scopes'>): boolean {
  return run.principal === id && holds(scopes, 'orbs:execute', run.orb_id);
}
