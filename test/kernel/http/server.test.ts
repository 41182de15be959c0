import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { defineRoute } from '../../../kernel/http/route.ts';
import { createHttp } from '../../../kernel/http/server.ts';
import { expectProblem, send, sendRaw, type Sent } from '../../helpers/http.ts';
import { fullKey, poorKey, startHttp, type Fixture } from './fixture.ts';

interface Scenario extends Sent {
  readonly name: string;
  readonly path: string;
  readonly status: number;
  readonly problem?: string;
  readonly answer?: unknown;
  readonly detail?: RegExp;
  readonly has?: Readonly<Record<string, string | RegExp>>;
}

const key = fullKey;
const json = { 'content-type': 'application/json' };
const scenarios: readonly Scenario[] = [
  { name: 'a public route needs no key', path: '/health', status: 200, answer: { status: 'ok' } },
  { name: 'an unknown route is 404 before 401', path: '/nowhere', status: 404, problem: 'route_not_found' },
  { name: 'a trailing slash is another path', path: '/health/', status: 404, problem: 'route_not_found' },
  { name: 'paths are case-sensitive', path: '/Health', status: 404, problem: 'route_not_found' },
  { name: 'an empty segment is no parameter', path: '/things/', status: 404, problem: 'route_not_found' },
  {
    name: 'another method is 405 with Allow, before 401',
    path: '/things/1',
    method: 'POST',
    status: 405,
    problem: 'method_not_allowed',
    has: { allow: 'DELETE, GET, HEAD, OPTIONS' },
  },
  {
    name: 'OPTIONS tells the methods',
    path: '/things/1',
    method: 'OPTIONS',
    status: 204,
    has: { allow: 'DELETE, GET, HEAD, OPTIONS', 'x-request-id': /^req_/ },
  },
  { name: 'OPTIONS of nothing is 404', path: '/nowhere', method: 'OPTIONS', status: 404, problem: 'route_not_found' },
  {
    name: 'no key is 401',
    path: '/things/1',
    status: 401,
    problem: 'unauthenticated',
    has: { 'www-authenticate': 'Bearer' },
  },
  { name: 'an unknown key is 401', path: '/things/1', key: 'nobody', status: 401, problem: 'unauthenticated' },
  {
    name: 'another scheme is 401',
    path: '/things/1',
    headers: { authorization: `Basic ${fullKey}` },
    status: 401,
    problem: 'unauthenticated',
  },
  {
    name: 'the scheme may be written in lower case',
    path: '/things/1',
    headers: { authorization: `bearer ${fullKey}` },
    status: 200,
    answer: { id: '1' },
  },
  {
    name: 'a key without the scope is 403',
    path: '/things/1',
    key: poorKey,
    status: 403,
    problem: 'insufficient_scope',
    has: { 'www-authenticate': /things:read/ },
  },
  { name: 'a narrowed scope covers its Orb', path: '/providers/notify.email@1.0.0/status', key: poorKey, status: 200 },
  {
    name: 'a narrowed scope covers no other Orb',
    path: '/providers/demo.echo@1.0.0/status',
    key: poorKey,
    status: 403,
    problem: 'insufficient_scope',
  },
  {
    name: 'an Orb id works raw',
    path: '/providers/notify.email@1.0.0/status',
    key,
    status: 200,
    answer: { orb_id: 'notify.email@1.0.0' },
  },
  {
    name: 'an Orb id works percent-encoded',
    path: '/providers/notify%2Eemail%401.0.0/status',
    key,
    status: 200,
    answer: { orb_id: 'notify.email@1.0.0' },
  },
  { name: 'an encoded slash stays in its segment', path: '/things/a%2Fb', key, status: 200, answer: { id: 'a/b' } },
  { name: 'a malformed % is 400', path: '/things/%zz', key, status: 400, problem: 'invalid_parameter' },
  { name: 'a % of no UTF-8 is 400', path: '/things/%ff', key, status: 400, problem: 'invalid_parameter' },
  {
    name: 'a path parameter against its schema is 400',
    path: '/providers/notify/status',
    key,
    status: 400,
    problem: 'invalid_parameter',
    detail: /path parameter orb_id must match/,
  },
  { name: 'a static segment wins', path: '/things/special', key, status: 200, answer: { id: 'the special one' } },
  {
    name: 'a parameter serves what lies below it',
    path: '/things/special/parts',
    key,
    status: 200,
    answer: { id: 'special' },
  },
  { name: 'the default of a query', path: '/list', status: 200, answer: { limit: 20 } },
  { name: 'a query is coerced', path: '/list?limit=7&tier=gold', status: 200, answer: { limit: 7, tier: 'gold' } },
  {
    name: 'a query out of range is 400',
    path: '/list?limit=0',
    status: 400,
    problem: 'invalid_parameter',
    detail: /query parameter limit must be >= 1/,
  },
  { name: 'a query of another type is 400', path: '/list?limit=many', status: 400, problem: 'invalid_parameter' },
  { name: 'an empty number is 400', path: '/list?limit=', status: 400, problem: 'invalid_parameter' },
  {
    name: 'an unknown query name is 400',
    path: '/list?limt=5',
    status: 400,
    problem: 'invalid_parameter',
    detail: /"limt"; known are limit, tier/,
  },
  { name: 'a query on a route without one is 400', path: '/health?x=1', status: 400, problem: 'invalid_parameter' },
  { name: '__proto__ as a query name is 400', path: '/list?__proto__=1', status: 400, problem: 'invalid_parameter' },
  {
    name: 'a repeated query name is 400',
    path: '/list?limit=5&limit=6',
    status: 400,
    problem: 'invalid_parameter',
    detail: /limit appears twice/,
  },
  { name: 'a malformed % in a query is 400', path: '/list?limit=%f', status: 400, problem: 'invalid_parameter' },
  { name: 'nothing returned is 204', path: '/things/1', method: 'DELETE', key, status: 204 },
  {
    name: 'a reply sets status, headers and media type',
    path: '/badge',
    status: 203,
    has: { 'content-type': 'image/svg+xml', etag: '"1"', 'cache-control': 'max-age=60' },
  },
  {
    name: 'a reply keeps the status of its route',
    path: '/created',
    method: 'POST',
    key,
    status: 201,
    answer: { made: true },
    has: { location: '/created/1' },
  },
  {
    name: 'a route without a body schema does not look at the body',
    path: '/created',
    key,
    body: '{"broken',
    headers: { 'content-type': 'text/plain' },
    status: 201,
  },
  {
    name: 'a body is validated and its defaults filled',
    path: '/echo/1',
    key,
    json: { text: 'é' },
    status: 200,
    answer: { text: 'é', count: 1 },
  },
  {
    name: 'a body against the schema is 422 with pointers',
    path: '/echo/1',
    key,
    json: { count: '1', x: 1 },
    status: 422,
    problem: 'invalid_body',
    detail: /#\/text is required/,
  },
  {
    name: 'a body is not looked at without a key',
    path: '/echo/1',
    body: '{',
    headers: json,
    status: 401,
    problem: 'unauthenticated',
  },
  {
    name: 'an empty body is 400',
    path: '/echo/1',
    key,
    method: 'POST',
    status: 400,
    problem: 'malformed_json',
    detail: /empty/,
  },
  {
    name: 'broken JSON is 400',
    path: '/echo/1',
    key,
    headers: json,
    body: '{"text":',
    status: 400,
    problem: 'malformed_json',
  },
  {
    name: 'duplicate keys are 400',
    path: '/echo/1',
    key,
    headers: json,
    body: '{"text":"a","text":"b"}',
    status: 400,
    problem: 'malformed_json',
    detail: /"text" appears twice/,
  },
  {
    name: '__proto__ is 400',
    path: '/echo/1',
    key,
    headers: json,
    body: '{"text":"a","any":{"__proto__":{}}}',
    status: 400,
    problem: 'malformed_json',
  },
  {
    name: 'deep nesting is 400',
    path: '/echo/1',
    key,
    headers: json,
    body: `{"text":"a","any":${'['.repeat(64)}${']'.repeat(64)}}`,
    status: 400,
    problem: 'malformed_json',
    detail: /deeper than 64/,
  },
  {
    name: 'invalid UTF-8 is 400',
    path: '/echo/1',
    key,
    headers: json,
    body: new Uint8Array([...Buffer.from('{"text":"'), 0xc3, 0x28, 0x22, 0x7d]),
    status: 400,
    problem: 'malformed_json',
    detail: /UTF-8/,
  },
  {
    name: 'no Content-Type is 415',
    path: '/echo/1',
    key,
    body: new Uint8Array(Buffer.from('{"text":"a"}')),
    status: 415,
    problem: 'unsupported_media_type',
  },
  {
    name: 'another Content-Type is 415',
    path: '/echo/1',
    key,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'text=a',
    status: 415,
    problem: 'unsupported_media_type',
  },
  {
    name: 'a media type of the +json family is read',
    path: '/echo/1',
    key,
    headers: { 'content-type': 'application/cloudevents+json; charset="UTF-8"; v=1' },
    body: '{"text":"a"}',
    status: 200,
  },
  {
    name: 'another charset is 415',
    path: '/echo/1',
    key,
    headers: { 'content-type': 'application/json; charset=latin1' },
    body: '{"text":"a"}',
    status: 415,
    problem: 'unsupported_media_type',
  },
  {
    name: 'gzip is 415',
    path: '/echo/1',
    key,
    headers: { ...json, 'content-encoding': 'gzip' },
    body: new Uint8Array(gzipSync('{"text":"a"}')),
    status: 415,
    problem: 'unsupported_media_type',
  },
  {
    name: 'a body of just 1 MiB is read',
    path: '/echo/1',
    key,
    headers: json,
    body: `{"text":"${'a'.repeat(1024 * 1024 - 11)}"}`,
    status: 200,
  },
  {
    name: '2 MB are 413',
    path: '/echo/1',
    key,
    json: { text: 'a'.repeat(2_000_000) },
    status: 413,
    problem: 'payload_too_large',
  },
  { name: 'a throw is 500', path: '/fails/throw', status: 500, problem: 'internal' },
  {
    name: 'a throw of the authenticating plugin is 500',
    path: '/things/1',
    key: 'defect',
    status: 500,
    problem: 'internal',
  },
  { name: 'a header that is not valid is 500', path: '/fails/header', status: 500, problem: 'internal' },
  { name: 'an answer without a JSON form is 500', path: '/fails/circle', status: 500, problem: 'internal' },
  { name: 'the check of answers sees surplus fields', path: '/fails/schema', status: 500, problem: 'internal' },
  {
    name: 'a problem carries its members and Retry-After',
    path: '/fails/storage',
    status: 503,
    problem: 'storage_unavailable',
    detail: /^call again$/,
    has: { 'retry-after': '3' },
  },
  {
    name: 'each problem has a page',
    path: '/problems/rate_limited',
    status: 200,
    answer: { code: 'rate_limited', status: 429, title: 'Too many requests', retryable: true },
  },
  { name: 'an unknown problem has none', path: '/problems/constructor', status: 404, problem: 'route_not_found' },
];

