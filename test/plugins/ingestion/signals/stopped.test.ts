import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { openYard } from './yard.ts';

describe('a pipeline that is stopped', () => {
  it('does not plan the next try of what fails meanwhile', async () => {
    const yard = await openYard();
    const source = await yard.source();
    const pipeline = await yard.start();
    yard.sinkErrors.push(new Error('not now'));
    const id = await yard.deliver(source, 'fails');
    await pipeline.stop();
    let idle = false;
    void pipeline.idle().then(() => (idle = true));
    await setImmediate();
    expect([idle, yard.sinkErrors.length, yard.reads.delivery(id)?.state]).to.deep.equal([true, 0, 'queued']);
    await yard.close();
  });
});
