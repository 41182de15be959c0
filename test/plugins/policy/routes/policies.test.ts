import { expect } from 'chai';
import { policyRoutes } from '../../../../plugins/policy/routes/policies.ts';
import { statusRoutes } from '../../../../plugins/policy/routes/status.ts';
import { etagOf, sha256 } from '../../../../plugins/policy/revisions/revision.ts';
import { at, call, createWorld, file, policy } from './world.ts';

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const inForce = ['a.rego A', 'a_test.rego AT'];

/** Two policies in force, `a` with tests, and drafts of `b` and of `c`. */
async function create(given?: { readonly valid: boolean }) {
  const world = createWorld(given);
  world.serve('a', [file('a.rego', 'A'), file('a_test.rego', 'AT'), file('b.rego', 'B')], [policy('a'), policy('b')]);
  const drafts = await Promise.all([world.draft('b', 'B2', { tests: 'BT' }), world.draft('c', 'C')]);
  const routes = policyRoutes(world.scope);
  return { ...world, drafts, ask: (id: string, more?: object) => call(routes, id, more) as Promise<unknown> };
}

describe('the routes of single policies', () => {
  it('list what is in force and what waits, by id, in pages', async () => {
    const { ask } = await create();
    const list = (limit: number, offset: number) => ask('listPolicies', { query: { limit, offset } });
    const [a, b] = [policy('a'), policy('b')];
    expect(await list(20, 0)).to.deep.equal({
      policies: [
        { ...a, active: true, draft: false, tests: true, digest: sha256('A') },
        { ...b, active: true, draft: true, tests: false, digest: sha256('B') },
        { id: 'c', active: false, draft: true },
      ],
      ...{ total: 3, limit: 20, offset: 0 },
    });
    const { policies, ...rest } = (await list(1, 1)) as { readonly policies: readonly { readonly id: string }[] };
    expect([policies.map(({ id }) => id), rest]).to.deep.equal([['b'], { total: 3, limit: 1, offset: 1 }]);
    const empty = policyRoutes(createWorld().scope);
    expect(await call(empty, 'listPolicies', { query: { limit: 1, offset: 0 } })).to.include({ total: 0 });
  });

  it('read one with its draft, whose tag the answer has', async () => {
    const { ask, drafts } = await create();
    const read = (id: string, headers: object = {}) => ask('getPolicy', { params: { id }, headers });
    expect(await read('a'))
      .to.include({ source: 'A', tests_source: 'AT', active: true })
      .and.to.not.have.key('waiting');
    const { headers, body } = (await read('b')) as Answer;
    expect(headers).to.deep.equal({ ETag: drafts[0] === undefined ? '' : etagOf(drafts[0]) });
    expect(body).to.include({ source: 'B' }).and.to.have.nested.property('waiting.source', 'B2');
    expect(JSON.parse(JSON.stringify(body))).not.to.have.nested.property('waiting.id');
    expect(((await read('c')) as Answer).body)
      .to.include({ active: false })
      .and.to.not.have.any.keys('source', 'digest');
    expect(await read('d')).to.equal('policy_not_found');
    const plain = async (id: string) => ((await read(id, { accept: 'text/plain' })) as Answer).body;
    expect(await Promise.all(['a', 'b', 'c'].map(plain))).to.deep.equal(['A', 'B', 'C']);
  });

  it('put a draft: created or replaced, checked with the others, tagged', async () => {
    const { ask, checked, reads } = await create();
    const put = (id: string, body: object, headers: object = {}) =>
      ask('putPolicyDraft', { params: { id }, body, headers }) as Promise<Answer>;
    const made = await put('d', { source: 'D', tests: 'DT', message: 'why' });
    expect([made.status, made.headers]).to.deep.equal([201, { ETag: etagOf({ source: 'D', tests: 'DT' }) }]);
    expect(made.body).to.have.nested.property('diagnostics[0].severity', 'warning');
    expect(checked).to.deep.equal([[...inForce, 'b.rego B2', 'c.rego C', 'd.rego D']]);
    expect(reads.draft('d')).to.deep.equal({
      ...{ id: 'd', source: 'D', tests: 'DT', message: 'why', updated_at: at, updated_by: 'prn_1' },
    });
    expect((await put('d', { source: 'D2' })).status).to.equal(200);
    expect(checked[1]).to.deep.equal([...inForce, 'b.rego B2', 'c.rego C', 'd.rego D2']);
    expect(reads.draft('d')).to.not.have.any.keys('tests', 'message');
  });

  it('put a draft only over the one that is expected', async () => {
    const { ask, drafts, reads, checked } = await create();
    const put = (id: string, headers: object) =>
      ask('putPolicyDraft', { params: { id }, body: { source: 'N' }, headers });
    const tag = drafts[0] === undefined ? '' : etagOf(drafts[0]);
    expect(await put('b', { 'if-match': '"other"' })).to.equal('precondition_failed');
    expect(await put('b', { 'if-none-match': '*' })).to.equal('precondition_failed');
    expect(await put('d', { 'if-match': tag })).to.equal('precondition_failed');
    expect(reads.drafts().map(({ source }) => source)).to.deep.equal(['B2', 'C']);
    expect(checked, 'no gate is asked').to.deep.equal([]);
    expect(await put('b', { 'if-match': tag })).to.include({ status: 200 });
    expect(await put('d', { 'if-none-match': '*' })).to.include({ status: 201 });
  });

  it('take a draft of the same text for the same, under a new id', async () => {
    const { ask, checked, reads } = await create();
    await ask('putPolicyDraft', { params: { id: 'bb' }, body: { source: 'B2' } });
    expect(reads.drafts().map(({ id, tests }) => [id, tests])).to.deep.equal([
      ['bb', 'BT'],
      ['c', undefined],
    ]);
    expect(checked).to.deep.equal([[...inForce, 'b.rego B', 'c.rego C', 'bb.rego B2']]);
  });

  it('keep no draft that a gate refuses', async () => {
    const { ask, reads } = await create({ valid: false });
    expect(await ask('putPolicyDraft', { params: { id: 'd' }, body: { source: 'D' } })).to.equal('policy_invalid');
    expect(reads.draft('d')).to.equal(undefined);
  });

  it('drop a draft that is there', async () => {
    const { ask, reads } = await create();
    const drop = (id: string) => ask('dropPolicyDraft', { params: { id } });
    expect(await drop('b')).to.include({ status: 204 });
    expect([await drop('b'), await drop('a')]).to.deep.equal(['policy_not_found', 'policy_not_found']);
    expect(reads.drafts().map(({ id }) => id)).to.deep.equal(['c']);
  });

  it('take a policy out of force with its tests, and change the mode of one alone', async () => {
    const { ask, asked } = await create();
    const headers = { 'if-match': '"x"' };
    expect(await ask('deletePolicy', { params: { id: 'a' }, headers })).to.deep.equal({ revision: 'sha256:new' });
    expect(asked.at(-1)).to.deep.equal({
      ...{ files: ['b.rego B'], drafts: undefined, how: { actor: 'prn_1', ifMatch: '"x"' } },
    });
    const world = createWorld();
    world.serve('a', [file('a.rego', 'package a'), file('b.rego', 'package b')]);
    const mode = (id: string) =>
      call(policyRoutes(world.scope), 'setPolicyMode', { params: { id }, body: { mode: 'warn' } });
    await mode('a');
    expect(world.asked.at(-1)?.files).to.deep.equal([
      'a.rego # METADATA\n# custom:\n#   mode: warn\npackage a',
      'b.rego package b',
    ]);
    expect(await mode('c')).to.equal('policy_not_found');
    expect(await ask('deletePolicy', { params: { id: 'c' } }), 'it is a draft alone').to.equal('policy_not_found');
  });
});

