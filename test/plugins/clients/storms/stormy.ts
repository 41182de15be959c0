import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Outcome } from '../../../../plugins/clients/typescript/src/surface.ts';
import { seeded } from '../../receipts/fuzz/forge.ts';

/** How many calls are made in a storm, of how many callers, and how long one may take, ms. */
export const storm = { calls: Number(process.env['CLIENT_STORM'] ?? 40), callers: 8, timeout: 1500 } as const;

/** What a stormy server does with a request; the action is done at most once per key, as by a real one. */
type Weather =
  | '200'
  | '409'
  | '429'
  | '503'
  | 'act, then reset'
  | 'act, then html'
  | 'act, then cut'
  | 'act, then hang'
  | 'reset'
  | 'two lengths';

const weathers: readonly Weather[] = [
  ...(['200', '409', '429', '503', 'act, then reset', 'act, then html'] as const),
  ...(['act, then cut', 'act, then hang', 'reset', 'two lengths'] as const),
];

/** A server that does anything but answer well. */
export interface Stormy {
  readonly url: string;
  /** How often each token was acted on. */
  readonly acted: ReadonlyMap<string, number>;
  /** Under which keys each token came. */
  readonly keysOf: ReadonlyMap<string, ReadonlySet<string>>;
  close(): void;
}

/** Starts a stormy server. */
export async function startStormy(): Promise<Stormy> {
  const random = seeded(51);
  const [acted, keysOf] = [new Map<string, number>(), new Map<string, Set<string>>()];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { inputs } = JSON.parse(Buffer.concat(chunks).toString()) as { inputs: { token: string } };
      const key = String(request.headers['idempotency-key']);
      keysOf.set(inputs.token, (keysOf.get(inputs.token) ?? new Set()).add(key));
      const weather = weathers[random(weathers.length)] ?? '200';
      const stored = acted.has(inputs.token);
      const act = (): void => void acted.set(inputs.token, (acted.get(inputs.token) ?? 0) + (stored ? 0 : 1));
      const receipt = { receipt_id: 'rec_1' };
      const done = JSON.stringify({ run_id: 'run_1', status: 'completed', outputs: {}, receipt, execution_ms: 1 });
      const problem = (status: number, code: string): void => {
        response.writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '0' });
        response.end(JSON.stringify({ code, status, retryable: true }));
      };
      if (weather.startsWith('act') || weather === '200') act();
      switch (weather) {
        case '200':
          response.writeHead(200, stored ? { 'idempotent-replayed': 'true' } : {});
          return response.end(done);
        case '409':
          return problem(409, 'idempotency_in_progress');
        case '429':
          return problem(429, 'rate_limited');
        case '503':
          return problem(503, random(2) === 0 ? 'overloaded' : 'draining');
        case 'act, then html':
          response.writeHead(502, { 'content-type': 'text/html' });
          return response.end('<html>Bad gateway</html>');
        case 'act, then cut':
          response.writeHead(200, { 'content-length': done.length });
          response.write(done.slice(0, random(done.length)));
          return setImmediate(() => request.socket.destroy());
        case 'two lengths':
          return request.socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 7\r\n\r\n${done}`);
        case 'act, then hang':
          return undefined;
        default:
          return request.socket.destroy();
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...{ acted, keysOf, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Calls through a storm: each action is done once under one key, nothing false is said, and each call ends. */
export async function weatherStorm(stormy: Stormy, run: (token: string) => Promise<Outcome>): Promise<void> {
  const { calls, callers, timeout } = storm;
  const kinds: Record<string, number> = {};
  let [next, longest] = [0, 0];
  const caller = async (): Promise<void> => {
    while (next < calls) {
      const token = `t${next++}`;
      const begun = performance.now();
      const outcome = await run(token);
      longest = Math.max(longest, performance.now() - begun);
      kinds[outcome.kind] = (kinds[outcome.kind] ?? 0) + 1;
      expectTrue(stormy, token, outcome);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  expect(Object.values(kinds).reduce((sum, count) => sum + count, 0)).to.equal(calls);
  console.log(`      ${JSON.stringify(kinds)}; the longest took ${Math.round(longest)} of ${timeout} ms`);
}

function expectTrue({ acted, keysOf }: Stormy, token: string, outcome: Outcome): void {
  const count = acted.get(token) ?? 0;
  expect(keysOf.get(token)?.size ?? 1, `${token}: keys`).to.equal(1);
  expect(count, token).to.be.at.most(1);
  if (outcome.kind === 'completed') expect(count, token).to.equal(1);
  else if (outcome.kind !== 'unknown') expect([outcome.kind, count], token).to.deep.equal([outcome.kind, 0]);
  expect(outcome.kind, token).to.be.oneOf(['completed', 'unknown', 'failed']);
}
