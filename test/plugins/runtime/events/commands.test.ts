import { expect } from 'chai';
import { createServed, type Served } from '../../../helpers/served.ts';

describe('orb events tail', function () {
  this.timeout(60_000);
  let served: Served;
  let at: Readonly<Record<'url' | 'key', string>>;
  before(async () => {
    served = createServed();
    at = await served.start();
  });
  after(async () => {
    await served.stop();
    await served.remove();
  });

  it('prints the event of a run, and ends with it', async () => {
    const response = await fetch(`${at.url}/orbisets/default/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${at.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } }),
    });
    const { run_id } = (await response.json()) as { readonly run_id: string };
    const { status, stdout } = served.orb('events', 'tail', '--run', run_id);
    expect(status).to.equal(0);
    expect(stdout).to.match(new RegExp(`^\\S+ run\\.completed run_id=${run_id} .*orb_id=demo\\.echo@1\\.0\\.0`, 'm'));
  });

  it('says what is wrong with a filter', () => {
    const { status, stderr } = served.orb('events', 'tail', '--types', 'Run');
    expect(status).not.to.equal(0);
    expect(stderr).to.include('types');
  });
});
