import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ProviderError } from '../../../kernel/error.ts';
import { BlockedAddress, type Resolve } from '../../../kernel/net/lookup.ts';
import { discard, openOutbound, openTargets } from '../../../kernel/net/outbound.ts';

const publicly: Resolve = async () => [{ address: '93.184.215.14', family: 4 }];
const inward: Resolve = async () => [{ address: '10.0.0.7', family: 4 }];
const nowhere: Resolve = () => Promise.reject(new Error('ENOTFOUND'));

describe('the rule for targets that callers name', () => {
  const rows: readonly (readonly [url: string, resolve: Resolve, refused?: RegExp])[] = [
    ['https://hooks.example.com/in?a=b', publicly],
    ['https://later.example.com/', nowhere],
    ['http://hooks.example.com/', publicly, /must be https/],
    ['https://hooks.example.com/', inward, /private, local or reserved/],
    ['https://127.0.0.1/', publicly, /private, local or reserved/],
    ['https://[::1]/', publicly, /private, local or reserved/],
    ['https://169.254.169.254/latest', publicly, /private, local or reserved/],
    ['https://2130706433/', publicly, /plainly/],
    ['https://user:word@hooks.example.com/', publicly, /without user and password/],
    ['ftp://hooks.example.com/', publicly, /http\(s\)/],
    ['http://127.0.0.1:9000/', publicly],
    ['http://127.0.0.1:9001/', publicly, /must be https/],
    ['https://inside.example.com/', inward],
    ['http://inside.example.com/', inward, /must be https/],
  ];
  const targets = openTargets([{ host: '127.0.0.1', port: 9000 }, { host: 'inside.example.com' }]);
  for (const [url, resolve, refused] of rows)
    it(`${refused === undefined ? 'takes' : 'refuses'} ${url}`, async () => {
      const thrown: unknown = await targets.check(url, resolve).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refused === undefined) return void expect(thrown).to.equal(undefined);
      expect(thrown).to.be.instanceOf(ProviderError);
      expect((thrown as ProviderError).message).to.match(refused);
    });
});

describe('an outbound client', () => {
  let server: Server;
  let port: number;
  let body: Buffer;
  before(async () => {
    server = createServer((request, response) => {
      if (request.url === '/away') response.writeHead(302, { location: '/' }).end();
      else response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const limits = { max_connections: 1, connect_timeout_ms: 1000 };
  const get = { method: 'POST', headers: {}, body: null } as const;

  it('connects to a private address only where it is exempt, whatever the name said before', async () => {
    body = Buffer.from('hello');
    let asked = 0;
    const rebinding: Resolve = async () => ((asked += 1) === 1 ? publicly('') : [{ address: '127.0.0.1', family: 4 }]);
    const targets = openTargets([]);
    await targets.check(`https://rebind.example.com:${port}/`, rebinding);
    const closed = await openOutbound({ ...limits, allow: targets, resolve: rebinding });
    const origin = `https://rebind.example.com:${port}`;
    const thrown: unknown = await closed.request({ ...get, origin, path: '/' }).catch((error: unknown) => error);
    expect(thrown).to.be.instanceOf(BlockedAddress);
    await closed.close();
    const open = await openOutbound({ ...limits, allow: openTargets([{ host: '127.0.0.1', port }]) });
    const answer = await open.request({ ...get, origin: `http://127.0.0.1:${port}`, path: '/away' });
    expect(answer.statusCode).to.equal(302);
    await discard(answer, 10);
    await open.close();
  });

  it('throws an answer away, and ends with the limit', async () => {
    body = Buffer.alloc(10 * 1024 * 1024);
    const open = await openOutbound({ ...limits, allow: { exempt: () => true } });
    const answer = await open.request({ ...get, origin: `http://127.0.0.1:${port}`, path: '/' });
    await discard(answer, 65_536);
    body = Buffer.from('small');
    const next = await open.request({ ...get, origin: `http://127.0.0.1:${port}`, path: '/' });
    await discard(next, 65_536);
    expect(next.statusCode).to.equal(200);
    await open.close();
  });
});
