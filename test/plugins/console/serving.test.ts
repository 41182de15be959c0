import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createContext, Script } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'",
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "require-trusted-types-for 'script'; trusted-types 'none'",
].join('; ');

describe('the files of the console', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  const get = (path: string, headers: Record<string, string> = {}) => fetch(platform.url + path, { headers });

  for (const path of ['/console', '/console/runs', '/console/orbs/demo.echo@1.0.0', '/console/a/b/c?d=e'])
    it(`show the document at ${path}, in no frame and with its own script alone`, async () => {
      const answer = await get(path);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(answer.headers.get('content-security-policy')).to.equal(policy);
      expect(answer.headers.get('x-frame-options')).to.equal('DENY');
      expect(answer.headers.get('cross-origin-opener-policy')).to.equal('same-origin');
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      expect(await answer.text()).to.contain('<script src="/console/app.js" defer></script>');
    });

  for (const [from, cookie, session] of [
    ['none', '', 'nobody'],
    ['same-origin', 'other=1', 'nobody'],
    ['none', 'other=1; orb_console=x', 'perhaps'],
    ['same-origin', '__Host-orb_console=x', 'perhaps'],
    ['cross-site', '', 'perhaps'],
    ['same-site', '', 'perhaps'],
    [undefined, '', 'perhaps'],
  ] as const)
    it(`tell a browser that comes from ${from ?? 'an unknown place'} with “${cookie}”: ${session} is signed in`, async () => {
      const headers = { ...(from && { 'sec-fetch-site': from }), ...(cookie !== '' && { cookie }) };
      expect(await (await get('/console', headers)).text()).to.contain(`data-session="${session}"`);
    });

  for (const [named, type] of [
    ['/console/app.js', 'text/javascript; charset=utf-8'],
    ['a part', 'text/javascript; charset=utf-8'],
    ['/console/app.css', 'text/css; charset=utf-8'],
  ] as const)
    it(`answer ${named} once for each version`, async () => {
      const path = named === 'a part' ? ((await parts())[0] ?? '') : named;
      const answer = await get(path);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal(type);
      const tag = answer.headers.get('etag') ?? '';
      expect(tag).to.match(/^"[\w-]{22}/);
      expect((await get(path, { 'if-none-match': tag })).status).to.equal(304);
    });

  /** The first script and its parts, by their paths: as they are sent, and their texts. Strangers are held to a rate. */
  let read: ReturnType<typeof readScripts> | undefined;
  const scripts = () => (read ??= readScripts());
  const readScripts = async () => {
    const found: Record<string, { readonly size: number; readonly text: string }> = {};
    const take = async (path: string): Promise<string> => {
      const packed = await sent(platform.url + path);
      const text = gunzipSync(packed).toString();
      found[path] = { size: packed.length, text };
      return text;
    };
    const first = await take('/console/app.js');
    for (const [, path] of first.matchAll(/import\("\.\/(app\/[\w-]+\.js)"\)/g)) await take(`/console/${path}`);
    return found;
  };
  const parts = async (): Promise<readonly string[]> => Object.keys(await scripts()).slice(1);
  const texts = async (): Promise<readonly string[]> => Object.values(await scripts()).map(({ text }) => text);

  it('hold at most 75 KB of script before a screen, and 25 KB for the screens of an area, as they are sent', async () => {
    const [first, ...areas] = Object.entries(await scripts());
    expect(first?.[1].size).to.be.within(1, 75_000);
    expect(areas.length).to.be.at.least(9);
    for (const [path, { size }] of areas) expect(size, path).to.be.within(1, 25_000);
  });

  it('are a script of the language without imports, and modules that import nothing', async () => {
    const page = { document: { getElementById: () => null } };
    const [first = '', ...others] = await texts();
    expect(first).not.to.match(/^\s*(?:import|export)\b/m);
    expect(() => new Script(first).runInContext(createContext(page))).not.to.throw(SyntaxError);
    for (const text of others) expect(text).not.to.match(/(?:^|[;}])import\s*["'{*]/);
  });

  it('hold each part once: what the first script holds is in no other one', async () => {
    const [first = '', ...others] = await texts();
    for (const word of ['orb-console', 'createElementNS', 'No entries so far']) {
      expect(first).to.include(word);
      for (const text of others) expect(text).not.to.include(word);
    }
  });

  it('have no part of another version, and say so', async () => {
    for (const name of ['models-0000000000.js', 'constructor', '..%2Fapp.js']) {
      const answer = await get(`/console/app/${name}`);
      expect(answer.status, name).to.equal(404);
      expect(await answer.text()).to.contain('load the page again');
    }
  });

  it('are linked from the start page and from the head of public pages', async () => {
    for (const path of ['/', '/marketplace'])
      expect(await (await get(path, { accept: 'text/html' })).text()).to.contain('<a href="/console"');
  });
});

/** Reads the bytes of an answer to a client that takes gzip. */
async function sent(url: string): Promise<Buffer> {
  const [answer] = (await once(request(url, { headers: { 'accept-encoding': 'gzip' } }).end(), 'response')) as [
    IncomingMessage,
  ];
  expect(answer.headers['content-encoding']).to.equal('gzip');
  return Buffer.concat(await answer.toArray());
}

describe('the console', () => {
  const all = ['runtime', 'ledger', 'policy', 'ingest'];
  for (const { name, listen, served } of [
    { name: 'an address of all services on loopback', listen: undefined, served: [true] },
    {
      name: 'an address of some services',
      listen: [
        { address: '127.0.0.1:0', services: ['runtime', 'ledger'] },
        { address: '127.0.0.1:0', services: ['policy', 'ingest'] },
      ],
      served: [false, false],
    },
    {
      name: 'one address of all services beside one of some',
      listen: [
        { address: '127.0.0.1:0', services: ['ingest'] },
        { address: '127.0.0.1:0', services: all },
      ],
      served: [false, true],
    },
    { name: 'plain HTTP to other machines', listen: [{ address: '0.0.0.0:0', services: all }], served: [false] },
  ] as const)
    it(`at ${name}: ${served.join(', ')}`, async () => {
      const lines: string[] = [];
      const platform = await startPlatform({
        platform: listen === undefined ? {} : { listen },
        onLog: (line) => lines.push(line),
      });
      try {
        for (const [at, expected] of served.entries()) {
          const url = platform.kernel.listeners[at]?.url ?? '';
          for (const path of ['/console', '/console/app.js', '/console/runs'])
            expect((await fetch(url.replace('0.0.0.0', '127.0.0.1') + path)).status).to.equal(expected ? 200 : 404);
        }
        expect(lines.some((line) => line.includes('the console is not available'))).to.equal(
          !served.includes(true as never),
        );
      } finally {
        await platform.stop();
      }
    });

  it('can be left out', async () => {
    const platform = await startPlatform({ platform: { plugins: { console: false } } });
    try {
      expect((await fetch(`${platform.url}/console`)).status).to.equal(404);
      expect(await (await fetch(platform.url)).text()).not.to.contain('/console');
    } finally {
      await platform.stop();
    }
  });
});
