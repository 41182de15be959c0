import { expect } from 'chai';
import { compileLater, type JsonSchema } from '../../../../kernel/index.ts';
import { revisionRoutes } from '../../../../plugins/policy/routes/revisions.ts';
import { at, call, createWorld, digestOf, file } from './world.ts';

function create() {
  const world = createWorld();
  const first = world.serve('abcdef012345a', [file('a.rego')]);
  const second = world.serve('abcdef012345b', [file('a.rego'), file('b.rego')]);
  const routes = revisionRoutes(world.scope);
  return { ...world, routes, first, second, ask: (id: string, given?: object) => call(routes, id, given) };
}

describe('the routes of revisions', () => {
  it('list what ever was in force, and tell which one is', async () => {
    const { ask, first, second } = create();
    const { revisions } = (await ask('listPolicyRevisions')) as { revisions: readonly object[] };
    const row = { created_at: at, created_by: 'folder' };
    expect(revisions).to.have.deep.members([
      { revision: first, active: false, ...row },
      { revision: second, active: true, ...row },
    ]);
  });

  it('read one whole, by its digest or by digits that name no other', async () => {
    const { ask, first, second } = create();
    const read = (revision: string) => ask('getPolicyRevision', { params: { revision } });
    const whole = { revision: first, active: false, created_at: at, created_by: 'folder', files: [file('a.rego')] };
    for (const name of [first, first.slice(7), 'abcdef012345a', 'sha256:abcdef012345a'])
      expect(await read(name), name).to.deep.equal(whole);
    expect(await read(second)).to.include({ revision: second, active: true });
    for (const name of ['abcdef012345', 'bcdef012345a', digestOf('f')])
      expect(await read(name), name).to.equal('revision_not_found');
  });

  it('compare two, or one with the drafts on top of the active one', async () => {
    const { ask, first, second, draft } = create();
    const compare = (from: string, other: string) =>
      ask('comparePolicyRevisions', { params: { revision: from, other } }) as Promise<{ files: { path: string }[] }>;
    expect((await compare(first, second)).files.map(({ path }) => path)).to.deep.equal(['b.rego']);
    await draft('c');
    expect((await compare(first, 'drafts')).files.map(({ path }) => path)).to.deep.equal(['b.rego', 'c.rego']);
    expect(await compare(first, digestOf('f'))).to.equal('revision_not_found');
  });

  it('activate all drafts, those that are named, or an earlier revision', async () => {
    const { ask, asked, first, second, draft } = create();
    const activate = (body: object, headers: object = {}) => ask('activatePolicies', { body, headers });
    expect(await activate({}), 'there is no draft').to.equal('policy_not_found');
    await draft('b', 'new');
    await draft('c', 'new');
    expect(await activate({})).to.deep.equal({ revision: 'sha256:new', previous: second });
    expect(asked.at(-1)).to.deep.include({
      ...{ files: ['a.rego package a.rego', 'b.rego new', 'c.rego new'], drafts: ['b', 'c'] },
      how: { actor: 'prn_1' },
    });
    await activate({ drafts: ['c'], overwrite: true, message: 'why' }, { 'if-match': ' "x" ' });
    expect(asked.at(-1)).to.deep.include({
      ...{ files: ['a.rego package a.rego', 'b.rego package b.rego', 'c.rego new'], drafts: ['c'] },
      how: { actor: 'prn_1', overwrite: true, message: 'why', ifMatch: '"x"' },
    });
    await activate({ revision: first, drafts: ['c'] });
    expect(asked.at(-1)).to.deep.include({ files: ['a.rego package a.rego'], drafts: undefined });
    expect(await activate({ drafts: ['c', 'd'] })).to.equal('policy_not_found');
    expect(await activate({ drafts: [] })).to.equal('policy_not_found');
  });

  it('go back to the revision that was in force before', async () => {
    const { ask, asked, serve } = create();
    await ask('rollBackPolicies');
    expect(asked.at(-1)).to.deep.include({
      ...{ files: ['a.rego package a.rego'], how: { actor: 'prn_1', message: 'rollback' } },
    });
    await ask('rollBackPolicies', { body: { overwrite: true, message: 'why' } });
    expect(asked.at(-1)?.how).to.deep.equal({ actor: 'prn_1', overwrite: true, message: 'why' });
    serve('abcdef012345b', [file('a.rego'), file('b.rego')]);
    await ask('rollBackPolicies');
    expect(asked.at(-1)?.files, 'not to itself').to.deep.equal(['a.rego package a.rego']);
    const world = createWorld();
    const alone = revisionRoutes(world.scope);
    expect(await call(alone, 'rollBackPolicies')).to.equal('revision_not_found');
    world.serve('a', []);
    expect(await call(alone, 'rollBackPolicies')).to.equal('revision_not_found');
  });

  it('do not go back to a revision whose activation is pending', async () => {
    const { ask, asked, operations } = create();
    const kept = { files: [file('c.rego')], compiled: { data: {}, policies: [], entrypoints: {} }, message: null };
    const row = { digest: digestOf('c'), wasm: new Uint8Array([1]), at, actor: 'prn_1', pending: true };
    operations.activate({ ...kept, ...row });
    await ask('rollBackPolicies');
    expect(asked.at(-1)?.files).to.deep.equal(['a.rego package a.rego']);
  });

  it('take at most 200 drafts, at least one, and a message of 500 letters', () => {
    const { routes } = create();
    const fits = compileLater(routes.find(({ operationId }) => operationId === 'activatePolicies')?.body as JsonSchema);
    const faults = (body: object): number => fits(body).length;
    const drafts = (count: number) => faults({ drafts: Array.from({ length: count }, (_, index) => `d${index}`) });
    expect([0, 1, 200, 201].map(drafts)).to.deep.equal([1, 0, 0, 1]);
    expect([500, 501].map((length) => faults({ message: 'x'.repeat(length) }))).to.deep.equal([0, 1]);
    const names = ['abcdef012345', 'abcdef01234', `sha256:${'a'.repeat(64)}`, 'a'.repeat(65), 'ABCDEF012345'];
    expect(names.map((revision) => faults({ revision }))).to.deep.equal([0, 1, 0, 1, 1]);
  });
});
