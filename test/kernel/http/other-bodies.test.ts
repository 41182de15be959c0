import { expect } from 'chai';
import { PlatformError } from '../../../kernel/error.ts';
import { defineRoute, reply, type Route } from '../../../kernel/http/route/route.ts';
import { expectProblem, send } from '../../helpers/http.ts';
import { until } from '../../helpers/until.ts';
import { fullKey, poorKey, startHttp, type Fixture } from './fixture.ts';

const source = {
  type: 'object',
  additionalProperties: false,
  required: ['source'],
  properties: { source: { type: 'string' } },
} as const;

const own = { service: 'runtime', summary: 'A sample', problems: [], scope: 'things:read' } as const;

async function* parts(fails: boolean): AsyncGenerator<string> {
  for (let part = 0; part < 3; part += 1) yield `part ${part}\n`;
  if (fails) throw new Error('the disk is gone');
}

/** Streams whose source was told to end. */
let ended = 0;

async function* endless(): AsyncGenerator<string> {
  try {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      yield 'x'.repeat(65_536);
    }
  } finally {
    ended += 1;
  }
}

const routes: readonly Route[] = [
  defineRoute({
    ...own,
    method: 'POST',
    path: '/texts',
    body: source,
    textMember: 'source',
    files: ['policy', 'proof'],
    produces: 'application/json',
    handle: ({ body, files }) =>
      files === undefined
        ? { body }
        : files.map(({ field, filename, bytes }) => [field, filename, Buffer.from(bytes).toString('hex')]),
  }),
  defineRoute({
    ...own,
    method: 'PATCH',
    path: '/raw',
    raw: true,
    produces: 'application/octet-stream',
    handle: async ({ readBody }) => reply({ type: 'application/octet-stream', body: await readBody(8) }),
  }),
  defineRoute({
    ...own,
    method: 'GET',
    path: '/stream/{fate}',
    params: {
      type: 'object',
      required: ['fate'],
      properties: { fate: { enum: ['whole', 'cut', 'endless'] } },
    } as const,
    produces: 'text/plain',
    handle: ({ params: { fate } }) =>
      reply({ type: 'text/plain', stream: fate === 'endless' ? endless() : parts(fate === 'cut') }),
  }),
  defineRoute({
    ...own,
    method: 'GET',
    path: '/either',
    scope: ['things:read', 'things:list'],
    produces: 'application/json',
    handle: () => ({}),
  }),
  defineRoute({
    ...own,
    method: 'GET',
    path: '/badge',
    public: true,
    bucket: { name: 'badge', per_second: 2 },
    produces: 'image/svg+xml',
    handle: () => reply({ type: 'image/svg+xml', body: '<svg/>' }),
  }),
  defineRoute({
    ...own,
    method: 'OPTIONS',
    path: '/either',
    public: true,
    produces: 'text/plain',
    handle: () => {
      throw new PlatformError('route_not_found', 'asked of the route itself');
    },
  }),
];

function form(...files: readonly (readonly [field: string, bytes: string | Uint8Array, name?: string])[]) {
  const data = new FormData();
  for (const [field, bytes, name] of files)
    if (name === undefined) data.append(field, bytes);
    else data.append(field, new Blob([bytes]), name);
  return data as unknown as ReadableStream;
}

