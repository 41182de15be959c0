import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster, ClusterNode } from '../../helpers/cluster.ts';
import type { PostgresServer } from '../../helpers/postgres.ts';
import { startRelay } from '../../helpers/relay.ts';
import { until } from '../../helpers/until.ts';
import type { Fault } from './plan.ts';
import type { Supervisor } from './supervisor.ts';

/** What a storm happens to. */
export interface Site {
  readonly cluster: Cluster;
  readonly supervisor: Supervisor;
  /** Folder of the files that say how far the clock of each node is ahead. */
  readonly clocks: string;
  /** The server of the database that is the primary now. */
  primary: PostgresServer;
}

/** Sets the clock of a node ahead of the right time. */
export function setClock({ clocks }: Site, { name }: ClusterNode, aheadMs: number): void {
  writeFileSync(join(clocks, name), String(aheadMs));
}

/** Makes a fault happen; resolves when it is over. */
export async function inflict(site: Site, fault: Fault): Promise<void> {
  const { cluster, supervisor } = site;
  const node = cluster.nodes[fault.node];
  if (node !== undefined) return inflictNode(site, node, fault);
  if (fault.kind === 'database restarted') return site.primary.restart();
  if (fault.kind === 'database away') return site.primary.restart(() => delay(fault.forMs));
  if (fault.kind === 'network cut') {
    for (const { relay } of cluster.nodes) relay.set('cut');
    await delay(fault.forMs);
    for (const { relay } of cluster.nodes) relay.set('open');
    return;
  }
  await changePrimary(site, { keepOld: fault.kind === 'switch-over' });
  supervisor.say(`the database is led by another server`);
}

async function inflictNode(site: Site, node: ClusterNode, { aheadMs, forMs, kind }: Fault): Promise<void> {
  if (kind === 'clock') {
    setClock(site, node, aheadMs);
    await delay(forMs);
    setClock(site, node, 0);
  } else if (kind === 'killed') site.supervisor.kill(node, forMs);
  else {
    node.served.signal('SIGSTOP');
    await delay(forMs);
    node.served.signal('SIGCONT');
  }
}

/** Gives the database another server, which had all that the old one answered. `keepOld`: it goes on, and its clients stay. */
async function changePrimary(site: Site, { keepOld }: { readonly keepOld: boolean }): Promise<void> {
  const old = site.primary;
  const between = await startRelay(old.socket);
  const standby = await old.standby(between.port);
  const admin = await old.client('postgres');
  try {
    await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await admin.query('SELECT pg_reload_conf()');
    await until(
      async () => (await admin.query<{ sync_state: string }>('SELECT sync_state FROM pg_stat_replication')).rows,
      ([row]) => row?.sync_state === 'sync',
      'the standby to be synchronous',
    );
    if (!keepOld) await old.kill();
    site.cluster.lead(standby);
    // The nodes meet a server that only reads.
    await delay(keepOld ? 0 : 1000);
    await standby.promote();
    site.primary = standby;
    // No write of the old one is answered now: it waits for a standby that follows it no longer.
    if (keepOld) await delay(8000);
  } finally {
    await between.close();
  }
  await old.stop();
}
