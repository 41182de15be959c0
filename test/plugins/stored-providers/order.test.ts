import { expect } from 'chai';
import { ProviderError } from '../../../kernel/adapter.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { createRecorder, recordOrb } from '../../helpers/recorder.ts';
import { browserCall, ownPage, signIn } from '../console/browser-call.ts';

const orb = 'test.record@1.0.0';
const bound = 'test.bound@1.0.0';
const path = `/providers/${orb}/order`;

describe('the order of the providers of an Orb', function () {
  const recorder = createRecorder();
  let platform: TestPlatform;
  const start = async (home?: string): Promise<void> => {
    const provider = (name: string) => ({ adapter: 'record/local', config: { name } });
    platform = await startPlatform({
      ...(home === undefined ? {} : { home }),
      adapters: [recorder.adapter],
      platform: {
        providers: { a: provider('a'), b: provider('b'), c: provider('c'), echo: { adapter: 'echo/local' } },
        bindings: { [bound]: ['b', 'a'] },
      },
      data: {
        [`orbs/${orb}.json`]: recordOrb(),
        [`orbs/${bound}.json`]: recordOrb({ orb_id: bound }),
      },
    });
  };
  const call = (method: string, at = path, body?: object, key?: string): Promise<Answer> =>
    platform.call(method, at, body, key);
  const put = (...standbys: readonly string[]) => call('PUT', path, { standbys });
  const tried = async (): Promise<readonly string[]> =>
    (await call('GET', `/providers/${orb}/status`)).body.providers.map(({ name }: { name: string }) => name);
  before(() => start());
  after(() => platform?.stop());

  it('is that of platform.json by default, and says where it comes from', async () => {
    expect((await call('GET')).body).to.deep.equal({
      ...{ orb_id: orb, active_provider: 'a', standbys: ['b', 'c'], others: [], source: 'default' },
    });
    expect((await call('GET', `/providers/${bound}/order`)).body).to.deep.include({ source: 'file', others: ['c'] });
    expect((await call('GET', '/providers/test.none@1.0.0/order')).body.code).to.equal('orb_not_found');
  });

  it('is changed at once, which the status and the settings show', async () => {
    const changed = await put('c', 'b');
    expect([changed.status, changed.body.standbys, changed.body.source]).to.deep.equal([200, ['c', 'b'], 'store']);
    expect(await tried()).to.deep.equal(['a', 'c', 'b']);
    const { settings } = (await call('GET', '/config')).body;
    expect(settings).to.deep.include({ part: 'bindings', name: orb, source: 'store', value: '["a","c","b"]' });
  });

  it('is attested: the receipt verifies, names the order and who changed it, and is listed as a change', async () => {
    const { receipt_id } = (await call('GET')).body;
    const { body } = await call('GET', `/receipts/${receipt_id}`);
    expect([body.signature_valid, body.statement.predicateType]).to.deep.equal([true, 'urn:agent-orb:order:v1']);
    const { facts, orb_id } = body.statement.predicate;
    expect([orb_id, facts.change, facts.providers]).to.deep.equal([orb, 'changed', ['a', 'c', 'b']]);
    expect(facts.principal).to.match(/^prn_/);
    const [listed] = (await call('GET', '/receipts/changes?kind=order')).body.changes;
    expect(listed).to.deep.include({ receipt_id, kind: 'order', change: 'changed', subject: orb, orb_id: orb });
  });

  it('is attested once: the same order again writes nothing', async () => {
    const before = platform.taps.get('attest');
    expect((await put('c', 'b')).status).to.equal(200);
    expect(platform.taps.get('attest')).to.equal(before);
  });

  it('survives a swap, a reload of platform.json and a restart', async () => {
    expect((await call('POST', `/providers/${orb}/swap`, { provider: 'b' })).status).to.equal(200);
    expect(await tried()).to.deep.equal(['b', 'a', 'c']);
    expect((await call('POST', `/providers/${orb}/rollback`)).status).to.equal(200);
    expect((await call('POST', '/config/reload')).body.providers).to.deep.equal([]);
    expect((await call('GET', '/config/changes')).body.orders).to.deep.equal([]);
    const { home } = platform;
    await platform.stop({ keep: true });
    await start(home);
    expect(await tried()).to.deep.equal(['a', 'c', 'b']);
  });

  it('is the one in which a run goes on that the active provider cannot serve', async () => {
    recorder.behaviour['a'] = {
      execute: () => {
        throw new ProviderError('not_sent', 'refused');
      },
    };
    const run = await call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token: 'x' } });
    expect([run.status, run.body.outputs?.by]).to.deep.equal([200, 'c']);
    recorder.behaviour['a'] = undefined;
  });

  it('can leave providers out, which a swap can still use', async () => {
    const { body } = await put('c');
    expect([body.standbys, body.others]).to.deep.equal([['c'], ['b']]);
    expect(await tried()).to.deep.equal(['a', 'c']);
  });

  for (const [name, standbys] of [
    ['the active provider', ['a']],
    ['a provider of another capability', ['echo']],
    ['a provider that is not there', ['none']],
  ] as const)
    it(`refuses ${name}`, async () => {
      const refused = await put(...standbys);
      expect([refused.status, refused.body.code]).to.deep.equal([422, 'invalid_provider']);
      expect(refused.body.errors[0].pointer).to.equal('#/standbys');
    });

  it('refuses a name twice, an order of platform.json, and a condition that does not hold', async () => {
    expect((await put('b', 'b')).body.code).to.equal('invalid_body');
    for (const [method, body] of [
      ['PUT', { standbys: ['a'] }],
      ['DELETE', undefined],
    ] as const)
      expect((await call(method, `/providers/${bound}/order`, body)).body.code).to.equal('defined_in_file');
    const { headers } = await call('GET');
    const rows = [
      ['"sha256:0"', 412],
      [headers.get('etag') ?? '', 200],
      [headers.get('etag') ?? '', 412],
    ] as const;
    for (const [match, status] of rows) {
      const answer = await fetch(platform.url + path, {
        method: 'PUT',
        headers: {
          ...{ authorization: `Bearer ${platform.adminKey}`, 'content-type': 'application/json', 'if-match': match },
        },
        body: JSON.stringify({ standbys: ['b', 'c'] }),
      });
      expect(answer.status, match).to.equal(status);
    }
  });

  it('is not changed by a session without its key, nor by a key without the scope', async () => {
    const headers = { ...ownPage, cookie: await signIn(platform.url, platform.adminKey) };
    const sent = { method: 'PUT', body: { standbys: ['c'] }, headers };
    expect((await browserCall(platform.url + path, sent)).body.code).to.equal('key_required');
    const key = await platform.key({ scopes: ['providers:read', 'providers:swap'] });
    expect((await call('PUT', path, { standbys: ['c'] }, key)).body.code).to.equal('insufficient_scope');
    expect((await call('GET', path, undefined, key)).status).to.equal(200);
  });

  it('is the default again once it is removed, which is attested too', async () => {
    const before = platform.taps.get('attest') ?? 0;
    const { body } = await call('DELETE');
    expect([body.source, body.standbys]).to.deep.equal(['default', ['b', 'c']]);
    expect(body).to.not.have.property('receipt_id');
    expect((await call('DELETE')).status).to.equal(200);
    expect(platform.taps.get('attest')).to.equal(before + 1);
  });
});
