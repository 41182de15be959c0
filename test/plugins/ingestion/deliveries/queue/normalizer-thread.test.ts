import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { createNormalizerThread } from '../../../../../plugins/ingestion/deliveries/queue/normalizer-thread.ts';
import type { Stored } from '../../../../../plugins/ingestion/deliveries/queue/normalize.ts';

// As large as goes to the thread; what it holds is no JSON.
const large = {
  size: 1024 * 1024,
  most_bytes: 1024 * 1024,
  delivery: { vendor: 'generic', headers: {}, query: {} },
  body: { form: 'raw', bytes: Buffer.from('{') },
  settings: {},
  default_severity: 'warning',
} as unknown as Stored;

describe('the thread that normalises large deliveries', () => {
  it('that fails while it has nothing to do does not end the process, and is started again', async () => {
    const normalizer = createNormalizerThread(10_000);
    const first = once(process, 'worker') as Promise<[Worker]>;
    expect(await normalizer.normalize(large)).to.have.property('undecodable');
    const [worker] = await first;
    worker.emit('error', new Error('out of memory'));
    const second = once(process, 'worker') as Promise<[Worker]>;
    expect(await normalizer.normalize(large)).to.have.property('undecodable');
    expect((await second)[0]).not.to.equal(worker);
    await Promise.all([normalizer.stop(), worker.terminate()]);
  });
});
