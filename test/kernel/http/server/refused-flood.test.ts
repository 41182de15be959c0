import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { createProxies } from '../../../../kernel/http/connection/address.ts';
import { Connections } from '../../../../kernel/http/connection/connections.ts';
import { createMetrics } from '../../../../kernel/tools/metrics.ts';
import { until } from '../../../helpers/until.ts';
import { fullKey, startHttp, type Fixture } from '../fixture.ts';

const pem = (name: string): Buffer =>
  readFileSync(new URL(`../../../helpers/tls/test-only.${name}.pem`, import.meta.url));
const head = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

/** A client that keeps what it was sent. */
class Client {
  readonly socket: Socket;
  #text = '';

  constructor(port: number, secure = false) {
    const socket = secure ? connectTls({ port, rejectUnauthorized: false }) : connect(port, '127.0.0.1');
    this.socket = socket.on('error', () => undefined);
    this.socket.on('data', (chunk) => (this.#text += chunk.toString()));
  }

  get answers(): readonly string[] {
    return this.#text.split(/(?=HTTP\/1\.1 \d{3})/).filter((text) => text !== '');
  }

  /** Sends requests in one packet, and waits until that many answers more are there. */
  async ask(...requests: readonly string[]): Promise<readonly string[]> {
    const before = this.answers.length;
    this.socket.write(requests.join(''));
    const all = await until(
      () => this.answers,
      ({ length }) => length >= before + requests.length,
      'answers',
    );
    return all.slice(before);
  }
}

describe('a refused client', function () {
  this.timeout(60_000);
  const clients: Client[] = [];
  const clientOf = (port: number, secure = false): Client => {
    const client = new Client(port, secure);
    clients.push(client);
    return client;
  };
  afterEach(() => {
    for (const { socket } of clients.splice(0)) socket.destroy();
  });

  describe('that asks again and again', () => {
    let fixture: Fixture;
    let port: number;
    const held = (more = '') => head('/held/wait', `Authorization: Bearer ${fullKey}\r\n${more}`);
    const good = head('/things/1', `Authorization: Bearer ${fullKey}\r\n`);
    const status = (answer: string) => answer.slice(9, 12);

    before(async () => {
      fixture = await startHttp({ publicUrl: 'http://orb.test' });
      port = Number(new URL(fixture.base).port);
    });
    beforeEach(async () => {
      for (let at = 0; at < 4; at += 1) clientOf(port).socket.write(held());
      await until(
        async () => (await fixture.metrics.show()).text,
        (text) => text.includes('orb_http_held_answers{kind="wait"} 4'),
      );
    });
    after(() => fixture.http.drain(0));

    it('is told so each time, and is served as before when it asks for something else', async () => {
      const client = clientOf(port);
      for (let at = 0; at < 20; at += 1) {
        const [answer = ''] = await client.ask(held());
        expect(status(answer)).to.equal('429');
        expect(answer).to.match(/"code":"rate_limited"/);
      }
      expect((await client.ask(good)).map(status)).to.deep.equal(['200']);
    });

    it('gets all answers in order when it sends without waiting, and when it comes by a proxy', async () => {
      for (const more of ['', 'Via: 1.1 proxy\r\n']) {
        const client = clientOf(port);
        const answers = await client.ask(...Array<string>(12).fill(held(more)), good, held(more));
        expect(answers.map(status)).to.deep.equal([...Array<string>(12).fill('429'), '200', '429']);
      }
    });
  });

  describe('whose connection rests', () => {
    let server: Server;
    let port: number;
    let requests: IncomingMessage[];
    /** What was said of each request that is refused. */
    let rested: boolean[];

    interface Options {
      readonly total?: number;
      readonly trusted?: readonly string[];
      readonly secure?: boolean;
    }
    const start = async ({ secure = false, ...options }: Options = {}) => {
      requests = [];
      rested = [];
      const connections = new Connections({
        limits: { total: options.total ?? 100, per_address: 100, per_caller: 100, held: 100, unread_ms: 30_000 },
        proxies: createProxies(options.trusted ?? []),
        metrics: createMetrics(),
        secureUrl: secure,
      });
      const answer = (req: IncomingMessage, res: ServerResponse): void => {
        const ms = Number(/^\/refused\/(\d+)$/.exec(req.url ?? '')?.[1] ?? 0);
        if (ms > 0) rested.push(connections.rest(req, ms));
        res.end('told');
      };
      const serve = (req: IncomingMessage, res: ServerResponse): void => {
        connections.begin(req, res);
        res.on('close', () => connections.ended(res));
        requests.push(req);
        // By then all requests of the same packet were seen.
        setImmediate(answer, req, res);
      };
      server = secure ? createTlsServer({ cert: pem('cert'), key: pem('key') }, serve) : createServer(serve);
      connections.watch(server, { secure });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      ({ port } = server.address() as AddressInfo);
    };
    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });

    it('is answered at once, not read for a while, and read again then', async () => {
      await start();
      const client = clientOf(port);
      await client.ask(head('/refused/60000'));
      expect(rested).to.deep.equal([true]);
      expect(requests[0]?.socket.isPaused()).to.equal(true);
      client.socket.write(head('/fine'));
      // Others are read meanwhile.
      for (let at = 0; at < 20; at += 1) await clientOf(port).ask(head('/fine'));
      expect(client.answers).to.have.length(1);
      const other = clientOf(port);
      for (let at = 0; at < 3; at += 1) await other.ask(head('/refused/1'));
      await other.ask(head('/fine'));
      expect(rested).to.deep.equal([true, true, true, true]);
    });

    it('rests by TLS, too', async () => {
      await start({ secure: true });
      const [client, other] = [clientOf(port, true), clientOf(port, true)];
      await client.ask(head('/refused/60000'));
      client.socket.write(head('/fine'));
      for (let at = 0; at < 3; at += 1) await other.ask(head('/refused/1'));
      await other.ask(head('/fine'));
      expect(rested).to.deep.equal([true, true, true, true]);
      expect(client.answers).to.have.length(1);
    });

    it('does not rest when it may be one of a proxy, or more requests have come already', async () => {
      await start({ trusted: ['127.0.0.2'] });
      await clientOf(port).ask(head('/refused/1', 'X-Forwarded-For: 192.0.2.1\r\n'));
      const pipelined = clientOf(port);
      await pipelined.ask(head('/refused/1'), head('/refused/1'));
      expect(rested).to.deep.equal([false, false, true]);
      server.closeAllConnections();
      server.close();
      await start({ trusted: ['127.0.0.1'] });
      await clientOf(port).ask(head('/refused/1'));
      expect(rested).to.deep.equal([false]);
    });

    it('is closed before idle ones when room is needed', async () => {
      await start({ total: 3 });
      const [idle, refused, fine] = [clientOf(port), clientOf(port), clientOf(port)];
      await idle.ask(head('/fine'));
      await refused.ask(head('/refused/60000'));
      await fine.ask(head('/fine'));
      await clientOf(port).ask(head('/fine'));
      await until(
        () => refused.socket.destroyed || refused.socket.readableEnded,
        (closed) => closed,
      );
      for (const client of [idle, fine]) await client.ask(head('/fine'));
    });
  });
});