describe('the HTTP server', () => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await startHttp();
  });
  afterEach(() => fixture.http.drain(0));

  for (const { name, path, status, problem, answer, detail, has = {}, ...sent } of scenarios) {
    it(name, async () => {
      const received = await send(fixture.base, path, sent);
      expect(received.status, received.text).to.equal(status);
      if (problem !== undefined) expectProblem(received, status, problem);
      if (answer !== undefined) expect(received.json).to.deep.equal(answer);
      if (detail !== undefined) expect(received.json['detail']).to.match(detail);
      for (const [header, value] of Object.entries(has)) {
        expect(received.headers.get(header)).to.match(
          typeof value === 'string' ? new RegExp(`^${RegExp.escape(value)}$`) : value,
        );
      }
      expect(received.headers.get('x-content-type-options')).to.equal('nosniff');
      if (!('cache-control' in has)) expect(received.headers.get('cache-control')).to.equal('no-store');
    });
  }

  it('shows nothing of a defect to the caller, and its stack to the log', async () => {
    const { json, text } = await send(fixture.base, '/fails/throw', { headers: { 'x-request-id': 'mine-1' } });
    expect(json).to.deep.equal({
      type: 'http://orb.test/problems/internal',
      title: 'The service has a defect',
      status: 500,
      code: 'internal',
      request_id: 'mine-1',
      retryable: false,
    });
    expect(text).to.not.match(/hunter2|secret|fixture/);
    expect(fixture.lines.find((line) => line.includes('mine-1'))).to.match(/hunter2.*fixture\.ts/);
  });

  it('shows nothing of the cause of a known failure, and logs it', async () => {
    const { json, text } = await send(fixture.base, '/fails/storage');
    expect(json).to.include({ run_id: 'run_1', retryable: true });
    expect(json).to.not.have.property('retry_after');
    expect(text).to.not.include('/var/secret');
    expect(fixture.lines.join()).to.include('/var/secret');
  });

  it('gives the same answer to a missing, a malformed and an unknown key, and asks about well-formed ones only', async () => {
    const attempts = [undefined, 'Bearer', 'Bearer a b', `Bearer ${'x'.repeat(600)}`, 'Bearer nobody'];
    const bodies = [];
    for (const authorization of attempts) {
      const headers = { 'x-request-id': 'same', ...(authorization === undefined ? {} : { authorization }) };
      bodies.push((await send(fixture.base, '/things/1', { headers })).text);
    }
    expect(new Set(bodies)).to.have.length(1);
    expect(fixture.asked).to.deep.equal(['nobody']);
  });

  it('names each fault of a body by its pointer', async () => {
    const { json } = await send(fixture.base, '/echo/1', { key: fullKey, json: { count: '1', x: 1 } });
    expect(json['errors']).to.deep.include.members([
      { pointer: '#/text', detail: 'is required' },
      { pointer: '#/x', detail: 'is not a known field; remove it' },
    ]);
  });

  it('serves HEAD by GET, without a body', async () => {
    const got = await send(fixture.base, '/list');
    const head = await send(fixture.base, '/list', { method: 'HEAD' });
    expect(head).to.include({ status: 200, text: '' });
    expect(head.headers.get('content-length')).to.equal(String(got.text.length));
  });

  it('returns the request id and the trace of the caller when they are valid', async () => {
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
    const { headers } = await send(fixture.base, '/health', {
      headers: { 'x-request-id': 'a.b_c-1', traceparent: trace },
    });
    expect(headers.get('x-request-id')).to.equal('a.b_c-1');
    expect(headers.get('traceparent')).to.equal(trace);
  });

  it('makes a request id and a trace when those of the caller are not valid', async () => {
    const zeros = `00-${'0'.repeat(32)}-b7ad6b7169203331-00`;
    const invalid = [
      zeros,
      `00-${'a'.repeat(32)}-${'0'.repeat(16)}-00`,
      'ff-x',
      `01-${'a'.repeat(32)}-${'b'.repeat(16)}-00`,
    ];
    const made = new Set<string | null>();
    for (const traceparent of invalid) {
      const { headers } = await send(fixture.base, '/health', {
        headers: { 'x-request-id': 'two words', traceparent },
      });
      expect(headers.get('x-request-id')).to.match(/^req_[0-9A-Z]{26}$/);
      expect(headers.get('traceparent')).to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      made.add(headers.get('traceparent'));
    }
    expect(made.size).to.equal(invalid.length);
  });

  it('counts requests and times by route, method and status', async () => {
    await send(fixture.base, '/things/1', { key: fullKey });
    await send(fixture.base, '/things/2', { key: fullKey });
    await send(fixture.base, '/things/3');
    await send(fixture.base, '/nowhere');
    const { text } = await fixture.metrics.show();
    expect(text).to.include('# TYPE orb_http_requests_total counter');
    expect(text).to.include('orb_http_requests_total{route="/things/{id}",method="GET",status="200"} 2');
    expect(text).to.include('orb_http_requests_total{route="/things/{id}",method="GET",status="401"} 1');
    expect(text).to.include('orb_http_requests_total{route="unmatched",method="GET",status="404"} 1');
    expect(text).to.include('orb_http_request_seconds_bucket{route="/things/{id}",method="GET",le="+Inf"} 3');
    expect(text).to.include('orb_http_request_seconds_count{route="/things/{id}",method="GET"} 3');
  });

  it('answers what is no HTTP with a problem by hand', async () => {
    const text = await sendRaw(fixture.base, 'NONSENSE\r\n\r\n');
    expect(text).to.match(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).to.include({ code: 'malformed_request', status: 400 });
  });

  it('answers headers beyond 16 KiB with 431', async () => {
    const text = await sendRaw(
      fixture.base,
      `GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    );
    expect(text).to.match(/^HTTP\/1\.1 431 /);
    expect(text).to.include('"code":"header_fields_too_large"');
  });

  it('answers HTTP/1.1 without Host with a problem', async () => {
    const text = await sendRaw(fixture.base, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(text).to.match(/^HTTP\/1\.1 400 /);
    expect(text).to.include('"code":"malformed_request"');
  });

  it('refuses two routes that the same request would match, naming both', () => {
    const route = (path: string, service: 'runtime' | 'ledger') =>
      defineRoute({ method: 'GET', path, service, public: true, summary: 's', problems: [], handle: () => undefined });
    const clash = [route('/a/{x}/b', 'runtime'), route('/a/{y}/b', 'ledger')];
    expect(() => createHttp({ ...unused, routes: clash })).to.throw(
      'GET /a/{x}/b (runtime) and GET /a/{y}/b (ledger) are the same route',
    );
  });

  it('refuses a route that is not public and names no scope', () => {
    const route = defineRoute({
      method: 'GET',
      path: '/a',
      service: 'shared',
      summary: 's',
      problems: [],
      handle: () => 1,
    });
    expect(() => createHttp({ ...unused, routes: [route] })).to.throw(/must name its scope/);
  });

  it('refuses a route whose path and params schema differ', () => {
    const rest = {
      method: 'GET',
      service: 'shared',
      public: true,
      summary: 's',
      problems: [],
      handle: () => 1,
    } as const;
    const params = { type: 'object', properties: { y: { type: 'string' } } } as const;
    for (const route of [
      defineRoute({ ...rest, path: '/a/{x}' }),
      defineRoute({ ...rest, path: '/a/{x}', params }),
      defineRoute({ ...rest, path: '/a/v{y}', params }),
    ]) {
      expect(() => createHttp({ ...unused, routes: [route] })).to.throw(/^GET \/a/);
    }
  });

  const unused = {
    listen: [{ address: '127.0.0.1:0', services: ['runtime' as const] }],
    trustProxy: [],
    insecureHttp: false,
    publicUrl: '',
    version: '1.0.0',
    clock: { now: () => 0, monotonic: () => 0 },
    ids: () => 'req_1',
    hooks: { authenticate: async () => undefined },
    metrics: { collect: () => undefined, counter: never, histogram: never, gauge: never, show: never },
    log: { debug: never, info: never, warn: never, error: never, child: never },
  };
});

function never(): never {
  throw new Error('not used');
}
