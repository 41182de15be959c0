import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../../helpers/recorder.ts';
import { until } from '../../../helpers/until.ts';

const orb = 'team.send_it@1.0.0';
const filed = 'test.record@1.0.0';
const path = `/orbs/${orb}`;
const code = ({ status, body }: Answer): unknown[] => [status, body?.code];

describe('PUT and DELETE /orbs/{orb_id}', () => {
  let recorder: Recorder;
  let platform: TestPlatform;
  const options = (more: PlatformOptions = {}): PlatformOptions => ({
    platform: {
      providers: {
        a: { adapter: 'record/local', config: { name: 'a' } },
        b: { adapter: 'record/local', config: { name: 'b' } },
      },
    },
    data: { [`orbs/${filed}.json`]: recordOrb() },
    adapters: [recorder.adapter],
    ...more,
  });
  const manifest = (more: object = {}): object => recordOrb({ orb_id: orb, ...more });
  beforeEach(async () => {
    recorder = createRecorder();
    platform = await startPlatform(options());
  });
  afterEach(() => platform.stop());

  const put = (body: object = manifest(), headers: Record<string, string> = {}): Promise<Answer> =>
    send('PUT', path, body, headers);
  async function send(method: string, to: string, body?: object, more: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(platform.url + to, {
      method,
      headers: { authorization: `Bearer ${platform.adminKey}`, 'content-type': 'application/json', ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }
  const run = (orb_id = orb, token = 'x'): Promise<Answer> =>
    platform.call('POST', '/orbisets/default/execute', { orb_id, inputs: { token } });
  async function restart(more: PlatformOptions = {}): Promise<void> {
    const { home } = platform;
    await platform.stop({ keep: true });
    platform = await startPlatform({ ...options(more), home });
  }

  it('an Orb serves at once, by all providers of its capability in their order, and after a restart', async () => {
    const made = await put();
    expect([made.status, made.body.source, made.headers.get('etag')]).to.deep.equal([
      201,
      'api',
      `"${made.body.manifest_digest}"`,
    ]);
    expect((await run()).body.outputs).to.include({ token: 'x', by: 'a' });
    const status = await platform.call('GET', `/providers/${orb}/status`);
    expect(
      status.body.providers.map(({ name, generation }: { name: string; generation: number }) => [name, generation]),
    ).to.deep.equal([
      ['a', 1],
      ['b', 2],
    ]);
    expect(status.body.source).to.equal('config');
    await restart();
    expect((await run()).status).to.equal(200);
    const shown = await platform.call('GET', path);
    expect(shown.body).to.deep.equal(made.body);
  });

  it('shares the opening of a provider with the Orbs that it serves already', async () => {
    const before = recorder.opened;
    await put();
    await run();
    expect(recorder.opened).to.equal(before);
    expect((await platform.call('DELETE', path)).status).to.equal(204);
    expect([recorder.closed, (await run(filed)).status]).to.deep.equal([0, 200]);
  });

  it('its receipt names the digest of the manifest, and it can be swapped, published and read like any other', async () => {
    const { manifest_digest } = (await put()).body;
    const { body } = await run();
    const receipt = (await platform.call('GET', `/receipts/${body.receipt.receipt_id}`)).body;
    expect([receipt.signature_valid, receipt.statement.predicate.facts.orb.manifest_digest]).to.deep.equal([
      true,
      manifest_digest,
    ]);
    expect((await platform.call('POST', `/providers/${orb}/swap`, { provider: 'b' })).status).to.equal(200);
    expect((await run()).body.outputs.by).to.equal('b');
    await restart();
    expect((await run()).body.outputs.by).to.equal('b');
    await platform.call('POST', '/namespaces', { namespace: 'team' });
    expect((await platform.call('POST', '/marketplace/orbs/publish', { orb_id: orb })).status).to.equal(201);
  });

  it('the same manifest again changes nothing; one that was never used is replaced; one that was used is not', async () => {
    const first = await put();
    const same = await put();
    expect([same.status, same.body]).to.deep.equal([200, first.body]);
    const other = await put(manifest({ title: 'Another' }));
    expect([other.status, other.body.manifest.title]).to.deep.equal([200, 'Another']);
    expect((await run()).status).to.equal(200);
    expect(code(await put())).to.deep.equal([409, 'manifest_used']);
    expect((await put(manifest({ title: 'Another' }))).status).to.equal(200);
    expect((await platform.call('GET', path)).body.manifest.title).to.equal('Another');
  });

  it('a publication uses a manifest, as a run does', async () => {
    await put();
    await platform.call('POST', '/namespaces', { namespace: 'team' });
    expect((await platform.call('POST', '/marketplace/orbs/publish', { orb_id: orb })).status).to.equal(201);
    expect(code(await put(manifest({ title: 'Another' })))).to.deep.equal([409, 'manifest_used']);
  });

  it('a deleted one is gone at once; its id serves the manifest that was used and no other, also after a restart', async () => {
    await put();
    await run();
    expect((await platform.call('DELETE', path)).status).to.equal(204);
    expect(code(await run())).to.deep.equal([404, 'orb_not_found']);
    expect(code(await platform.call('GET', `/providers/${orb}/status`))).to.deep.equal([404, 'orb_not_found']);
    expect(code(await platform.call('DELETE', path))).to.deep.equal([404, 'orb_not_found']);
    await restart();
    expect(code(await run())).to.deep.equal([404, 'orb_not_found']);
    expect(code(await put(manifest({ title: 'Another' })))).to.deep.equal([409, 'manifest_used']);
    expect((await put()).status).to.equal(201);
    expect((await run()).status).to.equal(200);
  });

  it('a swap that was made before a deletion does not come back with the id', async () => {
    await put();
    await platform.call('POST', `/providers/${orb}/swap`, { provider: 'b' });
    await platform.call('DELETE', path);
    await put();
    expect((await run()).body.outputs.by).to.equal('a');
  });

  it('while runs are open it is neither deleted nor replaced, and serves on', async () => {
    await put();
    const { promise: held, resolve: finish } = Promise.withResolvers<void>();
    recorder.behaviour['a'] = { execute: () => held };
    const open = run();
    await until(
      () => recorder.calls.length,
      (calls) => calls === 1,
    );
    expect(code(await platform.call('DELETE', path))).to.deep.equal([409, 'runs_open']);
    expect(code(await put(manifest({ title: 'Another' })))).to.deep.equal([409, 'runs_open']);
    finish();
    expect((await open).status).to.equal(200);
    expect((await platform.call('DELETE', path)).status).to.equal(204);
  });

  it('runs that fail and are limited leave none open', async () => {
    await put();
    recorder.behaviour['a'] = { execute: () => Promise.reject(new ProviderError('rejected', 'no')) };
    expect((await run()).status).to.equal(422);
    expect((await platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: {} })).status).to.equal(
      422,
    );
    expect((await platform.call('DELETE', path)).status).to.equal(204);
  });

  it('an id that a file defines is that of the file', async () => {
    expect(code(await send('PUT', `/orbs/${filed}`, recordOrb()))).to.deep.equal([409, 'defined_in_file']);
    expect(code(await platform.call('DELETE', `/orbs/${filed}`))).to.deep.equal([409, 'defined_in_file']);
    expect((await platform.call('GET', `/orbs/${filed}`)).body.source).to.equal('file');
  });

  it('a manifest is checked as that of a file: everything wrong is named, and nothing is kept', async () => {
    const wrong = async (more: object): Promise<unknown> => {
      const { status, body } = await put(manifest(more));
      return [status, body.code, body.errors.map(({ pointer }: { pointer: string }) => pointer)];
    };
    expect(await wrong({ orb_id: 'team.other@1.0.0' })).to.deep.equal([422, 'invalid_body', ['#/orb_id']]);
    const schemas = { inputs_schema: { type: 'objekt' }, outputs_schema: { unknown: 1 } };
    expect(await wrong(schemas)).to.deep.equal([422, 'invalid_body', ['#/inputs_schema', '#/outputs_schema']]);
    expect(await wrong({ inputs_schema: { $async: true, type: 'object' } })).to.deep.equal([
      422,
      'invalid_body',
      ['#/inputs_schema/$async'],
    ]);
    expect(await wrong({ description: 'x'.repeat(2001) })).to.deep.equal([422, 'invalid_body', ['#/description']]);
    const large = { type: 'object', properties: { a: { enum: Array.from({ length: 9000 }, (_, n) => `value ${n}`) } } };
    expect(await wrong({ inputs_schema: large })).to.deep.equal([422, 'invalid_body', ['#']]);
    expect(code(await platform.call('GET', path))).to.deep.equal([404, 'orb_not_found']);
  });

  for (const [what, inputs_schema, pointer] of [
    [
      'only a backtracking engine matches',
      { properties: { token: { pattern: '^(?=a)' } } },
      '/properties/token/pattern',
    ],
    ['leads back to itself', { $ref: '#' }, '/$ref'],
    ['leads back to itself by its parts', { allOf: [{ $ref: '#' }] }, '/allOf/0/$ref'],
    [
      'leads a part back to itself',
      { properties: { token: { $ref: '#/properties/token' } } },
      '/properties/token/$ref',
    ],
    ['is too large', { required: Array.from({ length: 2000 }, (_, at) => `p${at}`) }, ''],
  ] as const)
    it(`a schema that ${what} is refused at its place, with what to do`, async () => {
      const { status, body } = await put(manifest({ inputs_schema: { type: 'object', ...inputs_schema } }));
      expect([status, body.code, body.errors.length]).to.deep.equal([422, 'invalid_body', 1]);
      expect(body.errors[0].pointer).to.equal(`#/inputs_schema${pointer}`);
      expect(body.errors[0].detail).to.match(/not allowed; |refer to it from|shorten them/);
    });

  it('no pattern holds up other calls, and no recursive schema does', async () => {
    const token = { type: 'string', pattern: '^(x+)+$' };
    const made = await put(manifest({ inputs_schema: { type: 'object', properties: { token, a: { $ref: '#' } } } }));
    expect(made.status).to.equal(201);
    const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });
    const call = (inputs: object): Promise<Answer> =>
      platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs });
    // 2^40 steps for an engine that backtracks.
    const refused = await call({ token: `${'x'.repeat(40)}!` });
    expect([...code(refused), refused.body.errors[0].pointer]).to.deep.equal([422, 'invalid_inputs', '#/inputs/token']);
    expect((await call({ token: 'x', ...nested(50) })).status).to.equal(200);
    expect(code(await call({ token: 'x', a: { a: { token: 'y' } } }))).to.deep.equal([422, 'invalid_inputs']);
  });

  it('two writers do not overwrite each other unseen: If-Match and If-None-Match', async () => {
    expect(code(await put(manifest(), { 'if-match': '*' }))).to.deep.equal([412, 'precondition_failed']);
    const tag = String((await put(manifest(), { 'if-none-match': '*' })).headers.get('etag'));
    expect(code(await put(manifest({ title: 'B' }), { 'if-none-match': '*' }))).to.deep.equal([
      412,
      'precondition_failed',
    ]);
    const second = await put(manifest({ title: 'B' }), { 'if-match': tag });
    expect(second.status).to.equal(200);
    expect(code(await put(manifest({ title: 'C' }), { 'if-match': tag }))).to.deep.equal([412, 'precondition_failed']);
    expect(code(await send('DELETE', path, undefined, { 'if-match': tag }))).to.deep.equal([
      412,
      'precondition_failed',
    ]);
    const same = String(second.headers.get('etag'));
    for (const [none, status] of [
      [same, 412],
      [`"x", W/${same}`, 412],
      [tag, 200],
    ] as const)
      expect((await put(manifest({ title: 'B' }), { 'if-none-match': none })).status, none).to.equal(status);
    const now = { 'if-match': `"x", ${String(second.headers.get('etag'))}` };
    expect((await send('DELETE', path, undefined, now)).status).to.equal(204);
  });

  it('needs orbs:manage, which `*` alone may grant', async () => {
    const reader = await platform.key({ scopes: ['orbs:read', 'orbs:execute', 'keys:manage'] });
    expect(code(await platform.call('PUT', path, manifest(), reader))).to.deep.equal([403, 'insufficient_scope']);
    expect(code(await platform.call('POST', '/keys', { scopes: ['orbs:manage'] }, reader))).to.deep.equal([
      403,
      'insufficient_scope',
    ]);
    const manager = await platform.key({ scopes: ['orbs:manage'] });
    expect((await platform.call('PUT', path, manifest(), manager)).status).to.equal(201);
  });

  it('many at once, while runs go on and Orbs come and go: each is served, no run fails', async () => {
    const ids = Array.from({ length: 12 }, (_, n) => `team.number${n}@1.0.0`);
    let over = false;
    const statuses = new Set<number>();
    const running = (async () => {
      while (!over) statuses.add((await run(filed)).status);
    })();
    const made = await Promise.all(ids.map((id) => send('PUT', `/orbs/${id}`, recordOrb({ orb_id: id }))));
    expect(new Set(made.map(({ status }) => status))).to.deep.equal(new Set([201]));
    const served = await Promise.all(ids.map((id) => run(id)));
    expect(new Set(served.map(({ status }) => status))).to.deep.equal(new Set([200]));
    await Promise.all(ids.map((id) => platform.call('DELETE', `/orbs/${id}`)));
    over = true;
    await running;
    expect(statuses).to.deep.equal(new Set([200]));
    expect(recorder.lateCalls).to.deep.equal([]);
  });

  it('is listed page by page in the order of ids, however Orbs came', async () => {
    for (const name of ['z', 'a', 'm'])
      await send('PUT', `/orbs/team.${name}@1.0.0`, recordOrb({ orb_id: `team.${name}@1.0.0` }));
    const ids: string[] = [];
    let cursor = '';
    do {
      const { body } = await platform.call('GET', `/orbs?limit=2${cursor}`);
      expect(body.orbs.length).to.be.within(1, 2);
      ids.push(...body.orbs.map(({ orb_id }: { orb_id: string }) => orb_id));
      cursor = body.next_cursor === undefined ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    expect(ids).to.deep.equal([...ids].sort());
    expect(ids).to.include.members(['team.a@1.0.0', 'team.m@1.0.0', 'team.z@1.0.0', filed]);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(code(await platform.call('GET', '/orbs?cursor=nonsense'))).to.deep.equal([400, 'invalid_parameter']);
  });
});
