import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect, Server, type ListenOptions } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { ConfigError } from '../../../../kernel/error.ts';
import type { HttpOptions } from '../../../../kernel/http/server/server.ts';
import { expectProblem, send } from '../../../helpers/http.ts';
import { leaveOutBecause } from '../../../helpers/needs.ts';
import { fullKey, startHttp, type Fixture } from '../fixture.ts';

const pem = (name: string): string =>
  readFileSync(new URL(`../../../helpers/tls/test-only.${name}.pem`, import.meta.url), 'utf8');
const tls = { cert: pem('cert'), key: pem('key') };

const localhost = '127.0.0.1:0';
const anywhere = '0.0.0.0:0';

/** Reaches a listener on all addresses through loopback: what counts is where it listens, not who calls. */
function loopback(url: string): string {
  return url.replace('0.0.0.0', '127.0.0.1');
}

async function secureStatus(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${url}/things/1`,
      { ca: tls.cert, headers: { authorization: `Bearer ${fullKey}` } },
      (res) => {
        res.resume();
        resolve(res.statusCode);
      },
    );
    call.on('error', reject).end();
  });
}

describe('a listener', () => {
  let fixture: Fixture | undefined;
  const start = async (options: Partial<HttpOptions>): Promise<Fixture> => (fixture = await startHttp(options));
  afterEach(async () => {
    await fixture?.http.drain(0);
    fixture = undefined;
  });

  it('serves its own services and the shared routes, and no other', async () => {
    const { listening } = await start({
      listen: [
        { address: localhost, services: ['runtime'] },
        { address: localhost, services: ['ledger', 'policy'] },
      ],
    });
    expect(listening.map(({ services }) => services)).to.deep.equal([
      ['runtime', 'shared'],
      ['ledger', 'policy', 'shared'],
    ]);
    const table = [
      { path: '/health', statuses: [200, 200] },
      { path: '/problems/internal', statuses: [200, 200] },
      { path: '/list', statuses: [404, 200] },
      { path: '/badge', statuses: [404, 203] },
      { path: '/whoami', statuses: [404, 404] },
      { path: '/slow', statuses: [401, 404] },
    ];
    for (const { path, statuses } of table) {
      const answers = await Promise.all(listening.map(({ url }) => send(url, path)));
      expect(
        answers.map(({ status }) => status),
        path,
      ).to.deep.equal(statuses);
    }
  });

  it('serves TLS', async () => {
    const { base } = await start({ listen: [{ address: '0.0.0.0:0', services: ['ledger'], tls }] });
    expect(base).to.match(/^https:/);
    expect(await secureStatus(loopback(base))).to.equal(200);
  });

  it('writes an IPv6 address in brackets', async function () {
    const v6 = Object.values(networkInterfaces())
      .flat()
      .some((net) => net?.address === '::1');
    if (!v6) leaveOutBecause(this, 'this machine has no IPv6');
    const { base } = await start({ listen: [{ address: '[::1]:0', services: [] }] });
    expect(base).to.match(/^http:\/\/\[::1\]:\d+$/);
    expect((await send(base, '/health')).status).to.equal(200);
  });

  it('refuses a key over plain HTTP when it listens beyond loopback, before the key is looked at', async () => {
    const { base, asked } = await start({ listen: [{ address: anywhere, services: ['ledger'] }] });
    const url = loopback(base);
    expectProblem(await send(url, '/things/1', { key: fullKey }), 403, 'tls_required');
    expectProblem(await send(url, '/things/1', { key: 'guess' }), 403, 'tls_required');
    expectProblem(await send(url, '/things/1'), 401, 'unauthenticated');
    expect((await send(url, '/health', { key: fullKey })).status).to.equal(200);
    expect(asked).to.deep.equal([]);
  });

  it('accepts a key over plain HTTP when the operator says so', async () => {
    const { base } = await start({ listen: [{ address: anywhere, services: ['ledger'] }], insecureHttp: true });
    expect((await send(loopback(base), '/things/1', { key: fullKey })).status).to.equal(200);
  });

  it('accepts a key from a trusted proxy that had it over HTTPS', async () => {
    const { base } = await start({
      listen: [{ address: anywhere, services: ['ledger'] }],
      trustProxy: ['127.0.0.0/8'],
    });
    const through = (proto: string) =>
      send(loopback(base), '/things/1', { key: fullKey, headers: { 'x-forwarded-proto': proto } });
    expect((await through('https')).status).to.equal(200);
    expectProblem(await through('http'), 403, 'tls_required');
  });

  it('does not believe X-Forwarded-Proto of a peer it does not trust', async () => {
    const { base } = await start({
      listen: [{ address: anywhere, services: ['ledger'] }],
      trustProxy: ['192.0.2.0/24'],
    });
    const headers = { 'x-forwarded-proto': 'https' };
    expectProblem(await send(loopback(base), '/things/1', { key: fullKey, headers }), 403, 'tls_required');
  });

  it('shows handlers the address a trusted proxy names, else the peer', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.4, 203.0.113.5' };
    const { base, http } = await start({ trustProxy: ['127.0.0.1'] });
    expect((await send(base, '/whoami', { headers })).json).to.deep.equal({ ip: '203.0.113.5' });
    await http.drain(0);
    const plain = await start({});
    expect((await send(plain.base, '/whoami', { headers })).json).to.deep.equal({ ip: '127.0.0.1' });
  });

  it('refuses addresses and TLS pairs that are none', async () => {
    for (const address of ['8080', 'localhost', '::1:80', 'h:65536', 'h:', '[::1]']) {
      expect(await rejection(start({ listen: [{ address, services: [] }] })), address).to.be.instanceOf(ConfigError);
    }
    // The last port there is, at an address that no machine has.
    const last = await rejection(start({ listen: [{ address: '192.0.2.1:65535', services: [] }] }));
    expect(String(last)).not.to.contain('must be host:port');
    const broken = { address: localhost, services: [], tls: { cert: 'x', key: 'y' } };
    expect(await rejection(start({ listen: [broken] }))).to.be.instanceOf(ConfigError);
  });

  it('accepts several connections in a turn of the event loop', async function () {
    if (process.platform !== 'linux') leaveOutBecause(this, 'only sockets of Linux share a port');
    const { base } = await start({});
    const { hostname, port } = new URL(base);
    const clients = Array.from({ length: 64 }, () => connect(Number(port), hostname).on('error', () => undefined));
    let accepted = 0;
    const count = (): void => void (accepted += 1);
    subscribe('net.server.socket', count);
    try {
      // The system completes a connection before the server accepts it.
      await Promise.all(clients.map((client) => once(client, 'connect')));
      let turns = 0;
      for (; accepted < clients.length && turns < 1000; turns += 1) await turn();
      expect(accepted).to.equal(clients.length);
      expect(turns, 'turns').to.be.at.most(clients.length / 2);
    } finally {
      unsubscribe('net.server.socket', count);
      for (const client of clients) client.destroy();
    }
  });

  it('serves with one socket where the system shares no port', async () => {
    const { listen } = Server.prototype;
    Server.prototype.listen = function (this: Server, ...given: [ListenOptions]) {
      if (given[0].reusePort !== true) return listen.apply(this, given);
      queueMicrotask(() => this.emit('error', Object.assign(new Error('not supported'), { code: 'ENOTSUP' })));
      return this;
    } as typeof listen;
    try {
      const { base, lines } = await start({});
      expect((await send(base, '/health')).status).to.equal(200);
      expect(lines.filter((line) => line.includes('"warn"'))).to.deep.equal([]);
    } finally {
      Server.prototype.listen = listen;
    }
  });

  it('names the address that is taken, and gives up the others', async () => {
    const first = await startHttp();
    const taken = new URL(first.base).host;
    const error = await rejection(
      start({
        listen: [
          { address: localhost, services: [] },
          { address: taken, services: [] },
        ],
      }),
    );
    expect(String(error)).to.include(`cannot listen at ${taken} (EADDRINUSE)`);
    await first.http.drain(0);
    await start({ listen: [{ address: taken, services: [] }] });
  });
});

async function rejection(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  return undefined;
}
