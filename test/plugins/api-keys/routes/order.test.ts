import { expect } from 'chai';
import { expectProblem, startCallers, type CallerName, type Callers } from '../callers.ts';

const manage = 'keys:manage';

describe('api-keys/order', () => {
  let callers: Callers;

  before(async () => {
    callers = await startCallers();
  });

  after(() => callers.stop());

  it('a created key is shown once, and works', async () => {
    const body = { name: 'ci', principal_name: 'robot', scopes: [manage], expires_at: '2999-01-01T00:00:00Z' };
    const { key, ...rest } = await callers.create(body);
    expect(key).to.match(/^orb_live_[0-9A-Za-z]{38}$/);
    expect(rest).to.deep.include({
      name: 'ci',
      principal_name: 'robot',
      tenant: 'default',
      scopes: [manage],
      mode: 'live',
      expires_at: '2999-01-01T00:00:00.000Z',
      prefix: `${key?.slice(0, 13)}…`,
    });
    expect(rest['key_id']).to.match(/^key_[0-9A-Z]{26}$/);
    expect(rest['principal']).to.match(/^prn_[0-9A-Z]{26}$/);
    expect(rest['created_by']).to.match(/^prn_[0-9A-Z]{26}$/);
    const read = await callers.call('GET', `/keys/${rest['key_id']}`, undefined, key);
    expect(read.status).to.equal(200);
    expect(read.body).to.deep.include(rest);
    expect(JSON.stringify((await callers.call('GET', '/keys?limit=100')).body)).not.to.include(key);
  });

  it('says that the answer with the key must not be stored on the way', async () => {
    const answer = await callers.call('POST', '/keys', { scopes: ['orbs:read'] });
    expect(answer.headers.get('cache-control')).to.equal('no-store');
  });

  it('a key without a name is called after its principal', async () => {
    const first = await callers.create({ principal_name: 'night job', scopes: ['orbs:read'] });
    const second = await callers.create({ principal: first['principal'], scopes: ['orbs:read'] });
    expect(first['name']).to.equal('night job');
    expect(second['name']).to.equal('night job');
  });

  const refused: readonly {
    readonly name: string;
    readonly by?: CallerName;
    readonly body: object;
    readonly status: number;
    readonly problem: string;
    readonly detail?: string;
    readonly pointer?: string;
  }[] = [
    { name: 'no scopes', body: {}, status: 422, problem: 'invalid_body', pointer: '#/scopes' },
    {
      name: 'an empty list of scopes',
      body: { scopes: [] },
      status: 422,
      problem: 'invalid_body',
      pointer: '#/scopes',
    },
    {
      name: 'an unknown scope',
      body: { scopes: ['orbs:fly'] },
      status: 422,
      problem: 'invalid_body',
      pointer: '#/scopes/0',
    },
    {
      name: 'a scope that cannot be narrowed',
      body: { scopes: ['orbs:read', 'orbs:read:a.*'] },
      status: 422,
      problem: 'invalid_body',
      pointer: '#/scopes/1',
    },
    {
      name: 'an expiry that has passed',
      body: { scopes: ['orbs:read'], expires_at: '2020-01-01T00:00:00Z' },
      status: 422,
      problem: 'invalid_body',
      pointer: '#/expires_at',
    },
    {
      name: 'an expiry that is no time',
      body: { scopes: ['orbs:read'], expires_at: 'tomorrow' },
      status: 422,
      problem: 'invalid_body',
      pointer: '#/expires_at',
    },
    {
      name: 'an unknown field',
      body: { scopes: ['orbs:read'], admin: true },
      status: 422,
      problem: 'invalid_body',
      pointer: '#/admin',
    },
    {
      name: 'a name that would write to a terminal',
      body: { scopes: ['orbs:read'], name: 'a\u001b[2J' },
      status: 422,
      problem: 'invalid_body',
      pointer: '#/name',
    },
    {
      name: 'a malformed tenant',
      body: { scopes: ['orbs:read'], tenant: 'A B' },
      status: 422,
      problem: 'invalid_body',
      pointer: '#/tenant',
    },
    {
      name: 'an unknown principal',
      body: { scopes: ['orbs:read'], principal: 'prn_x' },
      status: 404,
      problem: 'principal_not_found',
    },
    {
      name: 'a name for a principal that exists',
      body: { scopes: ['orbs:read'], principal: 'prn_x', principal_name: 'x' },
      status: 422,
      problem: 'invalid_body',
      pointer: '#/principal_name',
    },
    {
      name: 'a caller without keys:manage',
      by: 'reader',
      body: { scopes: ['orbs:read'] },
      status: 403,
      problem: 'insufficient_scope',
    },
    {
      name: 'a scope the caller does not hold',
      by: 'manager',
      body: { scopes: ['runs:read'] },
      status: 403,
      problem: 'insufficient_scope',
      detail: 'does not have runs:read',
    },
    {
      name: 'a wider scope than the caller holds',
      by: 'sender',
      body: { scopes: ['orbs:execute'] },
      status: 403,
      problem: 'insufficient_scope',
      detail: 'does not have orbs:execute',
    },
    {
      name: '* by a caller without it',
      by: 'manager',
      body: { scopes: ['*'] },
      status: 403,
      problem: 'insufficient_scope',
      detail: 'only a key with *',
    },
    {
      name: 'a scope of the installation by a caller without *',
      by: 'manager',
      body: { scopes: ['metrics:read'] },
      status: 403,
      problem: 'insufficient_scope',
      detail: 'more than one tenant',
    },
    {
      name: 'another tenant by a caller without *',
      by: 'manager',
      body: { scopes: ['orbs:read'], tenant: 'acme' },
      status: 403,
      problem: 'insufficient_scope',
      detail: 'another tenant',
    },
    {
      name: 'a live key by a test key',
      by: 'tester',
      body: { scopes: ['orbs:read'] },
      status: 403,
      problem: 'insufficient_scope',
      detail: 'a test key can create only test keys',
    },
  ];
  for (const { name, by = 'admin', body, status, problem, detail, pointer } of refused)
    it(`refuses ${name}: ${status} ${problem}`, async () => {
      const answer = await callers.call('POST', '/keys', body, callers.keys[by]);
      expectProblem(answer, status, problem, detail);
      const { errors = [] } = answer.body as { errors?: { pointer: string }[] };
      if (pointer !== undefined) expect(errors.map((error) => error.pointer)).to.include(pointer);
    });

  it('a refusal names the missing scope in WWW-Authenticate', async () => {
    const answer = await callers.call('POST', '/keys', { scopes: ['runs:read'] }, callers.keys.manager);
    expect(answer.headers.get('www-authenticate')).to.include('scope="runs:read"');
  });

  const granted: readonly { readonly name: string; readonly by: CallerName; readonly body: object }[] = [
    { name: 'a scope it holds', by: 'manager', body: { scopes: ['orbs:read'] } },
    { name: 'a narrower scope than it holds', by: 'sender', body: { scopes: ['orbs:execute:notify.email@1.0.0'] } },
    { name: 'its own tenant by name', by: 'acme', body: { scopes: ['orbs:read'], tenant: 'acme' } },
    { name: 'a test key as a test key', by: 'tester', body: { scopes: ['orbs:read'], mode: 'test' } },
    { name: 'anything anywhere as an admin', by: 'admin', body: { scopes: ['metrics:read'], tenant: 'acme' } },
  ];
  for (const { name, by, body } of granted)
    it(`lets a key grant ${name}`, async () => {
      await callers.create(body, by);
    });

  it('a key without * makes keys of its own tenant', async () => {
    expect((await callers.create({ scopes: ['orbs:read'] }, 'acme'))['tenant']).to.equal('acme');
  });

  describe('a key for a principal that exists', () => {
    it('speaks for the same principal: rotation', async () => {
      const old = await callers.create({ name: 'old', principal_name: 'robot', scopes: ['orbs:read'] });
      const fresh = await callers.create(
        { name: 'new', principal: old['principal'], scopes: ['orbs:read'] },
        'manager',
      );
      expect(fresh['principal']).to.equal(old['principal']);
      expect(fresh['principal_name']).to.equal('robot');
      expect(fresh['key_id']).not.to.equal(old['key_id']);
    });

    it('takes the tenant of the principal, also when an admin of another tenant makes it', async () => {
      const old = await callers.create({ scopes: ['orbs:read'], tenant: 'acme' });
      const fresh = await callers.create({ principal: old['principal'], scopes: ['orbs:read'] });
      expect(fresh['tenant']).to.equal('acme');
      const elsewhere = { principal: old['principal'], scopes: ['orbs:read'], tenant: 'default' };
      expectProblem(
        await callers.call('POST', '/keys', elsewhere),
        422,
        'invalid_body',
        'must be the tenant of the principal',
      );
    });

    it('cannot be made from another tenant: the principal is not found', async () => {
      const other = await callers.create({ scopes: ['orbs:read'], tenant: 'acme' });
      const body = { principal: other['principal'], scopes: ['orbs:read'] };
      expectProblem(await callers.call('POST', '/keys', body, callers.keys.manager), 404, 'principal_not_found');
    });

    it('cannot be made by a caller that holds less than the principal: no taking over', async () => {
      const strong = await callers.create({ scopes: ['orbs:read', 'runs:read'] });
      const body = { principal: strong['principal'], scopes: ['orbs:read'] };
      const answer = await callers.call('POST', '/keys', body, callers.keys.manager);
      expectProblem(answer, 403, 'insufficient_scope', 'does not have runs:read');
    });

    it('cannot be made by such a caller after the last key of the principal was revoked', async () => {
      const strong = await callers.create({ scopes: ['orbs:read', 'runs:read'] });
      await callers.call('DELETE', `/keys/${strong['key_id']}`);
      const body = { principal: strong['principal'], scopes: ['orbs:read'] };
      expectProblem(await callers.call('POST', '/keys', body, callers.keys.manager), 403, 'insufficient_scope');
    });

    it('asks for the scopes of its live keys alone while there are any', async () => {
      const strong = await callers.create({ scopes: ['orbs:read', 'runs:read'] });
      await callers.create({ principal: strong['principal'], scopes: ['orbs:read'] });
      await callers.call('DELETE', `/keys/${strong['key_id']}`);
      await callers.create({ principal: strong['principal'], scopes: ['orbs:read'] }, 'manager');
    });
  });
});
