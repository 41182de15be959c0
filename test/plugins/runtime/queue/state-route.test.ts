import { expect } from 'chai';
import { runStateRoutes, type RunStateOptions } from '../../../../plugins/runtime/queue/routes.ts';
import type { QueuedRow } from '../../../../plugins/runtime/queue/store.ts';
import type { RunRow } from '../../../../plugins/runtime/store.ts';

const owner = { tenant: 'default', principal: 'prn_1', orb_id: 'demo.echo@1.0.0', orbiset_id: 'default' };
const times = { accepted_at: 0, run_at: 0, expires_at: 1000 };
// What the route reads of both rows.
const queued = { ...owner, ...times, run_id: 'run_1', mode: 'live' } as unknown as QueuedRow;
const ended = { ...owner, run_id: 'run_1', status: 'completed', receipt_id: 'rec_1' } as unknown as RunRow;

describe('GET /runs/{run_id}?wait', () => {
  // The store answers later than the route asks: the run may end between any two of its reads.
  for (let reads = 1; reads <= 3; reads++)
    it(`answers the end of a run that ends after read ${reads} of its place in the queue`, async () => {
      let left = reads;
      let waited = 0;
      const queue = {
        find: async () => (left-- > 0 ? queued : undefined),
        isUnderWay: () => true,
        wait: async () => {
          waited++;
          left = 0;
        },
        answer: async () => undefined,
      } as unknown as RunStateOptions['queue'];
      const options = {
        ...{ queue, problems: {}, publicUrl: '' },
        reads: { findRun: async () => ended },
        attempts: async () => [],
      } as unknown as RunStateOptions;
      const [route] = runStateRoutes(options);
      const principal = { id: 'prn_1', tenant: 'default', scopes: ['*'] };
      const call = {
        ...{ params: { run_id: 'run_1' }, query: { wait: 20 }, principal },
        callerNow: async () => principal,
        hold: () => new AbortController().signal,
      };
      const answer = await route?.handle(call as never);
      expect(answer).to.include({ run_id: 'run_1', status: 'completed' });
      expect(waited).to.be.at.most(1);
    });
});
