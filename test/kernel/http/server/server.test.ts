import { expect } from 'chai';
import { defineRoute } from '../../../../kernel/http/route/route.ts';
import { createHttp } from '../../../../kernel/http/server/server.ts';
import { send, sendRaw } from '../../../helpers/http.ts';
import { fullKey, startHttp, type Fixture } from '../fixture.ts';
import { problemTable } from '../../../../kernel/problem-table.ts';

describe('the HTTP server', () => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await startHttp();
  });
  afterEach(() => fixture.http.drain(0));

  it('shows nothing of a defect to the caller, and its stack to the log', async () => {
    const { json, text } = await send(fixture.base, '/fails/throw', { headers: { 'x-request-id': 'mine-1' } });
    expect(json).to.deep.equal({
      type: 'http://orb.test/problems/internal',
      title: 'The server failed unexpectedly',
      status: 500,
      code: 'internal',
      request_id: 'mine-1',
      retryable: false,
    });
    expect(text).to.not.match(/hunter2|secret|fixture/);
    expect(fixture.lines.find((line) => line.includes('mine-1'))).to.match(/hunter2.*fixture\.ts/);
  });

  it('survives a defect outside of every route: 500, told to the log', async () => {
    let broken = false;
    const monotonic = (): number => {
      if (broken) throw new Error('no clock');
      return performance.now();
    };
    const { base, http, lines } = await startHttp({ clock: { now: () => Date.now(), monotonic } });
    broken = true;
    expect((await send(base, '/health')).status).to.equal(500);
    broken = false;
    expect((await send(base, '/health')).status).to.equal(200);
    expect(lines.filter((line) => line.includes('no clock'))).to.have.length(1);
    await http.drain(0);
  });

  it('shows nothing of the cause of a known failure, and logs it', async () => {
    const { json, text } = await send(fixture.base, '/fails/storage');
    expect(json).to.include({ run_id: 'run_1', retryable: true });
    expect(json).to.not.have.property('retry_after');
    expect(text).to.not.include('/var/secret');
    expect(fixture.lines.join()).to.include('/var/secret');
  });

  it('refuses a missing, a malformed and an unknown key in the same form, and asks about well-formed ones only', async () => {
    const attempts = [undefined, 'Bearer', 'Bearer a b', `Bearer ${'x'.repeat(600)}`, 'Bearer nobody'];
    const forms = new Set<string>();
    const details = new Set<unknown>();
    for (const authorization of attempts) {
      const headers = { 'x-request-id': 'same', ...(authorization === undefined ? {} : { authorization }) };
      const { detail, ...rest } = (await send(fixture.base, '/things/1', { headers })).json;
      forms.add(JSON.stringify(rest));
      details.add(detail);
    }
    expect(forms).to.have.length(1);
    expect(details).to.have.length(attempts.length);
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

  it('passes over an expectation it does not know', async () => {
    const text = await sendRaw(
      fixture.base,
      'GET /health HTTP/1.1\r\nHost: x\r\nExpect: the-unexpected\r\nConnection: close\r\n\r\n',
    );
    expect(text)
      .to.match(/^HTTP\/1.1 200 /)
      .and.to.include('"ok"');
  });

  it('takes a target in absolute form, as proxies send it', async () => {
    const text = await sendRaw(
      fixture.base,
      'GET http://orb.test/health?x=1 HTTP/1.1\r\nHost: orb.test\r\nConnection: close\r\n\r\n',
    );
    expect(text)
      .to.match(/^HTTP\/1.1 400 /)
      .and.to.include('unknown query parameter');
    const health = 'GET http://orb.test/health HTTP/1.1\r\nHost: orb.test\r\nConnection: close\r\n\r\n';
    expect(await sendRaw(fixture.base, health)).to.match(/^HTTP\/1.1 200 /);
  });

  const hosts: readonly (readonly [string, string])[] = [
    ['without Host', 'HTTP/1.1\r\n'],
    ['with two', 'HTTP/1.1\r\nHost: orb.test\r\nX: host\r\nhost: other.test\r\n'],
    ['with the same twice', 'HTTP/1.1\r\nHost: orb.test\r\nHost: orb.test\r\n'],
    ['with two in HTTP/1.0', 'HTTP/1.0\r\nHost: orb.test\r\nHost: other.test\r\n'],
  ];
  for (const [name, head] of hosts)
    it(`answers a request ${name} with a problem`, async () => {
      const text = await sendRaw(fixture.base, `GET /health ${head}Connection: close\r\n\r\n`);
      expect(text).to.match(/^HTTP\/1\.1 400 /);
      expect(text).to.include('"code":"malformed_request"');
    });

  it('takes HTTP/1.0 without Host, and a value that is called host', async () => {
    for (const head of ['HTTP/1.0\r\n', 'HTTP/1.1\r\nHost: orb.test\r\nX-Name: host\r\nX-Host: other.test\r\n']) {
      const text = await sendRaw(fixture.base, `GET /health ${head}Connection: close\r\n\r\n`);
      expect(text, head).to.match(/^HTTP\/1\.1 200 /);
    }
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
    problems: problemTable([]),
    trustProxy: [],
    insecureHttp: false,
    publicUrl: '',
    version: '1.0.0',
    clock: { now: () => 0, monotonic: () => 0 },
    ids: () => 'req_1',
    hooks: { authenticate: async () => undefined, explainCredential: async () => undefined, present: never },
    metrics: { collect: () => undefined, counter: never, histogram: never, list: () => [], gauge: never, show: never },
    log: { debug: never, info: never, warn: never, error: never, child: never, answered: never },
  };
});

function never(): never {
  throw new Error('not used');
}
