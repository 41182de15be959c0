import { expect } from 'chai';
import { kernelScopes } from '../../../kernel/access.ts';
import type { Route } from '../../../kernel/index.ts';
import { builtin } from '../../helpers/shipped.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { browserCall, ownPage, signIn } from './browser-call.ts';

const orb = 'demo.echo@1.0.0';

/** What takes the key itself; `key`: the answer to a key, which shows that nothing else refused the session. */
const rows: readonly {
  readonly route: string;
  readonly path?: string;
  readonly body?: object;
  readonly key: number;
  readonly session?: number;
}[] = [
  { route: 'POST /policies/-/activate', body: {}, key: 404 },
  { route: 'POST /policies/-/rollback', body: {}, key: 404 },
  { route: 'DELETE /policies/{id}', path: '/policies/nothing', key: 404 },
  { route: 'PUT /policies/{id}/mode', path: '/policies/nothing/mode', body: { mode: 'warn' }, key: 404 },
  { route: 'POST /signing-keys/rotate', body: { role: 'receipt' }, key: 200 },
  {
    route: 'POST /signing-keys/{kid}/revoke',
    path: `/signing-keys/${'x'.repeat(43)}/revoke`,
    body: { reason: 'x' },
    key: 404,
  },
  { route: 'POST /console/links', key: 201 },
  { route: 'POST /keys', body: { scopes: ['*'] }, key: 201 },
  { route: 'POST /keys', body: { scopes: ['runs:read', 'policies:activate'] }, key: 201 },
  { route: 'POST /keys', body: { scopes: ['signing-keys:manage'] }, key: 201 },
  { route: 'POST /keys', body: { scopes: ['marketplace:publish'] }, key: 201 },
  { route: 'POST /keys', body: { scopes: ['keys:manage'] }, key: 201 },
  { route: 'POST /keys', body: { scopes: ['nodes:manage'] }, key: 201 },
  { route: 'POST /keys', body: { scopes: ['providers:manage'] }, key: 201 },
  { route: 'POST /keys', body: { scopes: ['runs:read'] }, key: 201, session: 201 },
  { route: 'POST /nodes/{name}/leave', path: '/nodes/nothing/leave', body: { confirm: 'nothing' }, key: 404 },
  { route: 'PUT /providers/{name}', path: '/providers/added', body: { adapter: 'email/outbox' }, key: 201 },
  { route: 'DELETE /providers/{name}', path: '/providers/nothing', key: 404 },
  {
    route: 'PUT /providers/{orb_id}/order',
    path: '/providers/no.such@1.0.0/order',
    body: { standbys: ['one'] },
    key: 404,
  },
  { route: 'DELETE /providers/{orb_id}/order', path: '/providers/no.such@1.0.0/order', key: 404 },
  ...['yanked', 'removed'].map((status) => ({
    route: 'PATCH /marketplace/orbs/{orb_id}/status',
    path: '/marketplace/orbs/no.such@1.0.0/status',
    body: { status, reason: 'a reason', ...(status === 'removed' ? { cause: 'legal' } : {}) },
    key: 404,
  })),
  {
    route: 'PATCH /marketplace/orbs/{orb_id}/status',
    path: `/marketplace/orbs/${orb}/status`,
    body: { status: 'deprecated', reason: 'a reason' },
    key: 404,
    session: 404,
  },
];

describe('what takes the key itself', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  let cookie: string;
  before(async () => {
    platform = await startPlatform();
    cookie = await signIn(platform.url, platform.adminKey);
  });
  after(() => platform.stop());

  for (const { route, path, body, key, session = 403 } of rows) {
    const [method = '', pattern = ''] = route.split(' ');
    const to = path ?? pattern;
    it(`${method} ${to} ${JSON.stringify(body ?? '')}: ${session} with a session, ${key} with the key`, async () => {
      const asked = await browserCall(platform.url + to, { method, body, headers: { ...ownPage, cookie } });
      expect(asked.status).to.equal(session);
      if (session === 403) expect(asked.body.code).to.equal('key_required');
      expect((await platform.call(method, to, body)).status).to.equal(key);
    });
  }

  it('is each route that declares it, and their scopes are given to new keys by the key alone', () => {
    const titleOf = ({ method, path }: Route): string => `${method} ${path}`;
    const declared = platform.kernel.routes.filter((route) => route.keyAgain === true);
    expect(declared.filter((route) => !rows.some((row) => row.route === titleOf(route))).map(titleOf)).to.deep.equal(
      [],
    );
    const known = Object.assign({}, kernelScopes, ...builtin.plugins.map(({ scopes }) => scopes)) as Record<
      string,
      { keyAgain?: true }
    >;
    const guarded = Object.keys(known).filter((name) => known[name]?.keyAgain === true);
    for (const route of declared)
      for (const scope of [route.scope ?? []].flat()) expect(guarded, titleOf(route)).to.include(scope);
  });
});
