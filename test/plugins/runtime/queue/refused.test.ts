import { expect } from 'chai';
import { PlatformError, type Operation } from '../../../../kernel/index.ts';
import { StoreRetry } from '../../../../plugins/runtime/journal/store-retry.ts';
import { RunQueue, type QueueOptions } from '../../../../plugins/runtime/queue/queue.ts';
import type { Claim } from '../../../../plugins/runtime/journal/keys.ts';
import type { ExecuteCall } from '../../../../plugins/runtime/run/execute.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { rejection } from '../../../helpers/stores/open.ts';
import { DispatchBed } from '../dispatch-bed.ts';

describe('a run that the store does not take into the queue', () => {
  it('leaves its key free as soon as the store takes that, and its caller hears at once', async () => {
    const freed: string[] = [];
    let isFull = true;
    const write = async (operations: readonly Operation[]) => {
      if (isFull) throw new PlatformError('storage_unavailable', 'the disk is full');
      freed.push(...operations.map(({ name }) => name));
    };
    const retry = new StoreRetry(silentLog);
    const queue = new RunQueue({
      store: { shared: true, write, reads: () => ({}), awaitedReads: () => ({}), peers: { follow: () => undefined } },
      execution: { admit: async () => new DispatchBed().run([]) },
      events: { queued: () => ({ name: 'queued' }) },
      clock: { now: () => 0 },
      ...{ log: silentLog, retry },
    } as unknown as QueueOptions);
    const claim = { name: {}, take: async () => undefined, freed: () => [{ name: 'freeKey' }] } as unknown as Claim;
    const refused = await rejection(queue.enter({} as ExecuteCall, { waitMs: 0, applied: '' }, claim));
    expect(refused).to.include({ code: 'storage_unavailable' });
    expect(freed).to.deep.equal([]);
    isFull = false;
    await retry.close();
    expect(freed).to.deep.equal(['freeKey']);
  });
});
