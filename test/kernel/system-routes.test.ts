import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { onPostgres } from '../helpers/store-engine.ts';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';
import { need } from '../helpers/needs.ts';

describe('the list of nodes of a platform with a file', () => {
  it('has that one, without a lease, and needs a scope', async () => {
    const platform = await startPlatform({ env: { ORB_NODE: 'lone' } });
    try {
      const { body } = await platform.call('GET', '/nodes');
      const [node] = body.nodes;
      expect(body.nodes).to.have.length(1);
      expect(node).to.include({ name: 'lone', state: 'live', serving: true, behind: 0 });
      if (!onPostgres) expect(node).not.to.have.property('lease_until');
      const other = await platform.key({ name: 'other', scopes: ['orbs:read'] });
      expect((await platform.call('GET', '/nodes', undefined, other)).body.code).to.equal('insufficient_scope');
    } finally {
      await platform.stop();
    }
  });
});

describe('the metrics of a platform', () => {
  let platform: TestPlatform;
  beforeEach(async () => {
    platform = await startPlatform();
  });
  afterEach(() => platform.stop());

  const metrics = async (): Promise<string> => String((await platform.call('GET', '/metrics')).body);

  it('are 300 series at most before anything was called', async () => {
    await metrics();
    const series = (await metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(series.length).to.be.within(50, 300);
  });

  it('have no fault by promtool, whatever was called', async function () {
    need(this, 'prometheus');
    const execute = (orb_id: string) =>
      platform.call('POST', '/orbisets/default/execute', { orb_id, inputs: { text: 'hello' } });
    expect((await execute('demo.echo@1.0.0')).status).to.equal(200);
    expect((await execute('demo.nobody@1.0.0')).status).to.equal(404);
    expect((await platform.call('POST', '/hooks/nobody', {}, null)).status).to.equal(404);
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: await metrics(),
      encoding: 'utf8',
    });
    expect([status, stdout, stderr]).to.deep.equal([0, '', '']);
  });
});

describe('a server that is told to stop', () => {
  it('says so at /health/ready for a while, and serves until then', async () => {
    const platform = await startPlatform({ platform: { drain_notice_ms: 1000 } });
    const stopped = platform.stop();
    const ready = await platform.call('GET', '/health/ready', undefined, null);
    expect([ready.status, ready.body.status]).to.deep.equal([503, 'draining']);
    expect((await platform.call('GET', '/keys/self')).status).to.equal(200);
    await stopped;
    const refused = await platform.call('GET', '/health/ready', undefined, null).catch(() => 'refused');
    expect(refused).to.equal('refused');
  });
});
