import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { Pool } from 'undici';
import { sendBurst } from './burst.ts';
import { makeDeliveries, makeSource } from './pagerduty.ts';
import { requestBody, type ExecuteBody } from './payload.ts';
import { startGoverned, type Target } from './server.ts';

/** How many rows a store holds. */
export interface Held {
  readonly runs: number;
  readonly deliveries: number;
  readonly incidents: number;
  readonly swaps: number;
  /** Entries of the log that the auditor has verified. */
  readonly audited: number;
}

const callers = 64;
// They belong to one incident, which takes each longer than the one before.
const mostDeliveries = 10_000;
// The oldest runs of a store: they fail, and only they belong to this Orbiset.
const rareRuns = 40;
const rareBody = { orb_id: 'http.fetch@1.0.0', inputs: { url: 'http://127.0.0.1:9/' } };
const retention_days = { inputs: 0, outputs: 0 };
const orbiset = (id: string): object => ({ id, tenant: 'default', orbs: ['*'], retention_days });
const settings = {
  providers: {
    echo: { adapter: 'echo/local' },
    second: { adapter: 'echo/local' },
    http: { adapter: 'http/client', config: { allow: [{ host: '127.0.0.1', port: 9, private: true }] } },
  },
};
const incident = { title: 'A bench', severity: 'info', scope: [{ kind: 'component', id: 'observable_engine' }] };
const data = { 'orbisets/default.json': orbiset('default'), 'orbisets/rare.json': orbiset('rare') };

/** Serves a home, which is made when it has no platform.json. */
export function serve(home: string): Promise<Target> {
  return serveIn(home, {});
}

/** Serves a home as `serve` does, with variables, such as those of a store in a database. */
export function serveIn(home: string, env: Readonly<Record<string, string>>): Promise<Target> {
  return startGoverned({ home, data, settings, env });
}

/** Reads or changes the store of a home whose server is stopped, or reads that of a running one. */
export function withStore<T>(home: string, use: (driver: Driver.Database) => T, readonly = true): T {
  const driver = new Driver(join(home, 'data/state/store.db'), { readonly, fileMustExist: true });
  try {
    return use(driver);
  } finally {
    driver.close();
  }
}

/** Counts what the store of a home holds. */
export function heldIn(home: string): Held {
  return withStore(home, (driver) => {
    const count = (table: string): number => Number(driver.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
    return {
      runs: count('runtime_runs'),
      deliveries: count('ingestion_deliveries'),
      incidents: count('ingestion_incidents'),
      swaps: count('runtime_swaps'),
      audited: Number(driver.prepare('SELECT sum(next) FROM receipts_audit').pluck().get() ?? 0),
    };
  });
}

/** Fills an empty store: so many runs, a delivery for ten of them, an incident and a swap for a thousand. */
export async function fill(target: Target, runs: number): Promise<void> {
  await runThem(target, { orbiset: 'rare', body: rareBody, count: rareRuns });
  await runThem(target, { orbiset: 'default', body: requestBody, count: runs - rareRuns });
  const source = await makeSource(target);
  const deliveries = Math.min(runs / 10, mostDeliveries);
  for (let sent = 0; sent < deliveries; sent += 1000) {
    const count = Math.min(1000, deliveries - sent);
    await sendBurst(target, source, makeDeliveries(source, count, `F${sent}x`), callers);
  }
  for (let made = 0; made < runs / 1000; made += 1) {
    await post(target, '/incidents', incident);
    await post(target, `/providers/${requestBody.orb_id}/swap`, { provider: made % 2 === 0 ? 'second' : 'echo' });
  }
}

/** What is run, and how often. */
interface Runs {
  readonly orbiset: string;
  readonly body: ExecuteBody;
  readonly count: number;
  /** How many at a time. */
  readonly connections?: number;
}

/** Runs an Orb so often. */
export async function runThem(
  { url, key }: Target,
  { orbiset: id, body, count, connections = callers }: Runs,
): Promise<void> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const request = { method: 'POST', path: `/orbisets/${id}/execute`, headers, body: JSON.stringify(body) } as const;
  let left = count;
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await pool.request(request);
      const text = await answer.body.text();
      if (!text.includes('"receipt_id":')) throw new Error(`a run has no receipt: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  await pool.close();
}

async function post({ url, key }: Target, path: string, body: object): Promise<void> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${path} was refused: ${await response.text()}`);
  await response.arrayBuffer();
}
