import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { compile, type JsonSchema } from '../../../kernel/index.ts';
import client from '../../../providers/http/client.ts';
import { conformance, testKey, type Fault } from '../../helpers/conformance.ts';
import { allowing, call, createBed, failure, says, startTarget, type Behaviour, type RawTarget } from './bed.ts';

const secret = 'Bearer correct-horse-battery';

describe('http/client', () => {
  describe('as an adapter of http.fetch', () => conforms('http.fetch@1.0.0', {}));
  describe('as an adapter of http.send', () => conforms('http.send@1.0.0', { method: 'POST', json: { a: 1 } }));
  describe('writes what it was asked for', writes);
  describe('keeps each Orb to its methods', methods);
  describe('takes a configuration', configures);
});

function conforms(orbId: string, inputs: object): void {
  let target: RawTarget;
  let earlier = 0;
  const answer = says(200, { 'content-type': 'text/plain' }, 'done');
  // The port is known only when the target runs.
  const given = {
    ...inputs,
    get url() {
      return target.url;
    },
  };
  const send = 'method' in inputs;
  const fault = (behaviour: Behaviour): Pick<Fault, 'arrange' | 'restore'> => ({
    arrange: () => void (target.behaviour = behaviour),
    restore: () => void (target.behaviour = answer),
  });
  before(async () => {
    target = await startTarget(answer);
  });
  beforeEach(() => {
    earlier = target.requests.length;
  });
  after(async () => target.close());
  conformance({
    adapter: client,
    orbId,
    config: () => allowing(target, { headers: { authorization: secret } }),
    inputs: given,
    secrets: [secret],
    receiver: () => ({
      effects: () => target.requests.length - earlier,
      calls: () => target.requests.length,
      quiet: async () => target.quiet(),
    }),
    faults: [
      { name: 'a reset', outcome: 'unknown', phase: 'data', calls: 1, ...fault((socket) => socket.resetAndDestroy()) },
      { name: 'no HTTP', outcome: 'unknown', phase: 'data', calls: 1, ...fault((socket) => void socket.end('hello')) },
      ...(send
        ? [
            { name: '429', outcome: 'throttled' as const, calls: 1, ...fault(says(429, { 'retry-after': '3' })) },
            { name: '503', outcome: 'unknown' as const, phase: 'response', calls: 1, ...fault(says(503)) },
          ]
        : []),
      {
        name: 'a name that cannot exist',
        outcome: 'not_sent',
        phase: 'dns',
        calls: 0,
        inputs: { ...inputs, url: `https://${'x'.repeat(64)}.invalid/` },
        arrange: () => ({ allow: [{ host: '*.invalid' }] }),
      },
      {
        name: 'a host that is not allowed',
        outcome: 'rejected',
        calls: 0,
        inputs: { ...inputs, url: 'https://example.com/' },
        arrange: () => undefined,
      },
    ],
    hang: () => {
      target.behaviour = () => undefined;
      return { stuck: target.reached(), outcome: 'unknown', restore: () => void (target.behaviour = answer) };
    },
  });
}

