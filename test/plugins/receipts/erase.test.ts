import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { inStore } from '../../helpers/stored.ts';
import { waywardAdapter, waywardOrb } from '../../helpers/wayward.ts';

const orb = 'test.irreversible@1.0.0';

describe('what is kept of a run', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform({
      adapters: [waywardAdapter],
      platform: { providers: { odd: { adapter: 'wayward/local' } }, bindings: { [orb]: ['odd'] } },
      data: { [`orbs/${orb}.json`]: waywardOrb('irreversible') },
    });
    const set = { id: 'keeping', orbs: ['*'], retention_days: { inputs: 7, outputs: 7 } };
    expect((await platform.call('POST', '/orbisets', set)).status).to.equal(201);
  });
  after(() => platform.stop());

  const run = async (behaviour: string): Promise<{ run_id: string; receipt_id: string }> => {
    const body = { orb_id: orb, inputs: { behaviour, echo: 'x' } };
    const answer = (await platform.call('POST', '/orbisets/keeping/execute', body)).body;
    const { run_id } = answer;
    return { run_id, receipt_id: (await platform.call('GET', `/runs/${run_id}`)).body.receipt_id };
  };
  const disclosed = async (id: string): Promise<readonly string[]> =>
    Object.keys((await platform.call('GET', `/receipts/${id}?disclose=inputs,outputs`)).body.disclosed);
  const kept = (id: string): ReturnType<typeof inStore> =>
    inStore(platform.home, 'SELECT name FROM receipts_values WHERE receipt_id = ? ORDER BY name', id);
  const erase = (id: string, key?: string) => platform.call('DELETE', `/receipts/${id}/values`, undefined, key);

  it('is erased by a request, and the receipt verifies as before', async () => {
    const { receipt_id: id } = await run('answers');
    expect(await disclosed(id)).to.deep.equal(['inputs', 'outputs']);
    const { status, body } = await erase(id);
    expect([status, body]).to.deep.equal([200, { receipt_id: id, erased: 2 }]);
    expect(await disclosed(id)).to.deep.equal([]);
    expect(await kept(id)).to.deep.equal([]);
    expect((await platform.call('GET', `/receipts/${id}`)).body.signature_valid).to.equal(true);
    expect((await erase(id)).body.erased, 'again').to.equal(0);
  });

  it('is erased with the reason of its failure', async () => {
    const { receipt_id: id, run_id } = await run('has a fault');
    const failure = async () => (await platform.call('GET', `/runs/${run_id}`)).body.failure;
    expect(await failure()).to.include({ message: 'the account is suspended' });
    expect((await erase(id)).body.erased).to.equal(2);
    expect(await kept(id)).to.deep.equal([]);
    expect(await failure()).to.equal(undefined);
  });

  it('is erased by nobody without the scope, nor by another tenant', async () => {
    const { receipt_id: id } = await run('answers');
    const reader = await platform.key({ scopes: ['receipts:read'] });
    const stranger = await platform.key({ scopes: ['receipts:read', 'receipts:erase'], tenant: 'other' });
    expect((await erase(id, reader)).status).to.equal(403);
    expect((await erase(id, stranger)).status).to.equal(404);
    expect(await kept(id)).to.have.length(2);
    const eraser = await platform.key({ scopes: ['receipts:read', 'receipts:erase'] });
    expect((await erase(id, eraser)).body.erased).to.equal(2);
  });
});
