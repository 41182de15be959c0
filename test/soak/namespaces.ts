// Nodes in network namespaces of their own, part of `npm run soak:weather`: the kernel of the machine loses their packets,
// and no process in between knows of it. Needs root and `ip` (Debian package iproute2).
import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster, type Cluster, type ClusterNode } from '../helpers/cluster.ts';
import { leaveOutBecause } from '../helpers/needs.ts';
import { needPostgres } from '../helpers/use-postgres.ts';
import { expectWhole, settle } from '../cluster/weather/check.ts';
import { beginLoad, untilServed, type Load } from '../cluster/weather/load.ts';
import { incarnationsOf } from '../cluster/weather/nodes.ts';
import { expectSilence } from '../cluster/weather/silence.ts';
import { expect } from 'chai';

const names = ['a', 'b', 'c'] as const;
/** Addresses of this machine that the nodes know: both lie behind a link of their own. */
const hosts = { database: '10.79.0.2', smtp: '10.79.0.1' };
const cuts = 10;
const cutMs = 3000;

const ip = (...words: readonly string[]): void => void execFileSync('ip', words);
const namespaceOf = (name: string): string => `orb-test-${name}`;
const linkOf = (name: string, to: 'db' | 'api'): string => `orb-${name}-${to}`;
const addressOf = (name: string, to: 'db' | 'api'): string =>
  `10.${to === 'db' ? 77 : 78}.${names.findIndex((one) => one === name)}`;

/** Makes the namespace of a node with two links: one to the database, and one to its callers and what it sends mail to. */
function makeNamespace(name: string): void {
  const namespace = namespaceOf(name);
  ip('netns', 'add', namespace);
  ip('-n', namespace, 'link', 'set', 'lo', 'up');
  for (const to of ['db', 'api'] as const) {
    const [near, address] = [linkOf(name, to), addressOf(name, to)];
    ip('link', 'add', near, 'type', 'veth', 'peer', 'name', to, 'netns', namespace);
    ip('address', 'add', `${address}.1/30`, 'dev', near);
    ip('link', 'set', near, 'up');
    ip('-n', namespace, 'address', 'add', `${address}.2/30`, 'dev', to);
    ip('-n', namespace, 'link', 'set', to, 'up');
  }
  ip('-n', namespace, 'route', 'add', hosts.database, 'via', `${addressOf(name, 'db')}.1`);
  ip('-n', namespace, 'route', 'add', hosts.smtp, 'via', `${addressOf(name, 'api')}.1`);
}

// A link whose other end is in a namespace ends with it.
function removeAll(): void {
  for (const name of names) spawnSync('ip', ['netns', 'delete', namespaceOf(name)]);
  for (const host of Object.values(hosts)) spawnSync('ip', ['address', 'delete', `${host}/32`, 'dev', 'lo']);
}

/** Cuts a node from the database: nothing passes, and nobody is told. */
const cut = ({ name }: ClusterNode): void => ip('link', 'set', linkOf(name, 'db'), 'down');
const join = ({ name }: ClusterNode): void => ip('link', 'set', linkOf(name, 'db'), 'up');
/** Loses what the database answers a node; what the node asks arrives. */
const deafen = ({ name }: ClusterNode): void => ip('route', 'add', 'blackhole', `${addressOf(name, 'db')}.2/32`);
const hear = ({ name }: ClusterNode): void => ip('route', 'delete', 'blackhole', `${addressOf(name, 'db')}.2/32`);

describe('three nodes in network namespaces', function () {
  this.timeout(600_000);
  let cluster: Cluster;
  const loads: Load[] = [];
  before(async function () {
    if (process.getuid?.() !== 0 || spawnSync('ip', ['-V']).status !== 0)
      leaveOutBecause(this, 'needs root and `ip` (Debian package iproute2)');
    needPostgres(this);
    removeAll();
    for (const host of Object.values(hosts)) ip('address', 'add', `${host}/32`, 'dev', 'lo');
    for (const name of names) makeNamespace(name);
    const open = { insecure_http: true, insecure_store: true };
    const otherwise = (name: string) => ({
      within: ['ip', 'netns', 'exec', namespaceOf(name)],
      platform: { ...open, listen: [{ address: `${addressOf(name, 'api')}.2:0` }] },
    });
    cluster = await startCluster(names, {}, otherwise, { relayed: true, hosts });
  });
  after(async () => {
    await cluster?.remove();
    removeAll();
  });

  it(`lose the link of one for ${cutMs / 1000} s, ${cuts} times: nothing is lost or doubled, and nobody is adopted`, async () => {
    const before = await incarnationsOf(cluster);
    const load = await beginLoad(cluster, { prefix: 'n' });
    loads.push(load);
    for (let number = 0; number < cuts; number++) {
      const node = cluster.nodes[number % cluster.nodes.length] as ClusterNode;
      cut(node);
      await delay(cutMs);
      join(node);
      await untilServed(load);
    }
    await load.stop();
    expectWhole(await settle(cluster, cluster.nodes[0] as ClusterNode, [load]), `cut × ${cuts}`);
    expect(await incarnationsOf(cluster)).to.deep.equal(before);
  });

  it('lose the link of one and the answers to another: both fall silent, are adopted, and end with 75', async () => {
    const [, second, third] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
    const begin = (): void => {
      cut(second);
      deafen(third);
    };
    const end = (): void => {
      join(second);
      hear(third);
    };
    await expectSilence(cluster, { nodes: [second, third], begin, end }, loads);
  });
});
