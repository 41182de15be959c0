import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../helpers/cluster.ts';
import { copyShipped, denying, policiesOf } from '../helpers/cluster-policy.ts';
import { brokenCompiler } from '../helpers/broken-compiler.ts';
import { needPostgres } from '../helpers/use-postgres.ts';
import { compilerOrSkip } from '../plugins/policy/compiler.ts';

// When the server dies, in milliseconds after the call; or when the other one decides by what it activates.
const deaths = [0, 700, 'learned'] as const;

describe('a server that activates policies beside one that has no compiler', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let nodes: readonly [ClusterNode, ClusterNode];
  const { activate, call, draft, said, status, until: settled } = policiesOf(() => cluster);
  const prepare = (home: string): void => {
    copyShipped(home);
    writeFileSync(join(home, 'compiler.wasm'), brokenCompiler());
  };

  before(async function () {
    compilerOrSkip(this);
    this.timeout(300_000);
    needPostgres(this);
    // It has no Go, and what it has for a compiler fails at each call.
    const env = { PATH: '/nowhere', ORB_POLICY_COMPILER: 'compiler.wasm' };
    cluster = await startCluster(['a', 'b'], {}, (name) => ({ prepare, ...(name === 'b' ? { env } : {}) }));
    nodes = cluster.nodes as typeof nodes;
  });
  after(() => cluster?.remove());

  it('is followed by it, which compiles nothing', async () => {
    const [a, b] = nodes;
    const failed = await call(b, 'PUT', '/policies/here', { source: denying('here') });
    expect(failed.status, 'it has no compiler').to.be.at.least(400);
    await draft(a, 'here', denying('here'));
    expect((await activate(a)).status).to.equal(200);
    expect([await said(b, 'here'), await said(b, 'there')]).to.deep.equal([403, 200]);
    const { revision } = await status(a);
    expect(await settled(b, 'at rest', ({ folder }) => folder.equal_to === revision)).to.include({
      ...{ revision, health: 'operational' },
    });
  });

  it(`may be killed while it does (${deaths.length} times): there is one active revision for both, whole or not at all`, async () => {
    const [a, b] = nodes;
    const told: string[] = [];
    for (const [round, death] of deaths.entries()) {
      const id = `killed${round}`;
      await draft(a, id, denying(id));
      const before = (await status(b)).revision;
      const answered = activate(a);
      const learned = (): Promise<unknown> => settled(b, 'it learns', ({ revision }) => revision !== before);
      await (death === 'learned' ? learned() : delay(death));
      await cluster.kill(a);
      const { status: code } = await answered;
      await cluster.start(a);
      const after = await status(a);
      expect(after, `${round}`).to.include({ health: 'operational' });
      const activated = after.revision !== before;
      if (code === 200 || death === 'learned') expect(activated, 'it was committed').to.equal(true);
      expect((await status(b)).revision).to.equal(after.revision);
      expect([await said(a, id), await said(b, id)]).to.deep.equal(activated ? [403, 403] : [200, 200]);
      const { body } = await call<{ draft?: boolean; active?: boolean }>(b, 'GET', `/policies/${id}`);
      expect([body.active, body.draft]).to.deep.equal([activated, !activated]);
      for (const node of nodes) await settled(node, 'at rest', ({ folder }) => folder.equal_to === after.revision);
      if (!activated) expect((await call(a, 'DELETE', `/policies/${id}/draft`)).status).to.equal(204);
      told.push(`${death}: ${activated ? 'activated' : 'not activated'}, answered ${code}`);
    }
    console.log(`      ${told.join(', ')}`);
  });
});
