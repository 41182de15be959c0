import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkSchemas } from '../kernel/http/route/parameters.ts';
import type { Route } from '../kernel/index.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';
import { describingRoutes } from './helpers/shipped.ts';

/**
 * What an answer bears beside what every answer bears (see `expectAll`):
 * - `open`: any site may read it (CORS `*`); never with credentials, never by a preflight
 * - `own`: no site but this one may read it
 * - `by key`: `open` to everybody; with a key it is the caller's own: not kept anywhere, not read by other sites
 * - `picture`: an image for any site, with and without a key; inside it nothing is loaded and no script runs
 * - `page`: HTML that loads nothing from elsewhere, stands in no frame and tells no other site where it was left from
 */
type Bearing = 'open' | 'own' | 'by key' | 'picture' | 'page';

/** Every public route. A second member: nothing is there to be shown, so the problem's headers are looked at. */
const publicRoutes: Readonly<Record<string, readonly [Bearing, 'problem'?]>> = {
  'GET /health': ['own'],
  'GET /health/ready': ['own'],
  'POST /receipts/verify': ['own', 'problem'],
  'GET /approvals/{approval_id}/page': ['page'],
  'GET /approvals/links/{token}': ['own', 'problem'],
  'POST /approvals/links/{token}': ['own', 'problem'],
  'GET /log/checkpoint': ['open'],
  'GET /log/vkey': ['open'],
  'GET /log/tile/{level}/{first}': ['open', 'problem'],
  'GET /log/tile/{level}/{first}/{second}': ['open'],
  'GET /log/tile/{level}/{first}/{second}/{third}': ['open', 'problem'],
  'GET /log/tile/{level}/{first}/{second}/{third}/{fourth}': ['open', 'problem'],
  'GET /log/proof/inclusion': ['open'],
  'GET /log/proof/consistency': ['open'],
  'GET /log/policy': ['open'],
  'GET /log/shards': ['open'],
  'GET /log/{shard}/checkpoint': ['open'],
  'GET /log/{shard}/vkey': ['open'],
  'GET /log/{shard}/tile/{level}/{first}': ['open', 'problem'],
  'GET /log/{shard}/tile/{level}/{first}/{second}': ['open'],
  'GET /log/{shard}/tile/{level}/{first}/{second}/{third}': ['open', 'problem'],
  'GET /log/{shard}/tile/{level}/{first}/{second}/{third}/{fourth}': ['open', 'problem'],
  'GET /log/{shard}/proof/inclusion': ['open'],
  'GET /log/{shard}/proof/consistency': ['open'],
  'GET /.well-known/jwks.json': ['open'],
  'GET /.well-known/callback-keys.json': ['open'],
  'GET /.well-known/oauth-protected-resource/orbisets/{id}/mcp': ['open'],
  'GET /verify': ['page'],
  'GET /reputation/{orb_id}': ['by key'],
  'GET /reputation/{orb_id}/history': ['by key'],
  'GET /reputation/{orb_id}/manifest': ['by key'],
  'GET /reputation/{orb_id}/evidence': ['by key'],
  'GET /reputation/{orb_id}/certificate': ['by key', 'problem'],
  'GET /reputation/{orb_id}/badge': ['picture'],
  'GET /reputation/{orb_id}/badge.json': ['open'],
  'GET /scoring/orb-score/1': ['open'],
  'GET /certificates/{id}': ['open', 'problem'],
  'GET /status-lists/{n}': ['open'],
  'POST /certificates/verify': ['own', 'problem'],
  'GET /.well-known/did.json': ['open'],
  'GET /contexts/orb-cert/v1': ['open'],
  'GET /schemas/orb-certificate-1.json': ['open'],
  'POST /hooks/{source_token}': ['own', 'problem'],
  'PUT /hooks/{source_token}': ['own', 'problem'],
  'GET /hooks/{source_token}': ['own', 'problem'],
  'OPTIONS /hooks/{source_token}': ['own', 'problem'],
  'OPTIONS /orbisets/{id}/mcp': ['own'],
  'GET /marketplace/orbs/public': ['open'],
  'GET /marketplace': ['page'],
  'GET /marketplace/{orb_id}': ['page'],
  'POST /console/session': ['own', 'problem'],
  'POST /console/session/link': ['own', 'problem'],
  'GET /verify/verifier.js': ['own'],
  'GET /clients': ['page'],
  'GET /clients/retry.json': ['own'],
  'GET /clients/simple/{project}': ['own', 'problem'],
  'GET /clients/{file}': ['own', 'problem'],
  'GET /console': ['page'],
  'GET /console/{screen}': ['page'],
  'GET /console/{screen}/{item}': ['page'],
  'GET /console/{screen}/{item}/{part}': ['page'],
  'GET /console/app.js': ['own'],
  'GET /console/app/{part}': ['own', 'problem'],
  'GET /console/app.css': ['own'],
  'GET /console/theme.css': ['own'],
  'GET /docs': ['page'],
  'GET /docs/api': ['page'],
  'GET /docs/search': ['page'],
  'GET /docs/{page}': ['page'],
  'GET /docs/{section}/{subpage}': ['page'],
  'GET /status': ['open'],
  'GET /status/formula': ['open'],
  'GET /status/history': ['open'],
  'GET /status.html': ['page'],
  'GET /status/history.html': ['page'],
  'GET /status/feed.atom': ['open'],
  'GET /api/v2/status.json': ['open'],
  'GET /api/v2/summary.json': ['open'],
  'GET /api/v2/components.json': ['open'],
  'GET /api/v2/incidents.json': ['open'],
  'GET /api/v2/incidents/unresolved.json': ['open'],
  'GET /': ['page'],
  'GET /favicon.ico': ['picture'],
  'GET /logo': ['picture'],
  'GET /robots.txt': ['own'],
  'GET /llms.txt': ['own'],
  'GET /problems/{code}': ['open'],
  'GET /openapi.json': ['open'],
};

