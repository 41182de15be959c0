import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { median } from './load.ts';
import { requestBody } from './payload.ts';
import { startGoverned, type Target } from './server.ts';
import { printTable, times, type Row } from './table.ts';

/** A receiver of callbacks, and how long after the end of its run each one came, ms. */
interface Receiver {
  readonly server: Server;
  readonly port: number;
  readonly waits: number[];
}

const oneByOne = 200;
const atOnce = 1000;

/** Prints how long after the end of a run its callback arrives, beside a plain request to the same receiver. */
export async function callbackCosts(rounds: number): Promise<void> {
  const all: Measured[] = [];
  for (let round = 0; round < rounds; round++) all.push(await measured());
  const plain = median(all.map((one) => part(one.plain, 0.5)));
  const row = (name: string, pick: (one: Measured) => readonly number[], ratio = true): Row => {
    const [p50 = 0, p99 = 0] = [0.5, 0.99].map((share) => median(all.map((one) => part(pick(one), share))));
    return [name, p50.toFixed(1), p99.toFixed(1), ratio ? times(p50, plain) : ''];
  };
  printTable(
    'Callbacks, from the end of the run to the arrival, ms',
    ['p50', 'p99', 'of a plain request'],
    [
      row('a plain request to the receiver', (one) => one.plain),
      row(`${oneByOne} runs one by one (goal: p50 of 50)`, (one) => one.lone),
      row(`${atOnce} runs that were due at once`, (one) => one.burst, false),
    ],
  );
}

interface Measured {
  readonly plain: readonly number[];
  readonly lone: readonly number[];
  readonly burst: readonly number[];
}

async function measured(): Promise<Measured> {
  const receiver = await startReceiver();
  const private_hosts = [{ host: '127.0.0.1', port: receiver.port }];
  const target = await startGoverned({ settings: { plugins: { subscriptions: { config: { private_hosts } } } } });
  try {
    const url = `http://127.0.0.1:${receiver.port}/`;
    const plain = await plainRequests(url);
    await post(target, '/orbisets/default/subscriptions', { url, types: ['run.*'] });
    const warm = await told(receiver, oneByOne, () => runs(target, oneByOne, requestBody));
    const lone = await told(receiver, oneByOne, () => runs(target, oneByOne, requestBody));
    const body = { ...requestBody, mode: 'async', run_at: new Date(Date.now() + 5000).toISOString() };
    const burst = await told(receiver, atOnce, () => runs(target, atOnce, body));
    if (warm.length !== oneByOne) throw new Error('callbacks were lost');
    return { plain, lone, burst };
  } finally {
    await target.stop();
    receiver.server.closeAllConnections();
    receiver.server.close();
  }
}

async function startReceiver(): Promise<Receiver> {
  const waits: number[] = [];
  const server = createServer((request, response) => {
    const arrived = Date.now();
    void text(request).then((body) => {
      response.writeHead(204).end();
      const { timestamp } = JSON.parse(body) as { timestamp?: string };
      if (timestamp !== undefined) waits.push(arrived - Date.parse(timestamp));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, waits };
}

// What arrived of some runs, when all of it is there.
async function told({ waits }: Receiver, count: number, act: () => Promise<void>): Promise<readonly number[]> {
  waits.length = 0;
  await act();
  for (const deadline = Date.now() + 60_000; waits.length < count;) {
    if (Date.now() > deadline) throw new Error(`${waits.length} of ${count} callbacks came`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return [...waits];
}

async function runs(target: Target, count: number, body: object): Promise<void> {
  for (let made = 0; made < count; made++) await post(target, '/orbisets/default/execute', body);
}

async function post({ url, key }: Pick<Target, 'url' | 'key'>, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

async function plainRequests(url: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (let made = 0; made < oneByOne; made++) {
    const begun = performance.now();
    await fetch(url, { method: 'POST', body: '{}' });
    found.push(performance.now() - begun);
  }
  return found;
}

function part(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
