import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { startSmtp, type SmtpReceiver } from '../../helpers/smtp.ts';
import { until } from '../../helpers/until.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import { shippedOrb } from './orbs.ts';
import { alertOn, mailer } from './started.ts';

describe('alerts of two nodes of one database', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let late: SmtpReceiver | undefined;
  let shut = 0;
  before(async function () {
    needPostgres(this);
    const closed = await startSmtp();
    shut = closed.port;
    await closed.close();
    const prepare = (home: string): void => {
      const path = join(home, 'data/orbs/ops.mail@1.0.0.json');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify(shippedOrb));
    };
    const receiver = await startSmtp();
    mail = receiver;
    const settings = {
      providers: { mail: mailer(receiver.port), broken: mailer(shut), echo: { adapter: 'echo/local' } },
      bindings: { 'notify.email@1.0.0': ['mail'], 'ops.mail@1.0.0': ['broken'], 'demo.echo@1.0.0': ['echo'] },
      plugins: {
        alerts: {
          config: { alerts: ['provider_down', 'provider_recovered', 'key_expiring'].map((one) => alertOn(one)) },
        },
      },
    };
    cluster = await startCluster(['a', 'b'], settings, () => ({ prepare }));
  });
  after(async () => {
    await cluster?.remove();
    await late?.close();
    await mail?.close();
  });

  let mail: SmtpReceiver | undefined;
  const arrived = (when: string): number =>
    mail?.messages.filter(({ to }) => to.includes(`${when}@example.com`)).length ?? 0;
  const wait = (when: string, count: number) =>
    until(
      () => arrived(when),
      (found) => found >= count,
      `message ${count} of ${when}`,
      200,
    );
  const makeKey = async (node: ClusterNode, name: string): Promise<void> => {
    const expires_at = new Date(Date.now() + 5 * 86_400_000).toISOString();
    const body = { name, scopes: ['orbs:read'], expires_at };
    expect((await cluster.call(node, 'POST', '/keys', { body })).status).to.equal(201);
  };

  it('tell once what both find, and what one of them finds', async () => {
    await makeKey(cluster.nodes[1] as ClusterNode, 'one');
    await Promise.all([wait('provider_down', 1), wait('key_expiring', 1)]);
    await delay(5000);
    expect([arrived('provider_down'), arrived('key_expiring')]).to.deep.equal([1, 1]);
  });

  it('go on at the other node when the one that tells is killed, and repeat nothing', async () => {
    const client = await cluster.postgres.client(cluster.database);
    const { rows } = await client.query("SELECT node FROM kernel_roles WHERE role = 'alerts'");
    const holder = cluster.nodes.find(({ name }) => name === (rows as { node: string }[])[0]?.node) as ClusterNode;
    const other = cluster.nodes.find((node) => node !== holder) as ClusterNode;
    await cluster.kill(holder);
    await makeKey(other, 'two');
    await wait('key_expiring', 2);
    await cluster.start(holder);
    await delay(5000);
    expect([arrived('provider_down'), arrived('key_expiring')]).to.deep.equal([1, 2]);
  });

  it('tell that a provider has recovered when it works at all of them', async () => {
    late = await startSmtp({ port: shut });
    await wait('provider_recovered', 1);
    await delay(5000);
    expect([arrived('provider_down'), arrived('provider_recovered')]).to.deep.equal([1, 1]);
  });
});
