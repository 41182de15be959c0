import { request, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { codingOf } from '../../../../kernel/http/route/negotiation.ts';
import { defineRoute, namesTag, reply, type Route } from '../../../../kernel/index.ts';
import { startPlatform } from '../../../helpers/platform.ts';
import { startHttp, type Fixture } from '../fixture.ts';

const sizes = { tiny: 1000, short: 20_000, long: 400_000 } as const;
const open = { method: 'GET', service: 'runtime', public: true, summary: 'A text' } as const;
const text = (size: number): string => 'an orb answers '.repeat(size).slice(0, size);
const plain = (path: string, type: string, body: string | Uint8Array): Route =>
  defineRoute({ ...open, path, produces: type, handle: () => reply({ type, body }) });

const routes: readonly Route[] = [
  ...Object.entries(sizes).map(([name, size]) => plain(`/${name}`, 'text/html; charset=utf-8', text(size))),
  plain('/picture', 'image/png', Buffer.from(text(sizes.short))),
  plain('/drawing', 'image/svg+xml', text(sizes.short)),
  plain('/events', 'text/event-stream', text(sizes.short)),
  defineRoute({
    ...open,
    path: '/secret',
    produces: 'text/plain',
    showsSecret: true,
    handle: () => reply({ type: 'text/plain', body: text(sizes.short) }),
  }),
  defineRoute({
    ...open,
    path: '/tagged',
    produces: 'text/plain',
    conditional: true,
    handle({ headers: asked }) {
      const headers = { ETag: '"v1"', 'Cache-Control': 'public, max-age=60', Vary: 'Authorization' };
      if (namesTag(asked['if-none-match'], '"v1"')) return reply({ status: 304, headers });
      return reply({ type: 'text/plain', headers, body: text(sizes.long) });
    },
  }),
  defineRoute({
    ...open,
    path: '/stream',
    produces: 'text/plain',
    handle: () =>
      reply({
        type: 'text/plain',
        stream: (async function* () {
          yield text(sizes.short);
        })(),
      }),
  }),
];

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

describe('the coding of answers', () => {
  let http: Fixture;
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> =>
    new Promise((resolve, reject) => {
      const sent = request(http.base + path, { method, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }),
        );
      });
      sent.once('error', reject).end();
    });

  before(async () => (http = await startHttp({ routes })));
  after(() => http.http.drain(0));

  for (const size of ['short', 'long'] as const)
    for (const [coding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const)
      it(`sends a ${size} text as ${coding} to who asks for it, with its length`, async () => {
        // The second of a long one comes from memory.
        for (let time = 0; time < 2; time += 1) {
          const { headers, bytes } = await get(`/${size}`, { 'accept-encoding': coding });
          expect(headers['content-encoding']).to.equal(coding);
          expect(headers.vary).to.equal('Accept-Encoding');
          expect(headers['content-length']).to.equal(String(bytes.length));
          expect(bytes.length).to.be.lessThan(sizes[size] / 10);
          expect(decode(bytes).toString()).to.equal(text(sizes[size]));
        }
      });

  it('compresses drawings, and neither pictures, events, streams, tiny texts nor what shows a secret', async () => {
    const coded: string[] = [];
    for (const path of ['/drawing', '/picture', '/events', '/stream', '/tiny', '/secret'])
      if ((await get(path, { 'accept-encoding': 'gzip' })).headers['content-encoding'] !== undefined) coded.push(path);
    expect(coded).to.deep.equal(['/drawing']);
  });

  it('sends the text itself to who does not ask', async () => {
    const { headers, bytes } = await get('/long');
    expect(headers['content-encoding']).to.equal(undefined);
    expect(bytes.toString()).to.equal(text(sizes.long));
  });

  it('gives each coding a tag of its own, and every tag of a state counts as that state', async () => {
    const whole = await get('/tagged');
    const packed = await get('/tagged', { 'accept-encoding': 'br' });
    expect(whole.headers).to.include({ etag: '"v1"', vary: 'Authorization, Accept-Encoding' });
    expect(packed.headers).to.include({ etag: '"v1~br"', vary: 'Authorization, Accept-Encoding' });
    for (const tag of ['"v1"', '"v1~br"', 'W/"v1"', '"v0", "v1~gzip"']) {
      const { status, headers, bytes } = await get('/tagged', { 'if-none-match': tag, 'accept-encoding': 'br' });
      expect([status, bytes.length], tag).to.deep.equal([304, 0]);
      expect(tag).to.include(headers.etag);
    }
    expect((await get('/tagged', { 'if-none-match': '"v0~br"' })).status).to.equal(200);
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    for (const path of ['/short', '/tagged']) {
      const { headers } = await get(path, { 'accept-encoding': 'gzip' });
      const head = await get(path, { 'accept-encoding': 'gzip' }, 'HEAD');
      for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
        expect(head.headers[name], name).to.equal(headers[name]);
      expect(head.bytes.length).to.equal(0);
    }
  });

  it('takes the coding of the greatest weight', () => {
    const wishes = {
      'gzip, deflate, br': 'br',
      'gzip;q=1, br;q=0.5': 'gzip',
      'br;q=0, gzip': 'gzip',
      'identity, gzip;q=0.5': undefined,
      'gzip;q=0': undefined,
      '*': 'br',
      '*;q=0': undefined,
      deflate: undefined,
      'gzip;q=x': undefined,
      GZIP: 'gzip',
      '': undefined,
    };
    for (const [asked, coding] of Object.entries(wishes)) expect(codingOf(asked), asked).to.equal(coding);
  });
});

describe('the routes that show a secret', () => {
  it('say so: those whose answer has a member of that name, or one that is shown once', async () => {
    const platform = await startPlatform();
    try {
      const secret = /"(?:secret|token|key)":\{"type":"string"|shown (?:only here|once)/i;
      const named = platform.kernel.routes.filter(
        ({ method, response }) => method !== 'GET' && secret.test(JSON.stringify(response ?? {})),
      );
      expect(named.map(({ path }) => path)).to.include.members(['/keys', '/sources', '/sources/{source_id}/token']);
      expect(named.filter(({ showsSecret }) => showsSecret !== true).map(({ path }) => path)).to.deep.equal([]);
    } finally {
      await platform.stop();
    }
  });
});
