import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import {
  clusterCanRun,
  mailOf,
  startCluster,
  type Cluster,
  type ClusterNode,
  type ShownRun,
} from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';

// What a call under a key was told, at every node that was asked.
interface Told {
  readonly token: string;
  readonly run_id: string;
}

describe('three servers on one database', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  before(async function () {
    if (!clusterCanRun()) return this.skip();
    cluster = await startCluster(['a', 'b', 'c']);
  });
  after(() => cluster?.remove());

  const execute = (node: ClusterNode, token: string, prefer?: string) =>
    cluster.call<ShownRun>(node, 'POST', '/orbisets/default/execute', {
      body: mailOf(token),
      headers: { 'idempotency-key': `key-${token}`, ...(prefer === undefined ? {} : { prefer }) },
    });

  /** Sends calls to the nodes in turn until it is stopped; answers those that got a run, and the longest answer of a living node. */
  function load(prefix: string, prefer?: string) {
    const told: Told[] = [];
    const open: string[] = [];
    let [longest, since] = [0, 0];
    let next = 0;
    let stopped = false;
    const client = async (): Promise<void> => {
      while (!stopped) {
        const token = `${prefix}${next}`;
        const node = cluster.nodes[next++ % cluster.nodes.length];
        if (node === undefined || !node.up) continue;
        const begun = performance.now();
        const { status, body } = await execute(node, token, prefer);
        if (node.up) longest = Math.max(longest, performance.now() - Math.max(begun, since));
        if ((status === 200 || status === 202) && body.run_id !== undefined) told.push({ token, run_id: body.run_id });
        else open.push(token);
        await delay(30);
      }
    };
    const clients = Promise.all(Array.from({ length: 6 }, client));
    return {
      told,
      /** Those whose call got no answer, or an error. */
      open,
      /** Forgets the longest answer: the first ones wait for what a server makes when it is first used. */
      measure() {
        [longest, since] = [0, performance.now()];
      },
      async stop() {
        stopped = true;
        await clients;
        return { longest };
      },
    };
  }

  const ended = (node: ClusterNode, runId: string): Promise<ShownRun> =>
    until(
      async () => (await cluster.call<ShownRun>(node, 'GET', `/runs/${runId}?wait=20`)).body,
      ({ status }) => status !== 'queued' && status !== 'running',
      `the end of ${runId}`,
    );

  /** Asks each run and each unanswered key on a living node; answers how they ended. */
  async function settled(node: ClusterNode, runs: readonly Told[], unanswered: readonly string[]) {
    const counts: Record<string, number> = {};
    const count = (word: string): void => void (counts[word] = (counts[word] ?? 0) + 1);
    for (const { token, run_id } of runs) {
      const { status, receipt_id } = await ended(node, run_id);
      const allowed = status === 'completed' ? [1] : status === 'indeterminate' ? [0, 1] : [0];
      expect(allowed, `${status} ${token}`).to.include(cluster.mails(token));
      const receipt = await cluster.call<{ signature_valid?: boolean }>(node, 'GET', `/receipts/${receipt_id ?? ''}`);
      expect([receipt.status, receipt.body.signature_valid], token).to.deep.equal([200, true]);
      count(status);
    }
    for (const token of unanswered) {
      const { status, body } = await until(
        () => execute(node, token),
        ({ status: found }) => found !== 409,
        `the key of ${token}`,
      );
      expect(cluster.mails(token), `${status} ${JSON.stringify(body)}`).to.be.at.most(1);
      // The same key: the same run at another node.
      count(`asked again: ${status}`);
    }
    return counts;
  }

  const subjects = (): string[] =>
    cluster.smtp.messages.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1] ?? '');

  it('lose one by kill -9: the others serve on, and each run ends once, with its receipt', async () => {
    const [first, second, third] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
    const now = load('s');
    const queued = load('q', 'respond-async');
    await until(
      () => Math.min(now.told.length, queued.told.length),
      (count) => count >= 40,
      'runs on all nodes',
      5,
    );
    now.measure();
    await cluster.kill(second);
    const before = now.told.length;
    await until(
      () => now.told.length,
      (count) => count >= before + 40,
      'runs on the others',
    );
    const { longest } = await now.stop();
    await queued.stop();
    expect(now.told.length, 'the others serve on').to.be.greaterThan(before);
    expect(longest, 'nobody waits for the end of the lease').to.be.lessThan(9000);
    const counts = await settled(first, [...now.told, ...queued.told], [...now.open, ...queued.open]);
    console.log(`      ${JSON.stringify(counts)}; longest answer ${Math.round(longest)} ms`);
    expect(new Set(subjects()).size, 'a mail came twice').to.equal(cluster.smtp.messages.length);
    const { status, stdout, stderr } = first.served.orb('log', 'fsck');
    expect(status, stdout + stderr).to.equal(0);
    // What one node answers, another repeats.
    const [one] = now.told;
    const again = await execute(third, one?.token ?? '');
    expect([again.status, again.body.run_id]).to.deep.equal([200, one?.run_id]);
    await cluster.start(second);
    expect((await execute(second, 'back')).status).to.equal(200);
  });

  it('refuse what one sends that was paused beyond its lease: it ends with 75, and nothing is doubled', async () => {
    const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
    const now = load('p');
    const queued = load('r', 'respond-async');
    await until(
      () => Math.min(now.told.length, queued.told.length),
      (count) => count >= 20,
      'runs on all nodes',
      5,
    );
    second.up = false;
    second.served.signal('SIGSTOP');
    await delay(1000);
    const client = await cluster.postgres.client(cluster.database);
    await until(
      async () => (await client.query("SELECT state FROM kernel_nodes WHERE node = 'b'")).rows[0] as { state: string },
      ({ state }) => state === 'dead',
      'the adoption',
    );
    second.served.signal('SIGCONT');
    await second.served.exited();
    expect(await second.served.stop(), 'EX_TEMPFAIL').to.equal(75);
    await now.stop();
    await queued.stop();
    const counts = await settled(first, [...now.told, ...queued.told], [...now.open, ...queued.open]);
    console.log(`      ${JSON.stringify(counts)}`);
    expect(new Set(subjects()).size, 'a mail came twice').to.equal(cluster.smtp.messages.length);
    const { status, stdout, stderr } = first.served.orb('log', 'fsck');
    expect(status, stdout + stderr).to.equal(0);
    await cluster.start(second);
    expect((await execute(second, 'again')).status).to.equal(200);
  });
});
