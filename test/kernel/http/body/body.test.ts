import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { defineRoute } from '../../../../kernel/http/route/route.ts';
import { expectProblem, send } from '../../../helpers/http.ts';
import { fullKey, startHttp, type Fixture } from '../fixture.ts';

/** A connection that is written to by hand. */
async function open(base: string): Promise<{ socket: Socket; answer: () => Promise<string> }> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('utf8');
  const answer = async (): Promise<string> => {
    text = '';
    while (!/\r\n\r\n[^]*\}$/.test(text)) text += String((await once(socket, 'data'))[0]);
    return text;
  };
  return { socket, answer };
}

/** Unlike `once`, does not mind the reset that comes before. */
async function gone(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

const head = `POST /echo/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${fullKey}\r\nContent-Type: application/json\r\n`;
const small = '{"text":"a"}';
const smallRequest = `${head}Content-Length: ${small.length}\r\n\r\n${small}`;

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

describe('the body of a request', () => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await startHttp();
  });
  afterEach(() => fixture.http.drain(0));

  it('is read when it arrives byte by byte', async () => {
    const { socket, answer } = await open(fixture.base);
    socket.setNoDelay(true);
    const received = answer();
    for (const byte of smallRequest) await new Promise((resolve) => socket.write(byte, resolve));
    expect(await received).to.match(/^HTTP\/1\.1 200 [^]*\{"text":"a","count":1\}$/);
    socket.destroy();
  });

  it('is read in chunks without a length', async () => {
    const stream = new Blob(['{"text":', '"ab"}']).stream();
    const received = await send(fixture.base, '/echo/1', {
      key: fullKey,
      headers: { 'content-type': 'application/json' },
      body: stream,
    });
    expect(received.json).to.deep.equal({ text: 'ab', count: 1 });
  });

  it('is malformed when it is chunked and empty', async () => {
    const { socket, answer } = await open(fixture.base);
    const received = answer();
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`);
    expect(await received).to.match(/^HTTP\/1\.1 400 [^]*malformed_json/);
    socket.destroy();
  });

  it('is refused by its declared length before it arrives', async () => {
    const { socket, answer } = await open(fixture.base);
    const received = answer();
    socket.write(`${head}Content-Length: 2000000\r\n\r\n`);
    expect(await received).to.match(/^HTTP\/1\.1 413 [^]*payload_too_large/);
    socket.destroy();
  });

  it('is cut off while it streams without a length, and the connection stays sane', async () => {
    const { socket, answer } = await open(fixture.base);
    const received = answer();
    const part = chunk('a'.repeat(100_000));
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${part.repeat(15)}`);
    expect(await received).to.match(/^HTTP\/1\.1 413 [^]*payload_too_large/);
    const next = answer();
    socket.write(`${part}0\r\n\r\n${smallRequest}`);
    expect(await next).to.match(/^HTTP\/1\.1 200 [^]*\{"text":"a","count":1\}$/);
    socket.destroy();
  });

  it('ends the connection when it does not end itself', async () => {
    const { socket, answer } = await open(fixture.base);
    const received = answer();
    const part = chunk('a'.repeat(1_000_000));
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${part.repeat(2)}`);
    expect(await received).to.match(/^HTTP\/1\.1 413 /);
    const closed = gone(socket);
    const pour = (): void => {
      while (!socket.destroyed && socket.write(part));
    };
    socket.on('drain', pour);
    pour();
    await closed;
  });

  it('is answered and cut when its chunks are malformed', async () => {
    const { socket, answer } = await open(fixture.base);
    const received = answer();
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    expect(await received).to.match(/^HTTP\/1\.1 400 [^]*malformed_request/);
    await gone(socket);
    expect((await send(fixture.base, '/health')).status).to.equal(200);
  });

  it('that never comes, because the client left, disturbs nobody', async () => {
    const { socket } = await open(fixture.base);
    await new Promise((resolve) => socket.write(`${head}Content-Length: 100\r\n\r\n{"text"`, resolve));
    socket.destroy();
    await fixture.http.drain(5000);
    expect(fixture.http.inFlight()).to.equal(0);
    expect(fixture.lines.join()).to.not.include('defect');
  });

  it('is not waited for when the client left before it is read', async () => {
    const left = defineRoute({
      ...{ method: 'POST', path: '/left', service: 'runtime', summary: 's', problems: [] },
      ...{ public: true, raw: true },
      async handle({ disconnected, readBody }) {
        socket.destroy();
        await once(disconnected, 'abort');
        await new Promise(setImmediate);
        await readBody(1000);
      },
    });
    const own = await startHttp({ routes: [left] });
    const { socket } = await open(own.base);
    socket.write('POST /left HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    await gone(socket);
    await own.http.drain(60_000);
    expect(own.http.inFlight()).to.equal(0);
  });

  it('of 2 MB is answered with 413 to a client that sends all of it first', async () => {
    const received = await send(fixture.base, '/echo/1', { key: fullKey, json: { text: 'x'.repeat(2_000_000) } });
    expectProblem(received, 413, 'payload_too_large');
  });
});
