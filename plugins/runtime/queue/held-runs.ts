import type { HeldRuns } from '../facts/held.ts';
import { heldDenial, heldEnding } from '../run/held.ts';
import type { Lines } from './lines.ts';
import { readRequest } from './request.ts';
import queueStore, { type ClaimedRow, type QueuedRow, type QueueReads } from './store.ts';
import type { Turns } from './turn.ts';
import { every, operation, type Awaitable, type Clock, type Log, type Store } from '../../../kernel/index.ts';

/** What the runs that wait for people need of the queue. */
export interface HeldRunsParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly lines: Lines;
  readonly turns: Turns;
  readonly find: (runId: string) => Awaitable<QueuedRow | undefined>;
  /** Finds the sealed request of a run. */
  readonly request: (runId: string) => Awaitable<Uint8Array | undefined>;
  readonly wake: () => void;
  /** Called when a run has ended. */
  readonly ended: (row: ClaimedRow) => void;
}

/** Lets people's decisions release held runs, or end them. */
export function heldRuns({ store, clock, lines, turns, find, request, wake, ended }: HeldRunsParts): HeldRuns {
  return {
    async inputs(runId) {
      const [row, sealed] = [await find(runId), await request(runId)];
      if (row?.state !== 'held' || sealed === undefined) return undefined;
      return readRequest(Buffer.from(store.sealer.open('inputs', sealed)).toString()).fact.inputs;
    },
    release: (run_id) => operation(queueStore, 'goOn', { run_id, now: clock.now() }),
    async released(runId) {
      const row = await find(runId);
      if (row === undefined) return;
      lines.note(row.tenant, row.orbiset_id, row.due_at);
      wake();
    },
    async deny(run_id, why) {
      const [row] = await store.write([operation(queueStore, 'claimOne', { node: store.node, run_id, held: true })]);
      // A node that claimed it may have died: it is held again when that node's work is taken up.
      if (row === undefined) return (await find(run_id))?.state === 'claimed';
      const { decision } = readRequest(row.request).fact;
      await turns.end(row, { ending: heldEnding(why), decision: heldDenial(decision, why) });
      ended(row);
      return true;
    },
  };
}

const expiryMs = 1000;
const mostAtOnce = 100;

/** What ends held runs without the plugin that keeps approvals. */
interface ExpiryParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Denies held runs whose time is over, while no plugin keeps approvals: nobody can decide on them. Those whose time is not
 * over wait, because the plugin may come back. Returns what ends that.
 */
export function expireHeld(
  held: Pick<HeldRuns, 'deny'>,
  reads: Pick<QueueReads, 'expiredHeld'>,
  { clock, log }: ExpiryParts,
): () => void {
  const expire = async (): Promise<void> => {
    for (const run_id of await reads.expiredHeld(clock.now(), mostAtOnce))
      // One that cannot be ended keeps no other from its end.
      await held
        .deny(run_id, 'approval_expired')
        .catch((err: unknown) => log.warn({ err, run_id }, 'the server could not end a held run; it tries again'));
  };
  return every(expiryMs, expire, (err) =>
    log.warn({ err }, 'the server could not end held runs whose time is over; it tries again'),
  );
}
