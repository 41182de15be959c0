import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import type { Answer } from '../../../helpers/platform.ts';
import { expectProblem, startCallers, type Callers } from '../callers.ts';

const manage = 'keys:manage';

describe('api-keys/routes', () => {
  let callers: Callers;

  before(async () => {
    callers = await startCallers();
  });

  after(() => callers.stop());

  describe('reading', () => {
    it('shows another tenant nothing: the key is not found', async () => {
      const mine = await callers.create({ scopes: ['orbs:read'] });
      const path = `/keys/${mine['key_id']}`;
      expect((await callers.call('GET', path, undefined, callers.keys.manager)).status).to.equal(200);
      expectProblem(await callers.call('GET', path, undefined, callers.keys.acme), 404, 'key_not_found');
      expectProblem(await callers.call('GET', '/keys/key_x'), 404, 'key_not_found');
    });

    it('never answers the hash', async () => {
      const mine = await callers.create({ scopes: ['orbs:read'] });
      expect((await callers.call('GET', `/keys/${mine['key_id']}`)).body).not.to.have.any.keys('key', 'hash', 'admin');
    });

    it('pages through all keys of the tenant, newest first, each once', async () => {
      for (const name of ['one', 'two']) await callers.create({ name, scopes: ['orbs:read'] }, 'acme');
      const seen: { key_id: string; tenant: string }[] = [];
      let path: string | undefined = '/keys?limit=2';
      while (path !== undefined) {
        const answer: Answer = await callers.call('GET', path, undefined, callers.keys.acme);
        expect(answer.status).to.equal(200);
        const page = answer.body as { keys: typeof seen; next_cursor?: string };
        seen.push(...page.keys);
        path = page.next_cursor === undefined ? undefined : `/keys?limit=2&cursor=${page.next_cursor}`;
        expect(answer.headers.get('link')).to.equal(path === undefined ? null : `<${path}>; rel="next"`);
      }
      const ids = seen.map(({ key_id }) => key_id);
      expect(ids.length).to.be.greaterThan(2);
      expect(ids).to.deep.equal([...new Set(ids)].sort().reverse());
      expect(new Set(seen.map(({ tenant }) => tenant))).to.deep.equal(new Set(['acme']));
    });

    it('lists the scopes, and says which of them the asking key may grant', async () => {
      interface Listed {
        readonly scope: string;
        readonly grantable: boolean;
        readonly narrowable: boolean;
        readonly installation: boolean;
        readonly title: string;
      }
      const list = async (key?: string) =>
        ((await callers.call('GET', '/keys/scopes', undefined, key)).body as { scopes: Listed[] }).scopes;
      const all = await list();
      expect(all.every(({ grantable, title }) => grantable && title !== '')).to.equal(true);
      expect(all.map(({ scope }) => scope)).to.include.members(['*', manage, 'orbs:execute', 'providers:swap']);
      const mine = (await list(callers.keys.manager)).filter(({ grantable }) => grantable);
      expect(mine.map(({ scope }) => scope))
        .to.include(manage)
        .and.not.include('*')
        .and.not.include('providers:swap');
      expect(all.find(({ scope }) => scope === 'orbs:execute')).to.include({ narrowable: true, installation: false });
    });

    it('shows an admin all tenants', async () => {
      const { keys: all } = (await callers.call('GET', '/keys?limit=100')).body as { keys: { tenant: string }[] };
      expect(new Set(all.map(({ tenant }) => tenant))).to.deep.equal(new Set(['default', 'acme']));
    });

    for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'cursor=a2V5X3g', 'offset=1'])
      it(`refuses ?${query}`, async () => {
        expectProblem(await callers.call('GET', `/keys?${query}`), 400, 'invalid_parameter');
      });

    it('tells when a key was last used', async () => {
      const mine = await callers.create({ scopes: [manage] });
      const path = `/keys/${mine['key_id']}`;
      expect((await callers.call('GET', path)).body).not.to.have.property('last_used_at');
      await callers.call('GET', path, undefined, mine['key']);
      // The use is one write ahead of this one, and writes commit in order.
      await callers.create({ scopes: ['orbs:read'] });
      expect((await callers.call('GET', path)).body).to.have.property('last_used_at');
    });
  });

  describe('revoking', () => {
    it('ends a key at once and keeps its record', async () => {
      const mine = await callers.create({ scopes: [manage] });
      const path = `/keys/${mine['key_id']}`;
      expect((await callers.call('GET', path, undefined, mine['key'])).status).to.equal(200);
      expect((await callers.call('DELETE', path)).status).to.equal(204);
      expectProblem(await callers.call('GET', path, undefined, mine['key']), 401, 'unauthenticated');
      expect((await callers.call('GET', path)).body).to.have.property('revoked_at');
      expect((await callers.call('DELETE', path)).status).to.equal(204);
    });

    it('a key may revoke itself', async () => {
      const mine = await callers.create({ scopes: [manage] });
      expect((await callers.call('DELETE', `/keys/${mine['key_id']}`, undefined, mine['key'])).status).to.equal(204);
    });

    it('ends also the requests whose body the key still withholds', async () => {
      const mine = await callers.create({ scopes: [manage] });
      const body = JSON.stringify({ name: 'successor', scopes: [manage] });
      const call = request(`${callers.url}/keys`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${mine['key']}`, 'content-type': 'application/json' },
          ...{ 'content-length': body.length, expect: '100-continue' },
        },
      });
      call.flushHeaders();
      // The server has the head, and the key was valid.
      await once(call, 'continue');
      call.write(body.slice(0, -1));
      expect((await callers.call('DELETE', `/keys/${mine['key_id']}`)).status).to.equal(204);
      call.end(body.slice(-1));
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      expect(answer.resume().statusCode).to.equal(401);
      expect(JSON.stringify((await callers.call('GET', '/keys?limit=100')).body)).not.to.include('successor');
    });

    it('does not reach into another tenant', async () => {
      const mine = await callers.create({ scopes: ['orbs:read'] });
      const path = `/keys/${mine['key_id']}`;
      expectProblem(await callers.call('DELETE', path, undefined, callers.keys.acme), 404, 'key_not_found');
      expect((await callers.call('GET', path)).body).not.to.have.property('revoked_at');
    });

    it('does not reach a key that may do more than the caller', async () => {
      const strong = await callers.create({ scopes: ['orbs:read', 'runs:read', 'receipts:read'] });
      const path = `/keys/${strong['key_id']}`;
      expectProblem(
        await callers.call('DELETE', path, undefined, callers.keys.manager),
        403,
        'insufficient_scope',
        'runs:read, receipts:read',
      );
      expect((await callers.call('GET', path)).body).not.to.have.property('revoked_at');
    });

    it('tells a caller that may manage no keys all that it needs, and nothing of the key', async () => {
      const strong = await callers.create({ scopes: ['orbs:read', 'runs:read'] });
      const ask = (method: string, path: string, body?: object) =>
        callers.call(method, path, body, callers.keys.reader);
      for (const id of [strong['key_id'], 'key_x']) {
        const answer = await ask('DELETE', `/keys/${id}`);
        expectProblem(answer, 403, 'insufficient_scope', 'the key needs the scope keys:manage');
        expectProblem(answer, 403, 'insufficient_scope', 'it must also have each scope of the key that it revokes');
        expect(JSON.stringify(answer.body)).not.to.include('runs:read');
      }
      const created = await ask('POST', '/keys', { name: 'mine', scopes: ['runs:read'] });
      expectProblem(created, 403, 'insufficient_scope', 'it must also have each scope that it grants');
      const scheduled = await ask('POST', '/orbisets/default/schedules', {});
      expectProblem(scheduled, 403, 'insufficient_scope', 'it must also have orbs:execute for the Orb');
    });

    it('a test key revokes test keys only', async () => {
      const live = await callers.create({ scopes: ['orbs:read'] });
      const test = await callers.create({ scopes: ['orbs:read'], mode: 'test' });
      const answer = await callers.call('DELETE', `/keys/${live['key_id']}`, undefined, callers.keys.tester);
      expectProblem(answer, 403, 'insufficient_scope', 'a test key cannot revoke');
      expect((await callers.call('DELETE', `/keys/${test['key_id']}`, undefined, callers.keys.tester)).status).to.equal(
        204,
      );
    });

    it('leaves the last live admin key, which goes on working; a second one frees it', async () => {
      const { keys: all } = (await callers.call('GET', '/keys?limit=100')).body as { keys: Record<string, string>[] };
      const first = all.find(({ name }) => name === 'admin')?.['key_id'];
      expectProblem(await callers.call('DELETE', `/keys/${first}`), 409, 'last_admin_key');
      expect((await callers.call('GET', '/keys')).status).to.equal(200);
      const second = await callers.create({ name: 'second admin', scopes: ['*'] });
      const codes = await Promise.all([first, second['key_id']].map((id) => callers.call('DELETE', `/keys/${id}`)));
      // One goes; the other is refused, as the last one or because its caller has just gone.
      const [gone, refused] = codes.map(({ status }) => status).sort();
      expect([gone, refused === 409 || refused === 401]).to.deep.equal([204, true]);
    });
  });

  for (const [name, key] of [
    ['no key', null],
    ['a malformed key', 'orb_live_nonsense'],
    ['a well-formed key nobody has', `orb_live_${'0'.repeat(32)}0mJc35`],
  ] as const)
    it(`answers ${name} with 401`, async () => {
      expectProblem(await callers.call('GET', '/keys', undefined, key), 401, 'unauthenticated');
    });
});