function writes(): void {
  const bed = createBed();
  const key = testKey('h');

  it('a fetch: path and query, no fragment, no key', async () => {
    const target = await bed.target();
    await call(await bed.open(allowing(target)), { url: `${target.url}/a%20b/../c?d=é#f`, headers: { 'X-Any': 'v' } });
    expect(target.requests).to.deep.equal([
      {
        lines: [
          'GET /c?d=%C3%A9 HTTP/1.1',
          `host: 127.0.0.1:${target.port}`,
          'connection: keep-alive',
          'accept: */*',
          'user-agent: agent-orb',
          'x-any: v',
          'accept-encoding: gzip, deflate, br',
        ],
        body: '',
      },
    ]);
  });

  const bodies = [
    { inputs: { body: 'čau' }, type: 'text/plain; charset=utf-8', bytes: Buffer.from('čau') },
    { inputs: { body: 'AP8=', encoding: 'base64' }, type: 'application/octet-stream', bytes: Buffer.from([0, 255]) },
    { inputs: { json: { a: [1, 'é'] } }, type: 'application/json', bytes: Buffer.from('{"a":[1,"é"]}') },
    { inputs: { json: null }, type: 'application/json', bytes: Buffer.from('null') },
    {
      inputs: { body: 'a=b', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      type: 'application/x-www-form-urlencoded',
      bytes: Buffer.from('a=b'),
    },
  ];
  for (const { inputs, type, bytes } of bodies)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      it(`a ${method} under our key: ${JSON.stringify(inputs)}`, async () => {
        const target = await bed.target();
        await call(await bed.open(allowing(target)), { url: target.url, method, ...inputs });
        const [request] = target.requests;
        expect(request?.lines[0]).to.equal(`${method} / HTTP/1.1`);
        expect(request?.lines)
          .to.include(`idempotency-key: ${key}`)
          .and.include(`content-type: ${type}`)
          .and.include(`content-length: ${bytes.length}`);
        expect(request?.body).to.equal(bytes.toString('latin1'));
      });

  it('a DELETE without a body', async () => {
    const target = await bed.target();
    await call(await bed.open(allowing(target)), { url: target.url, method: 'DELETE' });
    expect(target.requests[0]?.lines.join()).to.include(`idempotency-key: ${key}`).and.not.include('content-');
  });

  it('the credentials of a host, to that host alone', async () => {
    const [mine, other] = [await bed.target(), await bed.target()];
    const headers = { authorization: secret, 'x-api-key': 'k' };
    const handle = await bed.open({ allow: [...allowing(mine, { headers }).allow, ...allowing(other).allow] });
    await call(handle, { url: mine.url });
    await call(handle, { url: other.url });
    expect(mine.requests[0]?.lines).to.include(`authorization: ${secret}`).and.include('x-api-key: k');
    expect(other.requests[0]?.lines.join()).not.to.match(/authorization|x-api-key/);
  });

  it('over one kept connection, one call after the other', async () => {
    const target = await bed.target();
    const handle = await bed.open({ ...allowing(target), max_connections: 1 });
    await Promise.all([1, 2, 3].map(async () => call(handle, { url: target.url })));
    expect([target.requests.length, target.accepted]).to.deep.equal([3, 1]);
  });

  it('and answers only the headers of the list, in lower case, never a cookie', async () => {
    const headers = {
      'Content-Type': 'text/plain',
      ETag: '"1"',
      'Set-Cookie': 'a=b',
      'X-Secret': 's',
      'X-Request-Id': 'r',
    };
    const target = await bed.target(says(200, headers, 'ok'));
    expect(await call(await bed.open(allowing(target)), { url: target.url })).to.deep.equal({
      status: 200,
      headers: { 'content-length': '2', 'content-type': 'text/plain', etag: '"1"', 'x-request-id': 'r' },
      body: 'ok',
      encoding: 'utf8',
    });
  });

  it('and joins a header that came twice', async () => {
    const target = await bed.target((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nlink: <a>\r\nlink: <b>\r\n\r\n'),
    );
    const outputs = await call(await bed.open(allowing(target)), { url: target.url });
    expect(outputs['headers']).to.deep.include({ link: '<a>, <b>' });
  });
}

function manifest(orbId: string): { readonly inputs_schema: JsonSchema; readonly [member: string]: unknown } {
  const text = readFileSync(new URL(`../../../data/orbs/${orbId}.json`, import.meta.url), 'utf8');
  return JSON.parse(text) as ReturnType<typeof manifest>;
}

function methods(): void {
  const bed = createBed();
  const fetch = manifest('http.fetch@1.0.0');
  const send = manifest('http.send@1.0.0');
  const admits = ({ inputs_schema }: typeof fetch, inputs: object): boolean =>
    compile(inputs_schema)({ url: 'https://a.test/', ...inputs }).length === 0;

  it('http.fetch has no effect and admits none: GET and HEAD without a body', () => {
    expect([fetch['effect'], fetch['action_class']]).to.deep.equal(['none', 'read']);
    for (const inputs of [{}, { method: 'GET' }, { method: 'HEAD' }]) expect(admits(fetch, inputs)).to.equal(true);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'get', ''])
      expect(admits(fetch, { method }), method).to.equal(false);
    for (const inputs of [{ body: 'x' }, { json: 1 }]) expect(admits(fetch, inputs)).to.equal(false);
  });

  it('http.send is irreversible and admits nothing else: its method is always named', () => {
    expect([send['effect'], send['action_class']]).to.deep.equal(['irreversible', 'write']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(admits(send, { method })).to.equal(true);
    for (const inputs of [{}, { method: 'GET' }, { method: 'HEAD' }]) expect(admits(send, inputs)).to.equal(false);
    expect(admits(send, { method: 'POST', body: 'x', json: 1 }), 'one body').to.equal(false);
    expect(admits(send, { method: 'POST', encoding: 'utf8' }), 'an encoding of nothing').to.equal(false);
  });

  const refused = [
    { method: 'TRACE' },
    { method: 'CONNECT' },
    { method: 'post' },
    { method: 'GET', body: 'x' },
    { method: 'HEAD', json: {} },
    { method: 'POST', body: 'x', json: {} },
    { method: 'POST', body: 'A', encoding: 'base64' },
    { method: 'POST', body: 'x', encoding: 'latin1' },
    { method: 'POST', body: '\ud800' },
    { method: 'POST', data: 'x' },
    { url: 7 },
    { url: 'https://127.0.0.1/' + 'x'.repeat(8192) },
  ];
  for (const inputs of refused)
    it(`and the adapter itself refuses ${JSON.stringify(inputs).slice(0, 60)}`, async () => {
      const target = await bed.target();
      const error = await failure(call(await bed.open(allowing(target)), { url: target.url, ...inputs }));
      expect(error.outcome).to.equal('rejected');
      expect(await target.acceptedBefore()).to.equal(0);
    });

  it('and a host to the methods its entry names', async () => {
    const target = await bed.target();
    const handle = await bed.open(allowing(target, { methods: ['GET', 'HEAD'] }));
    expect((await failure(call(handle, { url: target.url, method: 'DELETE' }))).outcome).to.equal('rejected');
    expect(await call(handle, { url: target.url })).to.deep.include({ status: 200 });
    expect(target.requests).to.have.length(1);
  });
}

function configures(): void {
  const bed = createBed();
  const fits = (entry: object): boolean =>
    compile(client.config)({ allow: [{ host: 'a.test', ...entry }] }).length === 0;

  it('that names at least one host', () => {
    const check = compile(client.config);
    for (const config of [{}, { allow: [] }, { allow: [{}] }, { allow: ['a.test'] }])
      expect(check(config), JSON.stringify(config)).not.to.deep.equal([]);
  });

  const hosts = ['a.test', '*.a.test', '_x.a-b.test', 'localhost', '10.0.0.1', '[::1]', 'xn--bcher-kva.test'];
  for (const host of hosts) it(`with the host ${host}`, () => expect(fits({ host })).to.equal(true));

  const strange = [
    '*',
    '*.',
    '*a.test',
    'a.*.test',
    'a..test',
    'a.test.',
    'A.test',
    'bücher.test',
    'a.test:80',
    'a/b',
    '::1',
  ];
  for (const host of strange) it(`not with the host ${host}`, () => expect(fits({ host })).to.equal(false));

  it('that exempts and equips hosts named in full only', () => {
    const headers = { authorization: 'x' };
    for (const entry of [{ private: true }, { headers }]) {
      expect(fits(entry)).to.equal(true);
      expect(fits({ host: '*.a.test', ...entry })).to.equal(false);
    }
    expect(fits({ host: '*.a.test', private: false, plain: true })).to.equal(true);
  });

  it('whose credentials are lines of headers that are not the connection’s', () => {
    for (const name of ['host', 'content-length', 'transfer-encoding', 'idempotency-key', 'Authorization', 'a b', 'a:'])
      expect(fits({ headers: { [name]: 'x' } }), name).to.equal(false);
    for (const value of ['', 'a\r\nb', 'a\n', ' a', 'é'])
      expect(fits({ headers: { authorization: value } }), value).to.equal(false);
  });

  for (const host of ['010.0.0.1', '127.1', '1.2.3.4.5', '[1]', '[::1::]'])
    it(`that does not open with ${host}, which is no address in its plain form`, async () => {
      expect((await failure(bed.open({ allow: [{ host }] }))).outcome).to.equal('provider_fault');
    });

  it('and claims no key support that a target may not have', () => {
    expect(client.idempotency).to.deep.equal({ kind: 'none' });
    expect(client.sandbox).to.equal(false);
  });
}
