import { startPlatform } from '../helpers/platform.ts';
import { createServed } from '../helpers/served.ts';

// What every platform does, so that it tells no test from another: it starts, executes a run and stops.
describe('a platform', () => {
  it('starts, executes a run and stops', async () => {
    const platform = await startPlatform({ firstStart: true });
    await platform.call('POST', '/orbisets/default/execute', { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } });
    await platform.stop();
  });

  it('does so as a process', async () => {
    const served = createServed();
    await served.start();
    await served.stop();
    await served.remove();
  });
});
