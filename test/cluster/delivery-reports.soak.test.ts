import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';
import { startVendor, type VendorServer } from '../helpers/vendor.ts';
import { postmarkBed } from '../providers/email/vendors/postmark.ts';

const secret = 'a-made-up-webhook-secret';
const orb_id = 'notify.email@1.0.0';
const mail = { to: 'ada@example.org', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };
const killed = Number(process.env['CRASH_ROUNDS'] ?? 2);

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly resolution?: string;
  readonly delivery?: { readonly state: string; readonly evidence: readonly string[] };
}

describe('delivery reports at two servers', function () {
  this.timeout(180_000 + killed * 30_000);
  let cluster: Cluster;
  let vendor: VendorServer;
  let hook: string;
  before(async function () {
    needPostgres(this);
    vendor = await startVendor(postmarkBed.contract);
    const config = { ...postmarkBed.config(vendor.url), server_token: { $env: 'POSTMARK_TOKEN' } };
    const platform = { providers: { pm: { adapter: 'email/postmark', config } }, bindings: { [orb_id]: ['pm'] } };
    const env = { POSTMARK_TOKEN: postmarkBed.secrets[0] ?? '' };
    cluster = await startCluster(['a', 'b'], platform, () => ({ env }));
    const body = { name: 'pm', vendor: 'postmark', secret, may_name: { providers: ['pm'] } };
    const made = await cluster.call<{ token: string }>(cluster.nodes[0] as ClusterNode, 'POST', '/sources', { body });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    hook = `/hooks/${made.body.token}`;
  });
  after(async () => {
    await cluster?.remove();
    await vendor?.close();
  });

  /** Sends a mail whose answer is lost; answers its run and our key, as the vendor has it. */
  async function lost(node: ClusterNode): Promise<{ run_id: string; key: string }> {
    vendor.fault = 'lost';
    const asked = { body: { orb_id, inputs: mail } };
    const { status, body } = await cluster.call<{ run_id: string }>(node, 'POST', '/orbisets/default/execute', asked);
    vendor.fault = undefined;
    expect(status, JSON.stringify(body)).to.equal(504);
    const sent = JSON.parse(vendor.posts.at(-1)?.body.toString() ?? '{}') as { Metadata: { orb_key: string } };
    return { run_id: body.run_id, key: sent.Metadata.orb_key };
  }

  const report = (node: ClusterNode, key: string, record: object = { RecordType: 'Delivery' }): Promise<Response> =>
    fetch(`${node.url}${hook}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(`orb:${secret}`)}` },
      body: JSON.stringify({ MessageID: 'p1', Metadata: { orb_key: key }, ...record }),
    });

  const become = (node: ClusterNode, runId: string): Promise<Run> =>
    until(
      async () => (await cluster.call<Run>(node, 'GET', `/runs/${runId}`)).body,
      ({ status }) => status === 'completed',
      runId,
    );

  async function resolutionsOf(runId: string): Promise<number> {
    const client = await cluster.postgres.client(cluster.database);
    const text = "SELECT count(*) AS n FROM receipts_receipts WHERE run_id = $1 AND kind = 'resolution'";
    return Number((await client.query(text, [runId])).rows[0]?.n);
  }

  it('that are taken twice, on both at once, settle the run once', async () => {
    const [a, b] = cluster.nodes as [ClusterNode, ClusterNode];
    for (const node of [a, b]) {
      const { run_id, key } = await lost(node);
      const bounce = { RecordType: 'Bounce', Type: 'HardBounce' };
      const answers = await Promise.all([
        report(a, key),
        report(b, key),
        report(a, key, bounce),
        report(b, key, bounce),
      ]);
      for (const { status } of answers) expect(status).to.be.oneOf([200, 202]);
      expect((await become(a, run_id)).resolution).to.match(/^rec_/);
      const { delivery } = await until(
        () => become(b, run_id),
        (run) => run.delivery?.evidence.length === 2,
      );
      expect(delivery?.state).to.be.oneOf(['delivered', 'undelivered']);
      expect(await resolutionsOf(run_id)).to.equal(1);
    }
  });

  it(`that a server took before it was killed settle the run all the same (${killed} times)`, async () => {
    for (let round = 0; round < killed; round++) {
      const [doomed, other] = (round % 2 === 0 ? cluster.nodes : cluster.nodes.toReversed()) as [
        ClusterNode,
        ClusterNode,
      ];
      const { run_id, key } = await lost(other);
      const { status } = await report(doomed, key);
      await cluster.kill(doomed);
      expect(status).to.equal(202);
      expect((await become(other, run_id)).delivery?.state).to.equal('delivered');
      expect(await resolutionsOf(run_id)).to.equal(1);
      await cluster.start(doomed);
    }
  });
});
