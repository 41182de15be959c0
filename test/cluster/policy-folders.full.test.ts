import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../helpers/cluster.ts';
import { copyShipped, denying, folderOf, policiesOf } from '../helpers/cluster-policy.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';
import { compilerOrSkip } from '../plugins/policy/compiler.ts';

// Each server that starts compiles. The soak (POLICY_SOAK=1) has those, too, that join, that have no folder, and that were away.
const isWhole = process.env['POLICY_SOAK'] === '1';

describe('the folders of policies of several servers', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let nodes: Readonly<Record<'a' | 'b' | 'joins' | 'bare' | 'fixed', ClusterNode>>;
  const { activate, draft, said, status, until: settled } = policiesOf(() => cluster);
  // A file that the others do not have.
  const prepare = (name: string) => (home: string) => {
    if (name === 'bare') return;
    // Root may write into any folder, so one that takes no writes is a link into nothing.
    if (name === 'fixed') return symlinkSync(join(home, 'nowhere', 'at', 'all'), join(home, 'policies'));
    copyShipped(home);
    writeFileSync(join(home, 'policies', `of_${name}.rego`), denying(`of_${name}`));
  };
  const filesOf = (node: ClusterNode): readonly string[] =>
    readdirSync(folderOf(node)).filter((name) => name.startsWith('of_'));
  const writtenTo = (node: ClusterNode, name: string) =>
    until(
      () => existsSync(join(folderOf(node), name)),
      (found) => found,
      `${name} at ${node.name}`,
    );

  before(async function () {
    compilerOrSkip(this);
    this.timeout(300_000);
    needPostgres(this);
    const names = ['a', 'b', 'joins', 'bare', 'fixed'];
    const down = ['joins', 'bare', 'fixed'];
    cluster = await startCluster(names, {}, (name) => ({ prepare: prepare(name), down: down.includes(name) }));
    nodes = Object.fromEntries(cluster.nodes.map((node) => [node.name, node])) as typeof nodes;
  });
  after(() => cluster?.remove());

  it('that differ at the first start: the first is in force, the other one stays as it is and is told', async () => {
    const { a, b } = nodes;
    const { revision } = await status(a);
    const told = await settled(b, 'it is told', ({ rejected }) => rejected !== null);
    expect(told).to.include({ revision, health: 'degraded_performance' });
    expect(told.rejected?.diagnostics[0]).to.include({ code: 'based_on_another' });
    expect(told.rejected?.diagnostics[0]?.message).to.contain(revision);
    for (const node of [a, b])
      expect([await said(node, 'of_a'), await said(node, 'of_b')], node.name).to.deep.equal([403, 200]);
    expect([filesOf(a), filesOf(b)]).to.deep.equal([['of_a.rego'], ['of_b.rego']]);
    expect((await status(a)).health).to.equal('operational');
  });

  it('come into force as they are when told to, and the others follow', async () => {
    const { a, b } = nodes;
    const refused = await activate(b, { revision: (await status(a)).revision });
    expect([refused.status, refused.body.code]).to.deep.equal([412, 'precondition_failed']);
    const { status: code, body } = await activate(b, { folder: true });
    expect(code, JSON.stringify(body)).to.equal(200);
    for (const node of [a, b])
      expect([await said(node, 'of_a'), await said(node, 'of_b')], node.name).to.deep.equal([200, 403]);
    await writtenTo(a, 'of_b.rego');
    for (const node of [a, b]) {
      const found = await settled(node, 'at rest', ({ folder }) => folder.equal_to === body.revision);
      expect(found, node.name).to.deep.include({ health: 'operational', rejected: null });
      expect(filesOf(node)).to.deep.equal(['of_b.rego']);
    }
  });

  if (isWhole)
    it('do not count when their server joins later; told to, the active revision takes their place', async () => {
      const { joins } = nodes;
      const { revision } = await status(nodes.a);
      await cluster.start(joins);
      const found = await settled(joins, 'it is told', ({ rejected }) => rejected !== null);
      expect(found).to.include({ revision, health: 'degraded_performance' });
      expect([await said(joins, 'of_joins'), await said(joins, 'of_b')]).to.deep.equal([200, 403]);
      expect(filesOf(joins)).to.deep.equal(['of_joins.rego']);
      expect((await activate(joins, { revision, overwrite: true })).status).to.equal(200);
      expect(filesOf(joins)).to.deep.equal(['of_b.rego']);
      expect(await status(joins)).to.include({ revision, health: 'operational' });
      expect((await status(nodes.a)).revision).to.equal(revision);
    });

  if (isWhole)
    it('are made for a server that has none, and joins later', async () => {
      const { bare } = nodes;
      const { revision } = await status(nodes.a);
      await cluster.start(bare);
      expect(await status(bare)).to.include({ revision, health: 'operational' });
      expect(await said(bare, 'of_b')).to.equal(403);
      await writtenTo(bare, 'of_b.rego');
    });

  it('that take no writes stay as they are: the server follows, says so, and refuses changes with 409', async () => {
    const { a, fixed } = nodes;
    await cluster.start(fixed);
    expect(await said(fixed, 'of_b')).to.equal(403);
    await draft(a, 'later', denying('later'));
    expect((await activate(a)).status).to.equal(200);
    expect([await said(fixed, 'later'), await said(a, 'later')]).to.deep.equal([403, 403]);
    const { folder } = await settled(fixed, 'it says so', (found) => found.folder.read_only);
    expect(folder.equal_to).not.to.equal((await status(fixed)).revision);
    await draft(fixed, 'mine', denying('mine'));
    const { status: code, body } = await activate(fixed);
    expect([code, body.code]).to.deep.equal([409, 'policies_read_only']);
    expect((await activate(a)).status).to.equal(200);
    expect([await said(fixed, 'mine'), await said(a, 'mine')]).to.deep.equal([403, 403]);
  });

  if (isWhole)
    it('that were changed while their server was down are taken over, unless the store knows what they hold', async () => {
      const { a, b } = nodes;
      const { revision } = await status(a);
      await settled(a, 'at rest', ({ folder }) => folder.equal_to === revision);
      await a.served.stop();
      writeFileSync(join(folderOf(a), 'of_night.rego'), denying('of_night'));
      await cluster.start(a);
      const { revision: later } = await settled(a, 'it is taken over', (found) => found.revision !== revision);
      await settled(b, 'it is learned', (found) => found.revision === later);
      expect([await said(a, 'of_night'), await said(b, 'of_night')]).to.deep.equal([403, 403]);
      await settled(b, 'at rest', ({ folder }) => folder.equal_to === later);
      // The files of an image: those of an earlier revision after each of its starts.
      await b.served.stop();
      const kept = readFileSync(join(folderOf(b), 'of_night.rego'), 'utf8');
      rmSync(join(folderOf(b), 'of_night.rego'));
      await cluster.start(b);
      for (const node of [a, b]) expect((await status(node)).revision, node.name).to.equal(later);
      expect([await said(a, 'of_night'), await said(b, 'of_night')]).to.deep.equal([403, 403]);
      await writtenTo(b, 'of_night.rego');
      expect(readFileSync(join(folderOf(b), 'of_night.rego'), 'utf8')).to.equal(kept);
    });
});
