import { expect } from 'chai';
import { chatOrb } from '../../../plugins/models/scope.ts';
import { startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import {
  askingPlatform,
  decideMail,
  makeStaff,
  reach,
  writeAsker,
  writeOffice,
  type Staff,
} from '../approvals/office.ts';

interface Answered {
  readonly error?: { readonly orb: { readonly run_id: string; readonly reasons: readonly { approval_id: string }[] } };
  readonly orb?: { readonly run_id: string; readonly receipt_id: string };
}

describe('calls of models that people must approve, on two nodes of one database', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  let staff: Staff;
  before(async function () {
    needPostgres(this);
    const platform = { ...askingPlatform, providers: { canned: { adapter: 'llm/canned' } }, bindings: {} };
    cluster = await startCluster(['a', 'b'], platform, () => ({ prepare: (home) => writeAsker(home, chatOrb) }));
    const [first] = cluster.nodes as [ClusterNode];
    staff = await makeStaff(first.url, cluster.key);
    for (const node of cluster.nodes) {
      expect(await node.served.stop()).to.equal(0);
      writeOffice(node.served.home, staff);
    }
    for (const node of cluster.nodes) await cluster.start(node);
  });
  after(() => cluster?.remove());

  const ask = async ({ url }: ClusterNode, content: string) => {
    const body = { model: 'any', messages: [{ role: 'user', content }] };
    const answer = await reach(url, '/v1/chat/completions', staff.agent, body);
    return { status: answer.status, body: answer.body as Answered };
  };
  const approvalOf = ({ body: { error } }: { readonly body: Answered }): string =>
    error?.orb.reasons[0]?.approval_id ?? '';

  it('are one run and one approval, wherever they arrive and whoever is killed, and one answer', async () => {
    const [one, two] = cluster.nodes as [ClusterNode, ClusterNode];
    for (const [round, doomed, other] of [
      ['first', one, two],
      ['second', two, one],
    ] as const) {
      const asked = await Promise.all([one, two, one, two, one, two].map((node) => ask(node, round)));
      expect([...new Set(asked.map(({ status }) => status))], JSON.stringify(asked)).to.deep.equal([403]);
      const [approval_id = '', ...more] = new Set(asked.map(approvalOf));
      expect(approval_id).to.match(/^apr_/);
      expect(more, 'other approvals').to.deep.equal([]);
      const run_id = asked[0]?.body.error?.orb.run_id ?? '';
      await cluster.kill(doomed);
      const mail = { token: round, run_id, approval_id };
      const decided = await until(
        () => decideMail(other.url, staff.members[0] ?? '', { mail, decision: 'approve' }),
        ({ status }) => status === 200,
        'the decision',
      );
      expect(decided.body['state']).to.equal('approved');
      const answer = await until(
        () => ask(other, round),
        ({ status }) => status !== 409,
        'the answer',
      );
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      expect(answer.body.orb?.run_id).to.equal(run_id);
      await cluster.start(doomed);
      const { body } = await reach(other.url, `/runs/${run_id}`, cluster.key);
      expect(body).to.include({ status: 'completed', receipt_id: answer.body.orb?.receipt_id });
    }
    const { body } = await reach(two.url, `/runs?orb_id=${chatOrb}`, cluster.key);
    expect(body['runs']).to.have.length(2);
  });
});
