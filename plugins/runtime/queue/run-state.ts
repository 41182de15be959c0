import type { RunRow } from '../store.ts';
import type { ApprovalState } from '../facts/held.ts';
import type { QueuedRow } from './store.ts';
import { given, holds, type Principal, type Awaitable, timestamp } from '../../../kernel/index.ts';

/** The state of a queued run in memory, in addition to its row. */
interface QueueView {
  isUnderWay(run: QueuedRow): boolean;
  position(run: QueuedRow): Awaitable<number>;
  approvalOf(run: QueuedRow): Promise<ApprovalState | undefined>;
}

/** Shows a run that waits or is under way; `place`: its place in the queue, when it is known. */
export async function queuedState(run: QueuedRow, queue: QueueView, place?: number): Promise<object> {
  const running = queue.isUnderWay(run);
  const { run_id, status, ...rest } = listedState(run, running);
  const self = `/runs/${run_id}`;
  const approval = await queue.approvalOf(run);
  const position =
    running || run.state === 'held'
      ? {}
      : { position: Math.min(1000, Math.max(1, place ?? (await queue.position(run)))) };
  return {
    run_id,
    status,
    ...position,
    ...rest,
    ...given({ approval }),
    links: { self, events: `/events?run_id=${run_id}`, cancel: `${self}/cancel` },
  };
}

/** Shows a run that waits or is under way in a list. */
export function listedState(run: QueuedRow, running: boolean) {
  const { run_id, state, orbiset_id, orb_id, principal, mode, accepted_at, run_at, expires_at } = run;
  const status = state === 'held' ? 'held' : running ? 'running' : 'queued';
  return {
    ...{ run_id, status, orbiset_id, orb_id, principal, mode },
    queued_at: timestamp(accepted_at),
    ...(run_at > accepted_at ? { run_at: timestamp(run_at) } : {}),
    expires_at: timestamp(expires_at),
  };
}

/** The owner of a run. */
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
