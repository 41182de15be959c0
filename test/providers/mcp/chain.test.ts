import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { startRelay, type Relay } from '../../plugins/mcp/call/relay.ts';
import { startBed, type Bed } from './bed.ts';

describe('an installation as the server of tools of another', () => {
  let far: TestPlatform;
  let relay: Relay;
  let bed: Bed;

  before(async () => {
    far = await startPlatform({
      platform: { providers: { echo: { adapter: 'echo/local' }, outbox: { adapter: 'email/outbox' } } },
    });
    relay = await startRelay('tunnel', far.url);
    const url = `${relay.url}/orbisets/default/mcp`;
    const key = await far.key({ name: 'near', scopes: ['orbs:execute'] });
    bed = await startBed(
      {
        far: {
          adapter: 'mcp/http',
          config: { url, private: true, peer: 'orb', headers: { Authorization: { $env: 'ORB_FAR' } } },
        },
      },
      [],
      { env: { ORB_FAR: `Bearer ${key}` } },
    );
  });
  after(async () => {
    await bed.platform.stop();
    relay.close();
    await far.stop();
  });

  it('is imported and called: each has a receipt of the same run', async () => {
    const { body } = await bed.platform.call('POST', '/providers/far/import', { write: true });
    expect(body.tools.map(({ change }: { change: string }) => change)).to.include('new');
    const answer = await bed.execute('far.demo-echo@1.0.0', { text: 'hi' });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    const { structured } = answer.body.outputs;
    expect(structured).to.deep.include({ status: 'completed', outputs: { text: 'hi' } });
    expect((await far.call('GET', `/receipts/${structured.receipt.receipt_id}`)).status).to.equal(200);
  });

  it('says exactly what became of a call', async () => {
    const inputs = { to: 'nobody', from_address: 'orb@example.com', subject: 'hello', body: 'hi' };
    const answer = await bed.execute('far.notify-email@1.0.0', inputs);
    expect([answer.status, answer.body.code]).to.deep.equal([422, 'provider_rejected']);
    expect((await bed.factsOf(answer)).attempts[0].phase).to.be.oneOf(['invalid_inputs', 'provider_rejected']);
  });

  it('does a call once whose answer was lost on the way, and completes it', async () => {
    const inputs = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'once', body: 'hi' };
    const sent = async (): Promise<number> =>
      (await far.call('GET', '/runs?orb_id=notify.email@1.0.0')).body.runs.length;
    const before = await sent();
    relay.cutNext(0);
    const answer = await bed.execute('far.notify-email@1.0.0', inputs);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    const outcomes = (await bed.factsOf(answer)).attempts.map(({ outcome }: { outcome: string }) => outcome);
    expect(outcomes).to.deep.equal(['unknown', 'accepted']);
    expect(await sent()).to.equal(before + 1);
  });
});
