import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';

const orb = 'team.send_it@1.0.0';
const filed = 'test.record@1.0.0';

describe('PUT /orbs/{orb_id}', () => {
  const recorder = createRecorder();
  let platform: TestPlatform;
  before(async () => {
    const provider = (name: string) => ({ adapter: 'record/local', config: { name } });
    const providers = { slow: provider('slow'), a: provider('a') };
    platform = await startPlatform({
      platform: { providers, bindings: { [filed]: ['a'] } },
      data: { [`orbs/${filed}.json`]: recordOrb() },
      adapters: [recorder.adapter],
    });
  });
  after(() => platform?.stop());

  it('answers when the providers of the Orb are open, also if that takes longer than a start waits', async () => {
    recorder.behaviour['slow'] = { open: () => new Promise((resolve) => setTimeout(resolve, 2500)) };
    expect((await platform.call('PUT', `/orbs/${orb}`, recordOrb({ orb_id: orb }))).status).to.equal(201);
    const { body } = await platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token: 'x' } });
    expect(body.outputs).to.include({ token: 'x', by: 'slow' });
  });
});
