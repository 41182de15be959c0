import type { Socket } from 'node:net';
import { expect } from 'chai';
import type { ProviderError } from '../../../../kernel/adapter.ts';
import { closedPort, startVendor } from '../../../helpers/vendor.ts';
import { allowing, call, createBed, failure, says, type Behaviour } from '../bed.ts';

type Method = 'GET' | 'DELETE' | 'POST';

/** What a fault means for a fetch, for a send without a body and for one with a body. */
interface Row {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly fetch: Expected;
  readonly send: Expected;
}

type Expected =
  | { readonly outcome: ProviderError['outcome']; readonly phase: string }
  | { readonly status: number; readonly truncated?: true };

const unknown = (phase: string): Expected => ({ outcome: 'unknown', phase });
const reset: Behaviour = (socket) => socket.resetAndDestroy();
const text =
  (bytes: string): Behaviour =>
  (socket) =>
    void socket.end(Buffer.from(bytes, 'latin1'));
const writtenThen =
  (bytes: string, then: (socket: Socket) => void): Behaviour =>
  (socket) =>
    void socket.write(bytes, () => then(socket));

const half = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf';

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
const inPieces =
  (...pieces: readonly string[]): Behaviour =>
  async (socket) => {
    for (const piece of pieces) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    socket.end();
  };
const served: Pick<Row, 'fetch' | 'send'> = { fetch: { status: 200 }, send: { status: 200 } };