const orbId = 'demo.echo@1.0.0';
const elsewhere = 'https://elsewhere.example';
const queries: Readonly<Record<string, string>> = {
  ...{ inclusion: '?index=0', consistency: '?from=1&to=2' },
  // A stream without an end, but for a run that has ended.
  events: '?run_id={run_id}',
};
const titleOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

describe('the schemas of every route', () => {
  it('compile: those that ship are compiled when they are first used', async () => {
    const platform = await startPlatform();
    try {
      for (const route of platform.kernel.routes) expect(() => checkSchemas(route), titleOf(route)).not.to.throw();
    } finally {
      await platform.stop();
    }
  });
});

describe('a plugin from elsewhere', () => {
  it('with a schema that is wrong stops the boot, by the name of its route', async () => {
    const home = mkdtempSync(join(tmpdir(), 'orb-'));
    const route = `{ method: 'POST', path: '/watch', service: 'runtime', public: true, summary: 'Watch',
      body: { type: 'object', required: 'text' }, problems: [], handle: () => ({}) }`;
    const file = `export default (api) => api.definePlugin({ name: 'watch', start: () => ({ routes: [api.defineRoute(${route})] }) });`;
    writeFileSync(join(home, 'watch.js'), file);
    try {
      const error = await startPlatform({ home, platform: { plugins: { watch: { from: './watch.js' } } } }).catch(
        (thrown: unknown) => thrown,
      );
      expect(String(error)).to.match(/POST \/watch: .*schema is invalid/);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});

describe('the headers of every route', function () {
  this.timeout(120_000);
  let platform: TestPlatform;
  let routes: readonly Route[];
  let values: Readonly<Record<string, string>>;

  before(async () => {
    platform = await startPlatform();
    routes = [...platform.kernel.routes, ...describingRoutes];
    const ran = await platform.call('POST', '/orbisets/default/execute', { orb_id: orbId, inputs: { text: 'x' } });
    expect((await platform.call('POST', '/marketplace/orbs/publish', { orb_id: orbId })).status).to.equal(201);
    values = {
      ...{ orb_id: orbId, run_id: ran.body.run_id, receipt_id: ran.body.receipt.receipt_id },
      // The tile of the first leaf alone: the only one that a log of any size has.
      ...{ shard: '0', level: '0', first: '000.p', second: '1', n: '1', code: 'rate_limited' },
      ...{ page: 'providers', section: 'reference', subpage: 'scopes' },
    };
    for (;;) {
      const { status } = await platform.call('GET', `/reputation/${orbId}`, undefined, null);
      if (status === 200) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  after(() => platform.stop());

  async function ask(method: string, path: string, more: Readonly<Record<string, string>> = {}): Promise<Response> {
    const asked = path + (queries[path.split('/').at(-1) ?? ''] ?? '');
    const url = platform.url + asked.replace(/\{([^}]+)\}/g, (_, name: string) => values[name] ?? 'x');
    for (;;) {
      const answer = await fetch(url, { method, redirect: 'manual', headers: { origin: elsewhere, ...more } });
      await answer.arrayBuffer();
      // More routes than an address may read in a second; who has no key may fail 60 times a minute.
      if (answer.status !== 429 || 'without' in more) return answer;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const withKey = (): Readonly<Record<string, string>> => ({ authorization: `Bearer ${platform.adminKey}` });

  /** What every answer bears: no guessing of types, a word on keeping it, an id; nothing of the program's making. */
  function expectAll({ headers }: Response, title: string): void {
    expect(headers.get('x-content-type-options'), title).to.equal('nosniff');
    expect(headers.get('cache-control'), title).not.to.equal(null);
    expect(headers.get('x-request-id'), title).not.to.equal(null);
    for (const name of ['server', 'x-powered-by', 'set-cookie', 'access-control-allow-credentials'])
      expect(headers.get(name), `${title}: ${name}`).to.equal(null);
    expect(headers.get('access-control-allow-origin'), title).to.be.oneOf([null, '*']);
  }

  function expectOwn(answer: Response, title: string): void {
    expectAll(answer, title);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
  }

  function expectKept(answer: Response, title: string): void {
    expectOwn(answer, title);
    expect(answer.headers.get('cache-control'), title).to.match(/(^|[ ,])no-store(, no-transform)?$/);
  }

  function expectBearing(answer: Response, bearing: Bearing, title: string): void {
    if (bearing === 'own' || bearing === 'page') expectOwn(answer, title);
    else {
      expectAll(answer, title);
      expect(answer.headers.get('access-control-allow-origin'), title).to.equal('*');
    }
    const policy = answer.headers.get('content-security-policy');
    const type = answer.headers.get('content-type') ?? '';
    expect(/^text\/html/.test(type), title).to.equal(bearing === 'page');
    expect(/svg/.test(type), title).to.equal(bearing === 'picture');
    if (bearing === 'picture') expect(policy, title).to.match(/^default-src 'none';.* sandbox$/);
    if (bearing === 'page') {
      for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"])
        expect(policy, title).to.contain(part);
      expect(policy, title).to.match(/style-src (?:'sha256-|'self';)/);
      expect(policy, title).not.to.match(/unsafe|\*|https?:/);
      expect(answer.headers.get('referrer-policy'), title).to.equal('no-referrer');
      expect(answer.headers.get('cross-origin-opener-policy'), title).to.equal('same-origin');
    }
  }

  it('are known: the table above names the public routes, and no other', () => {
    const open = routes.filter((route) => route.public === true);
    expect(Object.keys(publicRoutes)).to.have.members(open.map(titleOf));
    const byKey = Object.entries(publicRoutes).flatMap(([title, [bearing]]) => (bearing === 'by key' ? [title] : []));
    const optional = open.filter((route) => route.optionalKey === true).map(titleOf);
    // A badge says the same to whoever may see it; the pages of approvals are for no other site, with a key or without.
    expect(byKey).to.have.members(optional.filter((title) => !/\/badge|\/approvals\//.test(title)));
  });

  for (const [title, [bearing, problem]] of Object.entries(publicRoutes))
    it(`${title}: ${bearing}${problem === undefined ? '' : ', as a problem'}`, async () => {
      const [method = '', path = ''] = title.split(' ');
      const answer = await ask(method, path);
      if (problem === undefined) {
        expect(answer.status, title).to.equal(200);
        expectBearing(answer, bearing, title);
      } else {
        expect(answer.headers.get('content-type'), title).to.equal('application/problem+json');
        expectKept(answer, title);
      }
      if (bearing !== 'by key') return;
      const known = await ask(method, path, withKey());
      expectKept(known, `${title} with a key`);
      for (const one of problem === undefined ? [answer, known] : [])
        expect(one.headers.get('vary'), title).to.match(/^Authorization(, Accept)?(, Accept-Encoding)?$/);
    });

  it('that needs a key: its answers are kept nowhere and read by no other site, with a key and without', async () => {
    const closed = routes.filter((route) => route.public !== true);
    expect(closed).to.have.length.above(60);
    for (const route of closed) {
      const refused = await ask(route.method, route.path, { without: 'a key' });
      expect(refused.status, titleOf(route)).to.be.oneOf([401, 429]);
      expectKept(refused, `${titleOf(route)} without a key`);
      // A search needs words.
      const path = route.path === '/search' ? '/search?q=a' : route.path;
      const answer = await ask(route.method, path, withKey());
      expect(answer.status, titleOf(route)).not.to.equal(401);
      expectKept(answer, titleOf(route));
      const isList = route.method === 'GET' && !/\{|export/.test(route.path);
      if (isList) expect(answer.status, titleOf(route)).to.equal(200);
      expect(answer.headers.get('content-type') ?? '', titleOf(route)).not.to.match(/html|svg/);
    }
  });

  it('grant no preflight: a page of another site can send no key', async () => {
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    for (const path of new Set(routes.map((route) => route.path))) {
      const answer = await ask('OPTIONS', path, asked);
      expectKept(answer, `OPTIONS ${path}`);
      // The route of MCP answers browsers itself; it allows the origins that its setting names, here none.
      const status = path.startsWith('/hooks/') ? 404 : path === '/orbisets/{id}/mcp' ? 200 : 204;
      expect(answer.status, path).to.equal(status);
    }
  });

  it('of what is no route are those of a problem', async () => {
    for (const [method = '', path = ''] of [
      ['GET', '/nothing'],
      ['DELETE', '/health'],
    ])
      expectKept(await ask(method, path), `${method} ${path}`);
  });
});
