import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { fullKey, startHttp, type Fixture } from './fixture.ts';

interface Got {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly text: string;
}

async function get(agent: Agent, url: string): Promise<Got> {
  const call = request(url, { agent, headers: { authorization: `Bearer ${fullKey}` } }).end();
  const [res] = (await once(call, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of res.setEncoding('utf8')) text += String(chunk);
  return { status: res.statusCode, connection: res.headers.connection, text };
}

describe('the shutdown of the HTTP server', () => {
  let fixture: Fixture;
  let slow: Agent;
  let kept: Agent;
  beforeEach(async () => {
    fixture = await startHttp();
    slow = new Agent({ keepAlive: true });
    kept = new Agent({ keepAlive: true, maxSockets: 1 });
  });
  afterEach(async () => {
    slow.destroy();
    kept.destroy();
    await fixture.http.drain(0);
  });

  it('waits for what is in flight, refuses the rest with 503 and Connection: close', async () => {
    const { base, http, signals } = fixture;
    await get(kept, `${base}/health`);
    const reached = once(signals, 'slow');
    const answer = get(slow, `${base}/slow`);
    await reached;
    expect(http.inFlight()).to.equal(1);

    const drained = http.drain(60_000);
    const refused = await get(kept, `${base}/things/1`);
    expect(refused).to.include({ status: 503, connection: 'close' });
    expect(refused.text).to.include('"code":"draining"');
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNREFUSED');

    signals.emit('release');
    expect(await answer).to.include({ status: 200, connection: 'close', text: '{"id":"slow"}' });
    await drained;
    expect(http.inFlight()).to.equal(0);
  });

  it('answers liveness on kept connections until the end', async () => {
    const { base, http, signals } = fixture;
    await get(kept, `${base}/health`);
    const reached = once(signals, 'slow');
    const answer = get(slow, `${base}/slow`);
    await reached;
    const drained = http.drain(60_000);
    expect(await get(kept, `${base}/health`)).to.include({ status: 200, connection: 'close' });
    signals.emit('release');
    await answer;
    await drained;
  });

  it('cuts what is still in flight after the grace', async () => {
    const { base, http, signals } = fixture;
    const reached = once(signals, 'slow');
    const gone = once(signals, 'gone');
    const failed = get(slow, `${base}/slow`).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    await reached;
    await http.drain(1);
    expect(await failed).to.equal('ECONNRESET');
    await gone;
    signals.emit('release');
  });

  it('does not wait for idle connections or for those that never asked', async () => {
    const { base, http } = fixture;
    await get(kept, `${base}/health`);
    const silent = connect(Number(new URL(base).port), '127.0.0.1');
    await once(silent, 'connect');
    // The accept of the server may lag behind the client's connect; a request behind it in the queue proves it done.
    await get(slow, `${base}/health`);
    silent.on('error', () => undefined).resume();
    const closed = once(silent, 'close');
    await http.drain(60_000);
    await closed;
  });

  it('is one, however often it is asked for', async () => {
    expect(fixture.http.drain(0)).to.equal(fixture.http.drain(1000));
  });
});

describe('a client that leaves', () => {
  it('is told to the handler, and disturbs nobody', async () => {
    const { base, http, signals, lines } = await startHttp();
    const reached = once(signals, 'slow');
    const call = request(`${base}/slow`, { headers: { authorization: `Bearer ${fullKey}` } }).end();
    call.on('error', () => undefined);
    await reached;
    const gone = once(signals, 'gone');
    call.destroy();
    await gone;
    expect(http.inFlight()).to.equal(1);
    signals.emit('release');
    await http.drain(60_000);
    expect(http.inFlight()).to.equal(0);
    expect(lines.join()).to.not.include('defect');
  });
});
