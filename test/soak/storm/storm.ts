import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import { beginLoad, type Load } from '../../cluster/weather/load.ts';
import { createCallers, type Callers } from './callers.ts';
import { inflict, setClock, type Site } from './faults.ts';
import { startMails, type Mails } from './mails.ts';
import { planFaults, randomFrom, saidFault } from './plan.ts';
import { beginRevocations, type Revocations } from './revocations.ts';
import { endSchedules, makeSchedules, type Schedules } from './slots.ts';
import { supervise } from './supervisor.ts';
import { beginSwaps, type Swaps } from './swaps.ts';
import { judge, type Verdict } from './verdict.ts';

/** How a storm is run. */
export interface StormOptions {
  readonly minutes: number;
  /** Of the faults: the same seed makes the same plan. */
  readonly seed: number;
  /** Pause of each of the six callers between two calls. */
  readonly pauseMs: number;
  /** Keeps what the nodes log in this folder. */
  readonly logs: string;
}

/** What went on while the faults happened. */
export interface Course {
  readonly site: Site;
  readonly callers: Callers;
  readonly load: Load;
  readonly swaps: Swaps;
  readonly revocations: Revocations;
  readonly mails: Mails;
  readonly schedules: Schedules & { readonly endedAt: number };
}

const names = ['a', 'b', 'c'];

/** Runs three nodes in a storm of faults, and answers what an observer outside found wrong. */
export async function runStorm(options: StormOptions, say: (text: string) => void): Promise<Verdict> {
  const clocks = mkdtempSync(join(tmpdir(), 'orb-storm-'));
  mkdirSync(options.logs, { recursive: true });
  const mails = await startMails(['mail', 'spare']);
  const site = await startSite(clocks, options.logs, mails, say).catch(async (error: unknown) => {
    await mails.close();
    throw error;
  });
  try {
    return await judge(await course(site, mails, options, say), say);
  } finally {
    site.supervisor.stop();
    await site.cluster.remove();
    await mails.close();
    rmSync(clocks, { recursive: true, force: true });
  }
}

async function startSite(clocks: string, logs: string, mails: Mails, say: (text: string) => void): Promise<Site> {
  const platform = {
    providers: { ...mails.providers, echo: { adapter: 'echo/local' } },
    bindings: { 'notify.email@1.0.0': ['mail'], 'demo.echo@1.0.0': ['echo'] },
  };
  const otherwise = (name: string) => ({
    preload: new URL('../../helpers/clock-set.ts', import.meta.url),
    serverEnv: { TEST_CLOCK_FILE: join(clocks, name), ORB_LOG_LEVEL: 'info' },
    within: ['sh', '-c', `exec "$@" 2>>'${join(logs, `${name}.log`)}'`, 'sh'],
  });
  const cluster = await startCluster(names, platform, otherwise, { relayed: true, durable: true });
  return { cluster, clocks, primary: cluster.postgres, supervisor: supervise(cluster, say) };
}

async function course(
  site: Site,
  mails: Mails,
  { minutes, pauseMs, seed }: StormOptions,
  say: (text: string) => void,
): Promise<Course> {
  const random = randomFrom(seed);
  const lengthMs = minutes * 60_000;
  const faults = planFaults(random, lengthMs, names.length);
  say(`seed ${seed}: ${faults.length} faults\n${faults.map(saidFault).join('\n')}`);
  const callers = createCallers(site.cluster);
  const schedules = await makeSchedules(site.cluster);
  const load = await beginLoad(callers.cluster, { prefix: 's', pauseMs });
  const swaps = beginSwaps(site.cluster, randomFrom(seed + 1));
  const revocations = beginRevocations(site.cluster, randomFrom(seed + 2));
  const begun = performance.now();
  const courses = ['database', 'clock', 'process'].map(async (which) => {
    for (const fault of faults.filter(({ kind, node }) => courseOf(kind, node) === which)) {
      await delay(Math.max(0, begun + fault.atMs - performance.now()));
      say(`${saidFault(fault)} (begins at ${((performance.now() - begun) / 1000).toFixed(1)} s)`);
      await inflict(site, fault);
    }
  });
  await Promise.all(courses);
  await delay(Math.max(0, begun + lengthMs - performance.now()));
  say('the storm is over');
  await calm(site);
  await Promise.all([load.stop(), swaps.stop(), revocations.stop()]);
  say('all nodes serve');
  const endedAt = await endSchedules(site.cluster, site.primary, schedules);
  return { site, callers, load, swaps, revocations, mails, schedules: { ...schedules, endedAt } };
}

const courseOf = (kind: string, node: number): string =>
  node < 0 ? 'database' : kind === 'clock' ? 'clock' : 'process';

/** Sets all clocks right, and waits until each node serves. */
async function calm(site: Site): Promise<void> {
  const { nodes } = site.cluster;
  for (const node of nodes) {
    setClock(site, node, 0);
    node.served.signal('SIGCONT');
  }
  for (const node of nodes)
    await until(
      async () => node.up && (await site.cluster.call(node, 'GET', '/health/ready')).status === 200,
      (ready) => ready,
      `${node.name} to serve`,
      500,
    );
}