describe('the route of the status', () => {
  const read = (world: ReturnType<typeof createWorld>) =>
    call(statusRoutes(world.scope), 'getPolicyStatus') as Promise<Readonly<Record<string, unknown>>>;

  it('tells what is in force, and of the work done', async () => {
    const world = createWorld();
    expect(await read(world)).to.deep.equal({
      ...{ health: 'major_outage', revision: null, policies: 0, compiler: 'wasm', compiler_running: false },
      ...{ rejected: null, queue: 3, timeouts: 4, cache: { entries: 0, hits: 1, misses: 2 } },
    });
    const digest = world.serve('a', [], [policy('a')]);
    expect(await read(world)).to.include({ health: 'operational', revision: digest, policies: 1 });
  });

  it('tells the first twenty errors of a folder that is not served, and no warning', async () => {
    const world = createWorld();
    world.serve('a', []);
    const found = (severity: string, count: number) => Array.from({ length: count }, () => ({ severity }));
    world.engine.rejected = { at, diagnostics: [...found('warning', 2), ...found('error', 23)] };
    expect(await read(world)).to.deep.include({
      health: 'degraded_performance',
      rejected: { at, errors: 23, diagnostics: found('error', 20) },
    });
  });

  it('says that what serves was compiled before, when there is no compiler', async () => {
    const world = createWorld();
    const compiler = async (state: string, precompiled: boolean) => {
      world.engine.precompiled = precompiled;
      Object.assign(world.scope.source, { state: () => state });
      return (await read(world))['compiler'];
    };
    expect(await compiler('absent', true)).to.equal('precompiled');
    expect(await compiler('absent', false)).to.equal('absent');
    expect(await compiler('building', true)).to.equal('building');
  });
});
