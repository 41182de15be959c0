import { expect } from 'chai';
import { createClient } from '../../../kernel/cli/command/client.ts';
import { ProviderError } from '../../../kernel/adapter.ts';
import { replayLedger } from '../../../plugins/ledger/commands/replay.ts';
import { fsckCommand } from '../../../plugins/receipts/commands/fsck.ts';
import { runCommand } from '../../helpers/command.ts';
import { createRecorder, recordOrb } from '../../helpers/recorder.ts';
import { startMarket, type Market } from './market.ts';

const orbId = 'test.record@1.0.0';

describe('an installation whose log grows in two shards', function () {
  this.timeout(120_000);
  const recorder = createRecorder();
  let market: Market;
  const start = async (node: string, home?: string): Promise<void> => {
    market = await startMarket({
      platform: { providers: { main: { adapter: 'record/local', config: { name: 'live' } } } },
      data: { [`orbs/${orbId}.json`]: recordOrb({}) },
      adapters: [recorder.adapter],
      env: { ORB_NODE: node },
      ...(home === undefined ? {} : { home }),
    });
  };
  const restart = async (node: string): Promise<void> => {
    const { home } = market.platform;
    await market.platform.stop({ keep: true });
    await start(node, home);
  };
  const call: Market['platform']['call'] = (...asked) => market.platform.call(...asked);
  const run = () => call('POST', '/orbisets/default/execute', { orb_id: orbId, inputs: { token: 't' } });

  before(() => start('a'));
  after(() => market.platform.stop());

  it('counts, resolves, lists and replays what both hold, once', async () => {
    const granted = await call('POST', '/namespaces', { namespace: 'test', owner: { tenant: 'default' } });
    expect(granted.status, JSON.stringify(granted.body)).to.be.oneOf([200, 201]);
    await run();
    recorder.behaviour['live'] = { execute: () => Promise.reject(new ProviderError('unknown', 'no answer')) };
    const open = (await run()).body;
    recorder.behaviour['live'] = {};
    await restart('b');
    const resolved = await call('POST', `/runs/${open.run_id}/resolve`, { outcome: 'sent' });
    expect(resolved.status, JSON.stringify(resolved.body)).to.equal(200);
    await run();
    const published = await call('POST', '/marketplace/orbs/publish', { orb_id: orbId });
    await restart('a');
    const last = (await run()).body;
    await market.endDay();

    const { shards } = (await call('GET', '/log/shards', undefined, null)).body;
    const [first, second] = shards as readonly { node: string; origin: string; status: string }[];
    expect([first?.node, first?.status, second?.node, second?.status]).to.deep.equal(['a', 'active', 'b', 'active']);
    const receipts = await Promise.all(
      [open.receipt.receipt_id, last.receipt.receipt_id].map((id) => call('GET', `/receipts/${id}`)),
    );
    expect(receipts.map(({ body }) => [body.signature_valid, body.proof.origin])).to.deep.equal([
      [true, first?.origin],
      [true, first?.origin],
    ]);
    const resolution = await call('GET', `/receipts/${receipts[0]?.body.resolution}`);
    expect(resolution.body.proof.origin).to.equal(second?.origin);

    const { days } = (await call('GET', `/reputation/${encodeURIComponent(orbId)}/evidence`)).body;
    expect(days).to.have.length(1);
    expect(days[0]).to.include({ ok: 4, fault: 0, resolved_ok: 1 });
    expect(published.status, JSON.stringify(published.body)).to.equal(201);
    const { orbs } = (await call('GET', '/marketplace/orbs')).body;
    expect(orbs.map(({ orb_id }: { orb_id: string }) => orb_id)).to.include(orbId);

    const { adminKey, stateDir, url } = market.platform;
    const client = () => createClient({ ORB_URL: url, ORB_KEY: adminKey }, stateDir);
    const replayed = await runCommand(replayLedger, stateDir, [], { client });
    expect([replayed.exit, replayed.text]).to.deep.equal([0, replayed.text]);
    const checked = await runCommand<{ logs: readonly object[] }>(fsckCommand, stateDir, [`${url}/log`]);
    expect([checked.exit, checked.value.logs.length], checked.text).to.deep.equal([0, 2]);
  });
});
