import { expect } from 'chai';
import { heldRuns, type HeldRunsParts } from '../../../../plugins/runtime/queue/held-runs.ts';
import type { QueuedRow } from '../../../../plugins/runtime/queue/store.ts';

/** Held runs of a queue in which nothing can be claimed. */
function unclaimable(state: QueuedRow['state'] | undefined) {
  const found = state === undefined ? undefined : ({ run_id: 'run_1', state } as QueuedRow);
  const store = { node: { name: 'b', incarnation: '1' }, write: async () => [undefined] };
  return heldRuns({ store, find: () => found } as unknown as HeldRunsParts);
}

describe('a held run that is to be denied', () => {
  it('is not held any more when the queue does not have it, or it waits for its turn', async () => {
    for (const state of [undefined, 'queued'] as const)
      expect(await unclaimable(state).deny('run_1', 'approval_refused'), state).to.equal(false);
  });

  it('is ended by the node that has claimed it, or is held again when that node has died: it is asked for again', async () => {
    expect(await unclaimable('claimed').deny('run_1', 'approval_refused')).to.equal(true);
  });
});
