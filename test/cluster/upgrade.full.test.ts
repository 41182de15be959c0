import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startBalancer } from '../helpers/balanced.ts';
import {
  mailOf,
  severalNodes,
  startCluster,
  type Cluster,
  type ClusterNode,
  type ShownRun,
} from '../helpers/cluster.ts';
import { makeUpgrade, newerVersion, olderVersion, type Upgrade } from '../helpers/newer-program.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';
import { buildHere } from '../plugins/release/built.ts';

const size = Number(process.env['STORM_SIZE'] ?? 0.05);
const runsBetween = 2000 * size;

interface Listed {
  readonly runs: readonly ShownRun[];
}

interface Nodes {
  readonly nodes: readonly { readonly name: string; readonly version: string; readonly serving: boolean }[];
}

// The soak does it with executables, too.
const kinds = process.env['RELEASE_SOAK'] === '1' ? (['programs', 'executables'] as const) : (['programs'] as const);

for (const kind of kinds)
  describe(`several servers whose ${kind} are upgraded one after the other, and go back, under load`, function () {
    this.timeout(600_000 + 600_000 * size);
    let cluster: Cluster;
    let upgrade: Upgrade;
    before(async function () {
      needPostgres(this);
      if (kind === 'executables') buildHere(this, 'executables');
      // The newer executable is built, too.
      if (kind === 'executables') this.timeout(1_200_000);
      upgrade = await makeUpgrade(kind);
      cluster = await startCluster(severalNodes, { drain_notice_ms: 1500 }, upgrade.programOf);
    });
    after(async () => {
      await cluster?.remove();
      upgrade?.remove();
    });

    const versions = async (node: ClusterNode) =>
      (await cluster.call<Nodes>(node, 'GET', '/nodes')).body.nodes.map(({ name, version }) => `${name} ${version}`);
    const uncaught = async ({ url }: ClusterNode) => {
      const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${cluster.key}` } });
      return (await answer.text()).match(/^orb_(?:uncaught_errors|hook_failures)_total.* [1-9]\d*$/gm) ?? [];
    };

    async function replace(node: ClusterNode, step: 'upgrade' | 'downgrade'): Promise<void> {
      expect(await uncaught(node), `${node.name} has met something that it cannot handle`).to.deep.equal([]);
      expect(await node.served.stop()).to.equal(0);
      node.up = false;
      upgrade[step](node.name, node.served);
      await cluster.start(node);
    }

    async function readNewRows(reader: ClusterNode, made: { readonly run: string; readonly receipt: string }) {
      const list = await cluster.call<Listed>(reader, 'GET', '/runs?limit=100');
      expect(list.status, reader.name).to.equal(200);
      expect((await cluster.call(reader, 'GET', `/runs/${made.run}`)).status, reader.name).to.equal(200);
      expect((await cluster.call(reader, 'GET', '/receipts?limit=100')).status, reader.name).to.equal(200);
      const receipt = await cluster.call<{ code?: string }>(reader, 'GET', `/receipts/${made.receipt}`);
      expect(receipt.status, `${reader.name}: ${JSON.stringify(receipt.body)}`).to.be.lessThan(500);
    }

    /** Waits until the newer programs do all work that only one node does. */
    async function newerLead(): Promise<void> {
      const database = await cluster.postgres.client(cluster.database);
      await until(
        async () =>
          (
            await database.query<{ version: string }>(
              'SELECT DISTINCT version FROM kernel_roles JOIN kernel_nodes USING (incarnation)',
            )
          ).rows.map((row) => row.version),
        (found) => found.join() === newerVersion,
        'roles',
      );
    }

    it('fail no run, lose none, and read what newer ones write', async () => {
      const balancer = startBalancer(cluster);
      const completed: string[] = [];
      let [next, stopped] = [0, false];
      const client = async (): Promise<void> => {
        while (!stopped) {
          const token = `u${next++}`;
          const { body, node, status } = await balancer.call<ShownRun>('POST', '/orbisets/default/execute', {
            body: mailOf(token),
          });
          expect([status, body.status], `${node.name}: ${JSON.stringify(body)}`).to.deep.equal([200, 'completed']);
          completed.push(token);
          // Beside other tests the machine is not theirs alone.
          if (size < 1) await delay(100);
        }
      };
      const clients = Promise.all(Array.from({ length: 4 }, client));
      const upgradeAll = async (): Promise<void> => {
        for (const node of [...cluster.nodes].reverse()) {
          for (const goal = completed.length + runsBetween; completed.length < goal;) await delay(50);
          await replace(node, 'upgrade');
          expect(await versions(node)).to.include(`${node.name} ${newerVersion}`);
          const run = await cluster.call<ShownRun>(node, 'POST', '/orbisets/default/execute', {
            body: mailOf(`new-${node.name}`),
          });
          const watch = await cluster.call<{ receipt_id: string }>(node, 'POST', '/watches');
          expect([run.status, watch.status], JSON.stringify([run.body, watch.body])).to.deep.equal([200, 200]);
          for (const reader of cluster.nodes)
            await readNewRows(reader, { run: run.body.run_id, receipt: watch.body.receipt_id });
        }
      };
      const goBack = async (): Promise<void> => {
        for (const node of cluster.nodes) {
          await replace(node, 'downgrade');
          expect(await versions(node)).to.include(`${node.name} ${olderVersion}`);
          for (const goal = completed.length + runsBetween; completed.length < goal;) await delay(50);
        }
      };
      const thereAndBack = async (): Promise<void> => {
        await upgradeAll();
        await newerLead();
        await goBack();
      };
      await Promise.race([thereAndBack(), clients]);
      stopped = true;
      await clients;
      balancer.close();
      console.log(`      ${completed.length} runs completed`);
      const all = [...completed, ...cluster.nodes.map(({ name }) => `new-${name}`)].sort();
      const subjects = cluster.smtp.messages.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1] ?? '');
      expect(subjects.sort()).to.deep.equal(all);
      const database = await cluster.postgres.client(cluster.database);
      const rows = await database.query<{ all: string; north: string }>(
        `SELECT count(*) AS all, count(region) AS north FROM runtime_runs WHERE status = 'completed'`,
      );
      expect(Number(rows.rows[0]?.all)).to.equal(all.length);
      expect(Number(rows.rows[0]?.north)).to.be.greaterThan(0);
      for (const node of cluster.nodes) expect(await uncaught(node), node.name).to.deep.equal([]);
    });
  });
