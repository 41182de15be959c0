import type { HeldRuns } from '../facts/held.ts';
import { heldDenial, heldEnding } from '../run/held.ts';
import type { Lines } from './lines.ts';
import { readRequest } from './request.ts';
import queueStore, { type ClaimedRow, type QueuedRow } from './store.ts';
import type { Turns } from './turn.ts';
import { operation, type Awaitable, type Clock, type Store } from '../../../kernel/index.ts';

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
      if (row === undefined) return false;
      const { decision } = readRequest(row.request).fact;
      await turns.end(row, { ending: heldEnding(why), decision: heldDenial(decision, why) });
      ended(row);
      return true;
    },
  };
}
