import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import {
  askForMail,
  askingPlatform,
  decideMail,
  makeStaff,
  reach,
  writeAsker,
  writeOffice,
  type HeldMail,
  type Staff,
} from './office.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 2);
const eachRound = 6;

describe('approvals on two nodes of one database, both approvers deciding at once', function () {
  this.timeout(120_000 + rounds * 30_000);
  let cluster: Cluster;
  let staff: Staff;
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(['a', 'b'], askingPlatform, () => ({ prepare: writeAsker }));
    const [first] = cluster.nodes as [ClusterNode];
    staff = await makeStaff(first.url, cluster.key);
    for (const node of cluster.nodes) {
      expect(await node.served.stop()).to.equal(0);
      writeOffice(node.served.home, staff);
    }
    for (const node of cluster.nodes) await cluster.start(node);
  });
  after(() => cluster?.remove());

  const [approve, refuse] = ['approve', 'refuse'] as const;

  /** Lets each member decide on a node of its own: at the same moment, and not always the same. */
  async function decideAtOnce(mail: HeldMail, at: number): Promise<number> {
    const said = at % 3 === 0 ? refuse : approve;
    const replies = await Promise.all(
      cluster.nodes.map(({ url }, index) =>
        decideMail(url, staff.members[index] ?? '', { mail: { ...mail }, decision: index === 0 ? approve : said }),
      ),
    );
    return replies.filter(({ status }) => status === 200).length;
  }

  it(`one decision is taken, one mail is sent at most, and a node that is killed loses none (${rounds} times)`, async () => {
    const taken = new Map<HeldMail, number>();
    for (let round = 0; round < rounds; round++) {
      const [doomed, other] = round % 2 === 0 ? [0, 1] : [1, 0];
      const url = cluster.nodes[other]?.url ?? '';
      const tokens = Array.from({ length: eachRound }, (_, at) => `n${round}-${at}`);
      const held = await Promise.all(tokens.map((token) => askForMail(url, staff, token)));
      const ended = held.map(async (mail, at) => {
        expect(mail, tokens[at]).not.to.equal(undefined);
        if (mail !== undefined) taken.set(mail, await decideAtOnce(mail, at));
      });
      await Promise.any(ended);
      await cluster.kill(cluster.nodes[doomed] as ClusterNode);
      await Promise.all(ended);
      await cluster.start(cluster.nodes[doomed] as ClusterNode);
    }
    const counts: Record<string, number> = {};
    for (const [mail, answered] of taken) {
      const { status, what } = await ending(mail);
      expect(answered, `${what}: answers with 200`).to.be.at.most(1);
      const allowed = { completed: [1], indeterminate: [0, 1] }[status] ?? [0];
      expect(allowed, what).to.include(cluster.mails(mail.token));
      counts[status] = (counts[status] ?? 0) + 1;
    }
    expect(counts['completed'] ?? 0, JSON.stringify(counts)).to.be.greaterThan(rounds);
    console.log(`      ${JSON.stringify(counts)}, ${cluster.smtp.messages.length} mails`);
  });

  /** Waits until both nodes say the same of a mail that was decided; one that was not is decided now. */
  async function ending(mail: HeldMail): Promise<{ readonly status: string; readonly what: string }> {
    const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
    const approvalOf = async ({ url }: ClusterNode) =>
      (await reach(url, `/approvals/${mail.approval_id}`, cluster.key)).body;
    // Both clicks of a mail can be lost with the node: then somebody decides later.
    if ((await approvalOf(first))['state'] === 'open') {
      const reply = await decideMail(second.url, staff.members[0] ?? '', { mail, decision: approve });
      expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    }
    const { body: run } = await until(
      () => reach(first.url, `/runs/${mail.run_id}`, cluster.key),
      ({ body }) => ['completed', 'indeterminate', 'denied', 'failed'].includes(String(body['status'])),
      `the end of ${mail.token}, whose approval is ${String((await approvalOf(first))['state'])}`,
    );
    const [one, two] = [await approvalOf(first), await approvalOf(second)];
    expect(one).to.deep.equal(two);
    expect(one['decisions']).to.have.length(1);
    const what = `${mail.token}: ${String(run['status'])} ${String(run['reason'])}, ${String(one['state'])}`;
    const expected = one['state'] === 'refused' ? ['denied'] : ['completed', 'indeterminate'];
    expect(expected, what).to.include(run['status']);
    return { status: String(run['status']), what };
  }
});