describe('bodies that are no JSON', () => {
  let fixture: Fixture;
  const ask = (path: string, sent: Parameters<typeof send>[2] = {}) =>
    send(fixture.base, path, { key: fullKey, ...sent });
  before(async () => {
    fixture = await startHttp({ routes });
  });
  after(() => fixture.http.drain(0));

  it('a text becomes the member that the route names; JSON still is what it was', async () => {
    const text = await ask('/texts', { body: 'package ä', headers: { 'content-type': 'text/plain; charset=utf-8' } });
    expect(text.json).to.deep.equal({ body: { source: 'package ä' } });
    expect((await ask('/texts', { json: { source: 'x' } })).json).to.deep.equal({ body: { source: 'x' } });
  });

  it('a form hands over its files, whatever bytes they hold', async () => {
    const body = form(['policy', new Uint8Array([0, 255, 10]), '../a.rego'], ['proof', '', 'b']);
    const { json, status } = await ask('/texts', { body });
    expect(json, String(status)).to.deep.equal([
      ['policy', '../a.rego', '00ff0a'],
      ['proof', 'b', ''],
    ]);
  });

  it('a form with another field, with no file, too large or broken is refused', async () => {
    expectProblem(await ask('/texts', { body: form(['other', 'x', 'x']) }), 422, 'invalid_body');
    expectProblem(await ask('/texts', { body: form(['policy', 'a text, no file']) }), 422, 'invalid_body');
    const large = form(['policy', 'x'.repeat(1024 * 1024 + 1), 'large']);
    expectProblem(await ask('/texts', { body: large }), 413, 'payload_too_large');
    const headers = { 'content-type': 'multipart/form-data; boundary=abc' };
    expectProblem(await ask('/texts', { body: '--abc\r\nbroken', headers }), 400, 'malformed_request');
    const nameless = { 'content-type': 'multipart/form-data' };
    expectProblem(await ask('/texts', { body: '--abc', headers: nameless }), 400, 'malformed_request');
  });

  it('a form is bounded as a whole: by what stands around its files too', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=abc' };
    const file = 'Content-Disposition: form-data; name="proof"; filename="p"\r\nContent-Type: text/plain\r\n\r\nhi';
    const whole = `--abc\r\n${file}\r\n--abc--\r\n`;
    expect((await ask('/texts', { body: whole, headers })).json).to.deep.equal([['proof', 'p', '6869']]);
    const filler = 'x'.repeat(2 * 1024 * 1024);
    const swollen = [`${filler}\r\n${whole}`, whole + filler, whole.replace('filename="p"', `filename="${filler}"`)];
    for (const body of swollen) {
      expectProblem(await ask('/texts', { body, headers }), 413, 'payload_too_large');
      const stream = new Blob([body]).stream();
      expectProblem(await ask('/texts', { body: stream, headers }), 413, 'payload_too_large');
    }
  });

  it('a part of a form has a short head: a long one is refused before it is looked at', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary="abc"' };
    const parts = ['name="policy"; filename="p"', `name="proof"; ${'filename="x"y '.repeat(70_000)}`].map(
      (disposition) =>
        `--abc\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: text/plain\r\n\r\nhi\r\n`,
    );
    const refused = await ask('/texts', { body: `${parts.join('')}--abc--\r\n`, headers });
    expectProblem(refused, 400, 'malformed_request');
    expect(refused.json['detail']).to.equal('the headers of a part are larger than 1024 bytes');
  });

  it('a raw body arrives as it was sent, within the limit the handler names', async () => {
    const sent = { method: 'PATCH', headers: { 'content-type': 'application/json' } };
    expect((await ask('/raw', { ...sent, body: '{"a"' })).text).to.equal('{"a"');
    expectProblem(await ask('/raw', { ...sent, body: '123456789' }), 413, 'payload_too_large');
  });

  it('a stream is sent part by part, and cut when it fails', async () => {
    const whole = await ask('/stream/whole');
    expect(whole.text).to.equal('part 0\npart 1\npart 2\n');
    expect(whole.headers.get('content-length')).to.equal(null);
    expect(
      await ask('/stream/cut').then(
        () => 'whole',
        () => 'cut',
      ),
    ).to.equal('cut');
  });

  it('a stream ends at its source when the client leaves', async () => {
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${fullKey}` };
    const { body } = await fetch(`${fixture.base}/stream/endless`, { headers, signal: leaving.signal });
    await body?.getReader().read();
    expect(ended).to.equal(0);
    leaving.abort();
    await until(
      () => ended,
      (count) => count === 1,
      'the end of the source',
    );
  });

  it('one of several scopes is enough, none is 403 and names them', async () => {
    expect((await ask('/either')).status).to.equal(200);
    const refused = await ask('/either', { key: poorKey });
    expectProblem(refused, 403, 'insufficient_scope');
    expect(refused.headers.get('www-authenticate')).to.contain('things:read things:list');
  });

  it('a route may answer OPTIONS itself', async () => {
    expectProblem(await ask('/either', { method: 'OPTIONS' }), 404, 'route_not_found');
  });

  it('a bucket of its own empties without regard to the others', async () => {
    const statuses = [];
    for (let round = 0; round < 3; round += 1) statuses.push((await ask('/badge')).status);
    expect(statuses).to.deep.equal([200, 200, 429]);
    expect((await ask('/problems/internal')).status).to.equal(200);
  });
});
