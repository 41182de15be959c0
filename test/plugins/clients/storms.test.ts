import { expect } from 'chai';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { seeded } from '../receipts/fuzz/forge.ts';
import { OrbClient } from '../../../plugins/clients/typescript/src/orb.ts';
import type { Outcome } from '../../../plugins/clients/typescript/src/surface.ts';

const calls = Number(process.env['CLIENT_STORM'] ?? 40);
const callers = 8;
const timeout = 1500;

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

describe(`the TypeScript client in storms (${calls} calls)`, function () {
  this.timeout(60_000 + calls * 100);
  const random = seeded(51);
  /** How often each key was acted on, and under which keys each token came. */
  const [acted, keysOf] = [new Map<string, number>(), new Map<string, Set<string>>()];
  let server: Server;
  let url: string;
  before(async () => {
    server = createServer((request, response) => {
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
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('calls each action once under one key, says nothing false, and always ends', async () => {
    const ends: { readonly token: string; readonly outcome: Outcome }[] = [];
    const orb = new OrbClient(url, 'orb_test_x', { verify: 'never' });
    let next = 0;
    const caller = async (): Promise<void> => {
      while (next < calls) {
        const token = `t${next++}`;
        const outcome = await orb.run('test.record@1.0.0', { token }, { timeout });
        ends.push({ token, outcome });
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    const kinds: Record<string, number> = {};
    for (const { outcome, token } of ends) {
      kinds[outcome.kind] = (kinds[outcome.kind] ?? 0) + 1;
      const count = acted.get(token) ?? 0;
      expect(keysOf.get(token)?.size ?? 1, `${token}: keys`).to.equal(1);
      expect(count, token).to.be.at.most(1);
      if (outcome.kind === 'completed') expect(count, token).to.equal(1);
      else if (outcome.kind !== 'unknown') expect([outcome.kind, count], token).to.deep.equal([outcome.kind, 0]);
      expect(outcome.kind, token).to.be.oneOf(['completed', 'unknown', 'failed']);
    }
    expect(ends).to.have.length(calls);
    console.log(`      ${JSON.stringify(kinds)}`);
  });
});
