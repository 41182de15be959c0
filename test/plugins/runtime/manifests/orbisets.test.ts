import { expect } from 'chai';
import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../../helpers/recorder.ts';
import { until } from '../../../helpers/until.ts';

const orb = 'test.record@1.0.0';
const code = ({ status, body }: Answer): unknown[] => [status, body?.code];

describe('POST, PUT and DELETE /orbisets', () => {
  let recorder: Recorder;
  let platform: TestPlatform;
  let acme: string;
  const options = (): PlatformOptions => ({
    platform: { providers: { a: { adapter: 'record/local', config: { name: 'a' } } } },
    data: { [`orbs/${orb}.json`]: recordOrb(), 'orbisets/filed.json': { id: 'filed', tenant: 'acme', orbs: ['*'] } },
    adapters: [recorder.adapter],
  });
  beforeEach(async () => {
    recorder = createRecorder();
    platform = await startPlatform(options());
    acme = await platform.key({ scopes: ['orbisets:manage', 'orbs:read', 'orbs:execute'], tenant: 'acme' });
  });
  afterEach(() => platform.stop());

  const create = (body: object, key = acme): Promise<Answer> => platform.call('POST', '/orbisets', body, key);
  const own = { id: 'own', orbs: ['test.*'] };
  const run = (id: string, key = acme): Promise<Answer> =>
    platform.call('POST', `/orbisets/${id}/execute`, { orb_id: orb, inputs: { token: 'x' } }, key);
  async function change(method: string, id: string, body?: object, more: Record<string, string> = {}, key = acme) {
    const response = await fetch(`${platform.url}/orbisets/${id}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }
  async function restart(): Promise<void> {
    const { home } = platform;
    await platform.stop({ keep: true });
    platform = await startPlatform({ ...options(), home });
  }

  it('a test key changes none, whatever its scopes: live runs use them', async () => {
    const trial = await platform.key({ scopes: ['orbisets:manage', 'orbs:manage'], tenant: 'acme', mode: 'test' });
    expect(code(await create(own, trial))).to.deep.equal([403, 'insufficient_scope']);
    expect((await create(own)).status).to.equal(201);
    expect((await change('PUT', 'own', { orbs: [] }, {}, trial)).status).to.equal(403);
    expect((await change('DELETE', 'own', undefined, {}, trial)).status).to.equal(403);
    for (const method of ['PUT', 'DELETE'])
      expect((await platform.call(method, '/orbs/test.other@1.0.0', recordOrb(), trial)).status).to.equal(403);
  });

  it('a tenant makes its own, which serves at once and after a restart', async () => {
    const made = await create(own);
    expect([made.status, made.headers.get('location'), made.headers.get('etag')]).to.deep.equal([
      201,
      '/orbisets/own',
      `"${made.body.manifest_digest}"`,
    ]);
    expect(made.body).to.deep.include({ source: 'api', manifest: { ...own, tenant: 'acme' } });
    expect((await run('own')).status).to.equal(200);
    await restart();
    expect((await run('own')).status).to.equal(200);
    expect((await platform.call('GET', '/orbisets/own', undefined, acme)).body).to.deep.equal(made.body);
  });

  it('a tenant sees and changes its own alone; `*` sees and changes all', async () => {
    await create(own);
    const other = await platform.key({ scopes: ['orbisets:manage', 'orbs:read', 'orbs:execute'], tenant: 'other' });
    const missing = [404, 'orbiset_not_found'];
    expect(code(await platform.call('GET', '/orbisets/own', undefined, other))).to.deep.equal(missing);
    expect(code(await change('PUT', 'own', { orbs: ['*'] }, {}, other))).to.deep.equal(missing);
    expect(code(await change('DELETE', 'own', undefined, {}, other))).to.deep.equal(missing);
    expect(code(await run('own', other))).to.deep.equal(missing);
    const listed = async (key?: string): Promise<unknown> =>
      (await platform.call('GET', '/orbisets', undefined, key)).body.orbisets.map(({ id }: { id: string }) => id);
    expect(await listed(other)).to.deep.equal([]);
    expect(await listed(acme)).to.deep.equal(['filed', 'own']);
    expect(await listed(platform.adminKey)).to.deep.equal(['default', 'filed', 'own']);
    expect(code(await create({ ...own, id: 'theirs', tenant: 'other' }))).to.deep.equal([403, 'insufficient_scope']);
    expect((await create({ ...own, id: 'theirs', tenant: 'other' }, platform.adminKey)).status).to.equal(201);
    expect(await listed(other)).to.deep.equal(['theirs']);
    expect((await change('PUT', 'theirs', { orbs: [] }, {}, platform.adminKey)).status).to.equal(200);
    expect(code(await run('theirs', other))).to.deep.equal([404, 'orb_not_found']);
  });

  it('an id that is taken, or was that of another tenant, is refused', async () => {
    await create(own);
    const other = await platform.key({ scopes: ['orbisets:manage'], tenant: 'other' });
    expect(code(await create(own))).to.deep.equal([409, 'orbiset_exists']);
    expect(code(await create(own, other))).to.deep.equal([409, 'orbiset_exists']);
    expect((await change('DELETE', 'own')).status).to.equal(204);
    expect(code(await create(own, other))).to.deep.equal([409, 'orbiset_exists']);
    await restart();
    expect(code(await create(own, other))).to.deep.equal([409, 'orbiset_exists']);
    expect((await create(own)).status).to.equal(201);
  });

  it('an id of another tenant is taken, and nothing more is told: not whether it is in use, in a file, or was deleted', async () => {
    const other = await platform.key({ scopes: ['orbisets:manage'], tenant: 'other' });
    await create(own);
    await create({ ...own, id: 'gone' });
    expect((await change('DELETE', 'gone')).status).to.equal(204);
    for (const id of ['own', 'gone', 'filed']) {
      const { body } = await create({ ...own, id }, other);
      expect([body.code, body.detail]).to.deep.equal([
        'orbiset_exists',
        `the id ${id} is already used; choose another`,
      ]);
      const asked = await Promise.all([
        change('PUT', id, { orbs: ['*'] }, {}, other),
        change('DELETE', id, undefined, {}, other),
      ]);
      for (const answer of asked) expect(code(answer)).to.deep.equal([404, 'orbiset_not_found']);
    }
  });

  it('one that a file defines is that of the file', async () => {
    const refused = [409, 'defined_in_file'];
    expect(code(await create({ id: 'filed', orbs: ['*'] }))).to.deep.equal(refused);
    expect(code(await change('PUT', 'filed', { orbs: ['*'] }))).to.deep.equal(refused);
    expect(code(await change('DELETE', 'filed'))).to.deep.equal(refused);
    expect(code(await change('DELETE', 'default', undefined, {}, platform.adminKey))).to.deep.equal(refused);
  });

  it('a change holds for runs that begin after it: Orbs, providers, limits', async () => {
    await create(own);
    const rate = (count: number) => ({ orbs: ['*'], limits: { rate: { count, window_s: 60 } } });
    expect((await change('PUT', 'own', rate(1))).status).to.equal(200);
    expect([(await run('own')).status, (await run('own')).status]).to.deep.equal([200, 429]);
    expect((await change('PUT', 'own', rate(3))).status).to.equal(200);
    expect([(await run('own')).status, (await run('own')).status]).to.deep.equal([200, 200]);
    expect((await change('PUT', 'own', { orbs: ['*'], providers: ['none'] })).status).to.equal(200);
    expect(code(await run('own'))).to.deep.equal([503, 'no_provider_allowed']);
    expect((await change('PUT', 'own', { orbs: ['demo.*'] })).status).to.equal(200);
    expect(code(await run('own'))).to.deep.equal([404, 'orb_not_found']);
  });

  it('keeps its id and its tenant', async () => {
    await create(own);
    const changed = await change('PUT', 'own', { ...own, id: 'another' });
    expect([...code(changed), changed.body.errors[0].pointer]).to.deep.equal([422, 'invalid_body', '#/id']);
    const moved = await change('PUT', 'own', { ...own, tenant: 'other' }, {}, platform.adminKey);
    expect([...code(moved), moved.body.errors[0].pointer]).to.deep.equal([422, 'invalid_body', '#/tenant']);
    expect(code(await change('PUT', 'nowhere', { orbs: [] }))).to.deep.equal([404, 'orbiset_not_found']);
  });

  it('two writers do not overwrite each other unseen: If-Match', async () => {
    const tag = String((await create(own)).headers.get('etag'));
    const second = await change('PUT', 'own', { orbs: [] }, { 'if-match': tag });
    expect([second.status, second.headers.get('etag') === tag]).to.deep.equal([200, false]);
    expect(code(await change('PUT', 'own', own, { 'if-match': tag }))).to.deep.equal([412, 'precondition_failed']);
    expect(code(await change('DELETE', 'own', undefined, { 'if-match': tag }))).to.deep.equal([
      412,
      'precondition_failed',
    ]);
    const not = { 'if-none-match': String(second.headers.get('etag')) };
    expect(code(await change('PUT', 'own', own, not))).to.deep.equal([412, 'precondition_failed']);
    const shown = await platform.call('GET', '/orbisets/own', undefined, acme);
    expect(shown.headers.get('etag')).to.equal(second.headers.get('etag'));
  });

  it('with open runs is not deleted', async () => {
    await create(own);
    const { promise: held, resolve: finish } = Promise.withResolvers<void>();
    recorder.behaviour['a'] = { execute: () => held };
    const open = run('own');
    await until(
      () => recorder.calls.length,
      (calls) => calls === 1,
    );
    expect(code(await change('DELETE', 'own'))).to.deep.equal([409, 'runs_open']);
    expect((await change('PUT', 'own', { orbs: [] })).status).to.equal(200);
    expect(code(await change('DELETE', 'own'))).to.deep.equal([409, 'runs_open']);
    finish();
    expect((await open).status).to.equal(200);
    expect((await change('DELETE', 'own')).status).to.equal(204);
    expect(code(await run('own'))).to.deep.equal([404, 'orbiset_not_found']);
  });

  it('needs orbisets:manage', async () => {
    const reader = await platform.key({ scopes: ['orbs:read'], tenant: 'acme' });
    expect(code(await create(own, reader))).to.deep.equal([403, 'insufficient_scope']);
  });
});
