import { runInThisContext } from 'node:vm';
import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';

interface Report {
  readonly overall: string;
  readonly checks: readonly { readonly name: string; readonly result: string; readonly meaning: string }[];
}

describe('the verifier as a script', () => {
  let platform: TestPlatform;
  let receipt: { envelope: { payload: string } };
  let keys: object;
  let verify: (receipt: string, keys: string) => Report;
  const path = '/verify/verifier.js';
  const place = globalThis as { orbVerifier?: unknown };

  before(async () => {
    platform = await startPlatform();
    const request = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
    const { body } = await platform.call('POST', '/orbisets/default/execute', request);
    receipt = (await platform.call('GET', `/receipts/${body.receipt.receipt_id}`)).body;
    keys = (await platform.call('GET', '/.well-known/jwks.json', undefined, null)).body;
    runInThisContext(await (await fetch(platform.url + path)).text());
    verify = place.orbVerifier as typeof verify;
  });
  after(async () => {
    delete place.orbVerifier;
    await platform.stop();
  });

  it('verifies a receipt by the keys it is given', () => {
    const { overall, checks } = verify(JSON.stringify(receipt), JSON.stringify(keys));
    expect(overall).to.equal('VERIFIED');
    expect(checks.map(({ name }) => name)).to.include.members(['envelope', 'key_trusted', 'inclusion']);
    expect(checks.every(({ meaning }) => meaning !== '')).to.equal(true);
  });

  it('verifies receipts of the facts that plugins declare', async () => {
    const scope = [{ kind: 'component', id: 'runtime' }];
    const { body } = await platform.call('POST', '/incidents', { title: 'x', severity: 'warning', scope });
    const incident = (await platform.call('GET', `/receipts/${body.receipt_id}`)).body as object;
    expect(verify(JSON.stringify(incident), JSON.stringify(keys)).overall).to.equal('VERIFIED');
  });

  it('rejects a receipt that was changed, and one by other keys', () => {
    const { payload } = receipt.envelope;
    const text = Buffer.from(payload, 'base64').toString().replace('completed', 'cancelled');
    const changed = { ...receipt, envelope: { ...receipt.envelope, payload: Buffer.from(text).toString('base64') } };
    expect(verify(JSON.stringify(changed), JSON.stringify(keys)).overall).to.equal('REJECTED');
    expect(verify(JSON.stringify(receipt), '{"keys":[]}').overall).to.equal('REJECTED');
    expect(verify(JSON.stringify(receipt), 'nothing').overall).to.equal('REJECTED');
  });

  it('is sent once for each version', async () => {
    const answer = await fetch(platform.url + path);
    expect(answer.headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
    const again = await fetch(platform.url + path, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } });
    expect(again.status).to.equal(304);
  });
});
