import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { allowing, says, startTarget, type RawTarget } from './bed.ts';

describe('http.fetch and http.send through the front door', () => {
  let target: RawTarget;
  let platform: TestPlatform;
  before(async () => {
    target = await startTarget();
    platform = await startPlatform({
      platform: {
        providers: {
          web: {
            adapter: 'http/client',
            config: allowing(target, { headers: { authorization: { $env: 'WEB_TOKEN' } } }),
          },
        },
      },
      env: { WEB_TOKEN: 'Bearer secret' },
    });
  });
  after(async () => {
    await platform.stop();
    await target.close();
  });

  const run = async (orb_id: string, inputs: object, key?: string) =>
    platform.call('POST', '/orbisets/default/execute', { orb_id, inputs }, key);

  it('answer what the target said, with its credentials and a receipt', async () => {
    target.behaviour = says(404, { 'content-type': 'application/json' }, '{}');
    const { status, body } = await run('http.fetch@1.0.0', { url: `${target.url}/a` });
    expect(status).to.equal(200);
    expect(body.outputs).to.deep.equal({
      status: 404,
      headers: { 'content-length': '2', 'content-type': 'application/json' },
      body: '{}',
      encoding: 'utf8',
    });
    expect(body.receipt.receipt_id).to.match(/^rec_/);
    expect(target.requests.at(-1)?.lines).to.include('authorization: Bearer secret');
  });

  it('send once, under the key of the run at this provider', async () => {
    target.behaviour = says(201, {}, 'made');
    const { status, body } = await run('http.send@1.0.0', { url: target.url, method: 'POST', json: { a: 1 } });
    expect([status, body.outputs.status, body.outputs.body]).to.deep.equal([200, 201, 'made']);
    expect(target.requests.at(-1)?.lines.join('\n')).to.match(/^idempotency-key: [a-z2-7]{52}$/m);
  });

  it('say that the outcome is unknown after a 5xx of a send, and send nothing again', async () => {
    target.behaviour = says(500);
    const before = target.requests.length;
    const { status, body } = await run('http.send@1.0.0', { url: target.url, method: 'DELETE' });
    expect([status, body.code, body.retryable]).to.deep.equal([504, 'outcome_unknown', false]);
    expect(target.requests).to.have.length(before + 1);
  });

  it('refuse a host that is not listed with a receipt, and an effect in a fetch without one', async () => {
    const blocked = await run('http.fetch@1.0.0', { url: 'http://169.254.169.254/latest/meta-data' });
    expect([blocked.status, blocked.body.code]).to.deep.equal([422, 'provider_rejected']);
    expect(blocked.body.receipt.receipt_id).to.match(/^rec_/);
    const effect = await run('http.fetch@1.0.0', { url: target.url, method: 'DELETE' });
    expect([effect.status, effect.body.code]).to.deep.equal([422, 'invalid_inputs']);
    expect(effect.body).not.to.have.property('receipt');
  });

  it('are no sandbox: a test key reaches no target', async () => {
    const { key } = (await platform.call('POST', '/keys', { name: 't', mode: 'test', scopes: ['*'] })).body;
    const { status, body } = await run('http.fetch@1.0.0', { url: target.url }, key);
    expect([status, body.code]).to.deep.equal([503, 'no_provider_allowed']);
  });
});