const rows: readonly Row[] = [
  { name: 'an unasked 100 Continue', behaviour: text(goOn + ok), ...served },
  {
    name: 'three of them, with a header',
    behaviour: text(goOn.replace('\r\n\r\n', '\r\na: b\r\n\r\n').repeat(3) + ok),
    ...served,
  },
  {
    name: 'one in pieces',
    behaviour: inPieces('HTT', 'P/1.1 10', '0 Continue\r\n\r', '\nHTTP/1.1 200 OK\r\ncontent', '-length: 2\r\n\r\nok'),
    ...served,
  },
  {
    name: 'one behind early hints',
    behaviour: text(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${goOn}${ok}`),
    ...served,
  },
  {
    name: 'a body that looks like one',
    behaviour: inPieces('HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\n', goOn),
    ...served,
  },
  { name: 'a 100 Continue, and no more', behaviour: text(goOn), fetch: unknown('data'), send: unknown('data') },
  { name: 'reset after the request was read', behaviour: reset, fetch: unknown('data'), send: unknown('data') },
  { name: 'closed after the request was read', behaviour: text(''), fetch: unknown('data'), send: unknown('data') },
  {
    name: 'an answer that is no HTTP',
    behaviour: text('SSH-2.0-x\r\n'),
    fetch: unknown('data'),
    send: unknown('data'),
  },
  { name: 'half a head', behaviour: text('HTTP/1.1 200 OK\r\ncont'), fetch: unknown('data'), send: unknown('data') },
  {
    name: 'a head of 100 kB',
    behaviour: says(200, { link: 'x'.repeat(100_000) }),
    fetch: unknown('data'),
    send: unknown('data'),
  },
  {
    name: 'an interim answer and no more',
    behaviour: text('HTTP/1.1 103 Early Hints\r\n\r\n'),
    fetch: unknown('data'),
    send: unknown('data'),
  },
  {
    name: 'reset within the body',
    behaviour: writtenThen(half, (socket) => socket.resetAndDestroy()),
    fetch: unknown('data'),
    send: { status: 200, truncated: true },
  },
  {
    name: 'closed within the body',
    behaviour: text(half),
    fetch: unknown('data'),
    send: { status: 200, truncated: true },
  },
  {
    name: 'a chunk of nonsense',
    behaviour: text('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
    fetch: unknown('data'),
    send: { status: 200, truncated: true },
  },
  {
    name: 'a body that is no gzip',
    behaviour: says(200, { 'content-encoding': 'gzip' }, 'plain'),
    fetch: unknown('response'),
    send: { status: 200, truncated: true },
  },
  { name: '204', behaviour: text('HTTP/1.1 204 No Content\r\n\r\n'), fetch: { status: 204 }, send: { status: 204 } },
  ...[400, 401, 403, 404, 408, 409, 410, 413, 422, 425, 451].map((status) => ({
    name: String(status),
    behaviour: says(status, {}, 'no'),
    fetch: { status },
    send: { status },
  })),
  {
    name: '429',
    behaviour: says(429, { 'retry-after': '7' }),
    fetch: { status: 429 },
    send: { outcome: 'throttled', phase: 'response' },
  },
  ...[500, 501, 502, 503, 504, 599].map((status) => ({
    name: String(status),
    behaviour: says(status, { 'retry-after': '7' }),
    fetch: { status },
    send: unknown('response'),
  })),
];

describe('http/client when something fails', () => {
  const bed = createBed();
  const inputs = (url: string, method: Method): object => ({
    url,
    method,
    ...(method === 'POST' ? { body: 'x' } : {}),
  });

  for (const { name, behaviour, fetch, send } of rows)
    for (const method of ['GET', 'DELETE', 'POST'] as const) {
      const expected = method === 'GET' ? fetch : send;
      const meaning = 'outcome' in expected ? expected.outcome : `status ${expected.status}`;
      it(`says ${meaning} after one ${method}: ${name}`, async () => {
        const target = await bed.target(behaviour);
        const work = call(await bed.open(allowing(target)), inputs(target.url, method));
        if ('outcome' in expected) expect(await failure(work)).to.deep.include(expected);
        else {
          const outputs = await work;
          expect(outputs['status']).to.equal(expected.status);
          expect(outputs['truncated']).to.equal(expected.truncated);
        }
        expect(target.requests, 'one request, no retry').to.have.length(1);
      });
    }

  for (const method of ['GET', 'DELETE', 'POST'] as const) {
    it(`says not_sent when nobody listens: ${method}`, async () => {
      const port = await closedPort();
      const error = await failure(
        call(await bed.open(allowing({ port })), inputs(`http://127.0.0.1:${port}/`, method)),
      );
      expect(error).to.deep.include({ outcome: 'not_sent', phase: 'connect' });
    });

    it(`never says not_sent of a ${method} that had begun to leave, even if it was reset before it was read`, async () => {
      const target = await bed.target();
      target.resetOnFirstByte = true;
      const error = await failure(call(await bed.open(allowing(target)), inputs(target.url, method)));
      expect(error).to.deep.include({ outcome: 'unknown', phase: 'data' });
    });

    it(`says not_sent when the name is unknown: ${method}`, async () => {
      const resolve = async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
      const handle = await bed.open({ allow: [{ host: 'api.example.com' }] }, resolve);
      const error = await failure(call(handle, inputs('https://api.example.com/', method)));
      expect(error).to.deep.include({ outcome: 'not_sent', phase: 'dns' });
    });

    it(`says not_sent when the certificate is not trusted: ${method}`, async () => {
      const vendor = await startVendor(() => ({ status: 200 }), { tls: true });
      try {
        const port = Number(new URL(vendor.url).port);
        const error = await failure(call(await bed.open(allowing({ port })), inputs(vendor.url, method)));
        expect(error).to.deep.include({ outcome: 'not_sent', phase: 'tls' });
      } finally {
        await vendor.close();
      }
    });

    it(`says unknown when the deadline passes after the request: ${method}`, async () => {
      const target = await bed.target(() => undefined);
      const deadline = new AbortController();
      const reached = target.reached();
      const work = failure(call(await bed.open(allowing(target)), inputs(target.url, method), deadline.signal));
      await reached;
      deadline.abort();
      expect(await work).to.deep.include({ outcome: 'unknown', phase: 'deadline' });
      await target.quiet();
    });

    it(`says unknown by its own clock when the target never answers: ${method}`, async () => {
      const target = await bed.target(() => undefined);
      const handle = await bed.open({ ...allowing(target), timeout_ms: 100 });
      const error = await failure(call(handle, inputs(target.url, method)));
      expect(error).to.deep.include({ outcome: 'unknown', phase: 'timeout' });
    });

    it(`lets no slow drip wind its clock up again: ${method}`, async () => {
      const timers: NodeJS.Timeout[] = [];
      const target = await bed.target((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        timers.push(setInterval(() => socket.write('1\r\n.\r\n'), 10));
        socket.once('close', () => timers.forEach(clearInterval));
      });
      const work = call(await bed.open({ ...allowing(target), timeout_ms: 150 }), inputs(target.url, method));
      if (method === 'GET') expect(await failure(work)).to.deep.include({ outcome: 'unknown', phase: 'timeout' });
      else expect(await work).to.deep.include({ status: 200, truncated: true });
      await target.quiet();
    });

    it(`never writes a ${method} that it gave up while it waited for a connection`, async () => {
      const target = await bed.target(() => undefined);
      const handle = await bed.open({ ...allowing(target), max_connections: 1 });
      const [first, second] = [new AbortController(), new AbortController()];
      const reached = target.reached();
      const stuck = failure(call(handle, inputs(target.url, method), first.signal));
      await reached;
      const waiting = failure(call(handle, inputs(target.url, method), second.signal));
      second.abort();
      expect(await waiting).to.deep.include({ outcome: 'not_sent', phase: 'deadline' });
      target.behaviour = says(200, {}, 'third');
      const third = call(handle, { url: `${target.url}/third` });
      first.abort();
      await stuck;
      expect(await third).to.deep.include({ status: 200, body: 'third' });
      expect(target.requests.map(({ lines }) => lines[0])).to.deep.equal([
        `${method} / HTTP/1.1`,
        'GET /third HTTP/1.1',
      ]);
    });
  }

  it('breaks no call that waits behind another one', async () => {
    const target = await bed.target(() => undefined);
    const handle = await bed.open({ ...allowing(target), max_connections: 1 });
    const sockets: Socket[] = [];
    target.behaviour = (socket) => {
      sockets.push(socket);
      socket.write(half);
    };
    const reached = target.reached();
    const first = failure(call(handle, { url: target.url }));
    await reached;
    // Round trips of another connection: by then the half has arrived, and the second would have been written.
    await target.acceptedBefore();
    const second = call(handle, { url: target.url });
    await target.acceptedBefore();
    expect(target.requests, 'the second is not written yet').to.have.length(1);
    target.behaviour = says(200, {}, 'second');
    sockets[0]?.resetAndDestroy();
    expect(await first).to.deep.include({ outcome: 'unknown', phase: 'data' });
    expect(await second).to.deep.include({ status: 200, body: 'second' });
  });

  const later = [
    ['7', 7],
    ['0', 1],
    ['9999999', 86400],
    ['9'.repeat(20), 86400],
    ['9'.repeat(65), 5],
    ['-7', 5],
    ['1.5', 5],
    ['soon', 5],
    [undefined, 5],
  ] as const;
  for (const [given, seconds] of later)
    it(`comes back ${seconds} s after a 429 that says ${given ?? 'nothing'}`, async () => {
      const target = await bed.target(says(429, given === undefined ? {} : { 'retry-after': given }));
      const error = await failure(call(await bed.open(allowing(target)), inputs(target.url, 'POST')));
      expect(error.retry_after).to.equal(seconds);
    });

  it('comes back at the date a 429 names', async () => {
    const target = await bed.target(says(429, { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }));
    const error = await failure(call(await bed.open(allowing(target)), inputs(target.url, 'POST')));
    expect(error.retry_after).to.be.within(80, 91);
  });
});
