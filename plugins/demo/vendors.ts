import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chanceOf, type Chance } from './random.ts';
import type { SimulatedTime } from './time.ts';
import { vendors, type Answered, type Asked, type VendorName } from './vendor-answers.ts';

/** How a vendor fails a call: with a status, or by ending the connection. */
export type Failure = number | 'cut';

/** The services of others that the providers of a demonstration call: servers of this process, on loopback. */
export interface Vendors {
  /** Base address of each. */
  readonly urls: Readonly<Record<VendorName, string>>;
  /** Fails the next calls of a vendor. */
  failNext(name: VendorName, failure: Failure, times?: number): void;
  /** Refuses connections to a vendor until `up`. */
  down(name: VendorName): Promise<void>;
  up(name: VendorName): Promise<void>;
  /** Whether a vendor refuses connections, or did so some hours ago: the server still tells people of it. */
  isTroubled(): boolean;
  /** Whether a vendor answers a request now. */
  isBusy(): boolean;
  close(): Promise<void>;
}

interface Running {
  readonly server: Server;
  readonly port: number;
}

const troubleMs = 8 * 3_600_000;
const names = Object.keys(vendors) as VendorName[];

/** Starts the vendors; each call of one takes simulated time. */
export async function openVendors(time: SimulatedTime, seed: number): Promise<Vendors> {
  const failing = new Map<VendorName, Failure[]>();
  let busy = 0;
  let troubledUntil = 0;
  const answer = async (name: VendorName, number: number, request: IncomingMessage, response: ServerResponse) => {
    busy += 1;
    try {
      const asked = await read(request);
      const vendor = vendors[name];
      // By the time of the call: one call more or less changes nothing of the others.
      const chance = chanceOf(number ^ time.now());
      const isProbe = vendor.isProbe(asked);
      const failure = isProbe ? undefined : failing.get(name)?.shift();
      // Probes come when the server wants them: they change nothing of what follows.
      if (!isProbe) time.move(time.now() + took(vendor.usualMs, chance));
      if (failure === 'cut') return void response.destroy();
      const usual = (): Answered => vendor.answer(asked, { chance, now: time.now() });
      const { status = 200, type = 'application/json', body } = failure === undefined ? usual() : refusal(failure);
      response.writeHead(status, { 'content-type': type, ...(failure === 429 ? { 'retry-after': '30' } : {}) });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    } finally {
      busy -= 1;
    }
  };
  const running = new Map<VendorName, Running>();
  for (const [at, name] of names.entries()) {
    const server = createServer((request, response) => void answer(name, seed * 100 + at, request, response));
    running.set(name, { server, port: await listen(server, 0) });
  }
  const of = (name: VendorName): Running => running.get(name) as Running;
  return {
    urls: Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${of(name).port}`])) as Vendors['urls'],
    failNext: (name, failure, times = 1) => void failing.set(name, Array<Failure>(times).fill(failure)),
    down(name) {
      troubledUntil = time.now() + troubleMs;
      return close(of(name).server);
    },
    up: async (name) => void (await listen(of(name).server, of(name).port)),
    isTroubled: () => time.now() < troubledUntil,
    isBusy: () => busy > 0,
    close: async () => void (await Promise.all(names.map((name) => close(of(name).server)))),
  };
}

// Most calls take about as long; some take three times as long, and more.
function took(usualMs: number, chance: Chance): number {
  const slow = chance.next() < 0.04 ? 2 + 2 * chance.next() : 0;
  return Math.round(usualMs * (0.7 + 0.6 * chance.next() + slow));
}

function refusal(status: number): Answered {
  return { status, body: { message: 'refused', error: { message: 'refused', type: 'server_error' } } };
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = 'GET', url = '/', headers } = request;
  return { method, path: url, body: Buffer.concat(chunks).toString(), type: headers['content-type'] ?? '' };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
