import { expect } from 'chai';
import { definePlugin } from '../../../kernel/index.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';
import { inStore } from '../../helpers/stored.ts';

const orb_id = 'demo.echo@1.0.0';

// Denies what is suspended; the shipped policies leave that to the operator.
const decider = definePlugin({
  name: 'decider',
  start({ hooks }) {
    hooks.authorize.tap('decider', ({ action, resource }) => {
      const suspended = resource['state'] === 'suspended';
      return { allow: action.name !== 'execute' || !suspended, policies: ['decider'], warns: 0, shadow_denies: 0 };
    });
    return {};
  },
});
const platform = {
  authorize: 'decider',
  providers: { echo: { adapter: 'echo/local' } },
  plugins: { decider: {} },
};

describe('a server that starts far behind its log', function () {
  this.timeout(180_000);
  let server: TestPlatform;
  const start = async (home?: string): Promise<void> => {
    server = await startPlatform({ platform, plugins: [decider], ...(home === undefined ? {} : { home }) });
  };
  const run = async (): Promise<string> => {
    const { status, body } = await server.call('POST', '/orbisets/default/execute', { orb_id, inputs: { text: 'x' } });
    return status === 200 ? 'completed' : body.code;
  };
  // As after a restored store whose ledger was left out: `from` the first entry, or without any projection.
  const setBack = async (...statements: readonly string[]): Promise<void> => {
    for (const sql of statements) await inStore(server.home, sql);
  };

  before(async () => {
    await start();
    for (let round = 0; round < 22; round++) await Promise.all(Array.from({ length: 50 }, run));
    const { status } = await server.call('POST', `/reputation/${orb_id}/suspend`, { reason: 'a test' });
    expect([status, await run()]).to.deep.equal([200, 'access_denied']);
  });
  after(() => server.stop());

  it('refuses a suspended Orb from the first request on, though it has not counted that far', async () => {
    await server.stop({ keep: true });
    await setBack('UPDATE ledger_cursors SET idx = 5', "DELETE FROM ledger_documents WHERE kind = 'orb'");
    await start(server.home);
    expect(await run()).to.equal('access_denied');
    const ready = await server.call('GET', '/health/ready');
    expect([ready.status, ready.body.components.ledger]).to.deep.equal([200, 'degraded']);
    expect((await server.call('GET', '/marketplace/orbs')).body.as_of.index).to.be.at.least(5);
    const lifted = await server.call('POST', `/reputation/${orb_id}/reinstate`, { reason: 'again' });
    expect([lifted.body.state, await run()], 'a change takes effect at once').to.deep.equal(['active', 'completed']);
    const health = async () => (await server.call('GET', '/health/ready')).body.components.ledger as string;
    expect(await until(health, (found) => found !== 'degraded', 'the end of the log')).to.equal('up');
    expect((await server.call('GET', '/marketplace/orbs')).body).to.not.have.property('as_of');
    expect(await run()).to.equal('completed');
  });

  it('without a projection says that it reads the log for the first time, then runs', async () => {
    await server.stop({ keep: true });
    await setBack('DELETE FROM ledger_cursors', 'DELETE FROM ledger_documents');
    await start(server.home);
    expect(await run()).to.equal('ledger_behind');
    expect((await server.call('GET', '/marketplace/orbs')).body.code).to.equal('ledger_behind');
    expect((await server.call('GET', '/health/ready')).status).to.equal(503);
    await until(
      async () => (await server.call('GET', '/health/ready')).status,
      (status) => status === 200,
      'the projection',
    );
    expect(await run()).to.equal('completed');
  });
});
