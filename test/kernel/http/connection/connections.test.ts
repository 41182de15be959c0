import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { defaultLimits } from '../../../../kernel/http/connection/connections.ts';
import { defineRoute, reply } from '../../../../kernel/index.ts';
import type { HttpOptions } from '../../../../kernel/http/server/server.ts';
import { createServed } from '../../../helpers/served.ts';
import { send, sendRaw } from '../../../helpers/http.ts';
import { until } from '../../../helpers/until.ts';
import { fullKey, poorKey, startHttp, type Fixture } from '../fixture.ts';

const half =
  'POST /receipts/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
const held = (kind: string) => `GET /held/${kind} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${fullKey}\r\n\r\n`;
const slow = `GET /slow HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${fullKey}\r\n\r\n`;

describe('the connections', function () {
  let fixture: Fixture;
  const sockets: Socket[] = [];
  const start = async (options: Partial<HttpOptions>): Promise<void> => {
    fixture = await startHttp(options);
  };
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await fixture.http.drain(0);
  });

  /** Opens a connection from an address of this machine and sends something. */
  const open = async (text = '', from = '127.0.0.1'): Promise<Socket> => {
    const { hostname, port } = new URL(fixture.base);
    const socket = connect({ host: hostname, port: Number(port), localAddress: from, allowHalfOpen: true });
    sockets.push(socket.on('error', () => undefined).resume());
    await once(socket, 'connect');
    if (text !== '') socket.write(text);
    return socket;
  };
  const shown = async (name: string): Promise<number> => {
    const { text } = await fixture.metrics.show();
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    return Number(line?.split(' ')[1] ?? 0);
  };
  const opened = (count: number) =>
    until(
      () => shown('orb_http_connections'),
      (now) => now === count,
      'open connections',
    );
  const closedFor = (reason: string) => shown(`orb_http_connections_closed_total{reason="${reason}"}`);
  /** Waits until those and no others of some connections are open. */
  const openAre = async (all: readonly Socket[], expected: readonly boolean[]): Promise<void> => {
    const states = (): boolean[] => all.map((socket) => !socket.readableEnded && !socket.destroyed);
    await until(states, (found) => found.join() === expected.join(), 'open connections');
  };

  it('are as many as half of the descriptors, and half of that from one address', async () => {
    await start({});
    expect(defaultLimits(256)).to.include({ total: 128, per_address: 64 });
    expect(defaultLimits(1024)).to.include({ total: 512, per_address: 256 });
    expect(defaultLimits(1_000_000)).to.include({ total: 8192, per_address: 1024 });
    expect(defaultLimits(Infinity)).to.include({ total: 8192, per_address: 1024 });
  });

  it('give way to a new one when there are too many: the oldest unfinished or idle, never one that is worked on', async () => {
    await start({ connections: { total: 4, per_address: 100 } });
    const working = await open(slow);
    await once(fixture.signals, 'slow');
    const [halfOpen, silent, idle] = [
      await open('GET /health HTTP/1.1\r\n'),
      await open(),
      await open('GET /health HTTP/1.1\r\nHost: x\r\n\r\n'),
    ];
    await opened(4);
    await until(
      () => idle.bytesRead,
      (bytes) => bytes > 0,
    );
    expect(await sendRaw(fixture.base, 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).to.match(
      / 200 /,
    );
    await openAre([halfOpen, silent, idle], [false, true, true]);
    await opened(3);
    // One place is free again; the next two close what is oldest of the rest.
    for (let at = 0; at < 3; at++) await open(half);
    await opened(4);
    await openAre([silent, idle, working], [false, false, true]);
    expect(await closedFor('total')).to.equal(3);
    fixture.signals.emit('release');
    await until(
      () => working.bytesRead,
      (bytes) => bytes > 0,
    );
  });

  it('give way first when they only wait, which is answered at once, and last when they are streams', async () => {
    await start({ connections: { total: 3, per_address: 100 } });
    const working = await open(slow);
    await once(fixture.signals, 'slow');
    const [streaming, waiting] = [await open(held('stream')), await open(held('wait'))];
    await until(
      () => shown('orb_http_held_answers{kind="wait"}'),
      (count) => count === 1,
    );
    const idle = await open();
    await openAre([working, streaming, waiting, idle], [true, true, false, true]);
    expect(waiting.bytesRead, 'it was answered').to.be.greaterThan(0);
    const next = await open();
    await openAre([working, streaming, idle, next], [true, true, false, true]);
    const work = await open(slow);
    await once(fixture.signals, 'slow');
    const last = await open(slow);
    await openAre([working, streaming, next, work, last], [true, false, false, true, true]);
    fixture.signals.emit('release');
  });

  it('of one caller are refused more requests than a quarter of all can carry', async () => {
    await start({ connections: { per_caller: 2 } });
    for (let at = 0; at < 2; at++) {
      await open(slow);
      await once(fixture.signals, 'slow');
    }
    const refused = await send(fixture.base, '/things/1', { key: fullKey });
    expect([refused.status, refused.json['code']]).to.deep.equal([429, 'rate_limited']);
    expect((await send(fixture.base, '/things/1', { key: poorKey })).status).to.equal(403);
    fixture.signals.emit('release');
    await until(
      () => send(fixture.base, '/things/1', { key: fullKey }),
      ({ status }) => status === 200,
    );
  });

  it('are refused when all are worked on', async () => {
    await start({ connections: { total: 2, per_address: 100 } });
    for (let at = 0; at < 2; at++) {
      await open(slow);
      await once(fixture.signals, 'slow');
    }
    const refused = await open(half);
    await until(
      () => closedFor('total'),
      (count) => count === 1,
    );
    await openAre([refused], [false]);
    expect(await shown('orb_http_connections')).to.equal(2);
    fixture.signals.emit('release');
  });

  it('give way, too, while all that is left to do for them is to refuse them', async () => {
    await start({ connections: { total: 4, per_address: 100 } });
    const strange = 'GET /problems/internal HTTP/1.1\r\nHost: x\r\n\r\n';
    for (let at = 0; at < 4; at++) await open(strange.repeat(100));
    // More than the address may ask, so that the rest waits for its turn to be refused.
    await until(
      () => fixture.http.inFlight(),
      (count) => count > 300,
    );
    const other = await open('GET /health HTTP/1.1\r\nHost: x\r\n\r\n', '127.0.0.2');
    await until(
      () => other.bytesRead > 0 || other.readableEnded || other.destroyed,
      (ended) => ended,
    );
    expect(other.bytesRead).to.be.greaterThan(0);
  });

  it('of one address are limited apart, so that others keep theirs', async () => {
    await start({ connections: { total: 100, per_address: 3 } });
    const other = await open(half, '127.0.0.2');
    const own = [];
    for (let at = 0; at < 5; at++) own.push(await open(half));
    await opened(4);
    expect(await closedFor('address')).to.equal(2);
    await openAre([other, ...own], [true, false, false, true, true, true]);
  });

  it('of a trusted proxy are not limited by its address', async () => {
    await start({ connections: { total: 100, per_address: 3 }, trustProxy: ['127.0.0.3'] });
    for (let at = 0; at < 6; at++) await open(half, '127.0.0.3');
    await opened(6);
    expect(await closedFor('address')).to.equal(0);
  });

  it('whose answer nobody reads are cut', async () => {
    const big = defineRoute({
      ...{ path: '/big', service: 'runtime', public: true, summary: 's', produces: 'text/plain', problems: [] },
      method: 'GET',
      handle: () => reply({ type: 'text/plain', body: 'x'.repeat(32 * 1024 * 1024) }),
    } as const);
    await start({ routes: [big], connections: { unread_ms: 300 } });
    (await open('GET /big HTTP/1.1\r\nHost: x\r\n\r\n')).pause();
    await until(
      () => closedFor('unread'),
      (count) => count === 1,
    );
    await opened(0);
  });

  it('are closed for good after bytes that are no request, though the client keeps its half open', async () => {
    await start({ connections: { unread_ms: 600_000 } });
    await open('nonsense\r\n\r\n');
    await opened(1);
    await opened(0);
  });

  it('leave a process of 256 descriptors to those who ask it', async () => {
    await start({});
    const served = createServed({}, { descriptors: 256 });
    const held: Socket[] = [];
    try {
      const { url, key } = await served.start();
      const { hostname, port } = new URL(url);
      for (let at = 0; at < 300; at++) {
        const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
        held.push(socket.on('error', () => undefined).pause());
        socket.write(at % 2 === 0 ? half : 'nonsense\r\n\r\n');
      }
      await Promise.all(
        held.map(async (socket) => socket.connecting && once(socket, 'connect').catch(() => undefined)),
      );
      expect((await send(url, '/health')).status).to.equal(200);
      const run = { key, json: { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } } };
      expect((await send(url, '/orbisets/default/execute', run)).status).to.equal(200);
    } finally {
      for (const socket of held) socket.destroy();
      await served.remove();
    }
  }).timeout(60_000);
});
