import { expect } from 'chai';
import { decide, holds, matchesOrb, requireAnyScope, type AccessRequest, type Decision } from '../../kernel/access.ts';
import { createHooks } from '../../kernel/hooks.ts';

const principal = { id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes: ['*'], mode: 'live' } as const;
const request: AccessRequest = {
  subject: { type: 'principal', ...principal },
  action: { name: 'execute' },
  resource: { type: 'orb', id: 'notify.email@1.0.0' },
  context: {},
};

describe('a decision', () => {
  const decided = async (answer: unknown): Promise<boolean> => {
    const hooks = createHooks({ failed: () => undefined });
    hooks.taps({ deciding: true }).authorize.tap('policy', () => answer as Decision);
    return (await decide(hooks.authorize(request))).allow;
  };
  const rest = { policies: [], warns: 0, shadow_denies: 0 };

  it('allows by true alone, whatever else a plugin may answer', async () => {
    expect(await decided({ ...rest, allow: true })).to.equal(true);
    for (const allow of [1, 'true', 'yes', {}, [], false, 0, '', undefined])
      expect(await decided({ ...rest, allow }), JSON.stringify(allow)).to.equal(false);
  });

  it('does not allow what people must approve first', async () => {
    expect(await decided({ ...rest, allow: true, asks: [] })).to.equal(false);
  });

  it('is a denial when nobody answers', async () => {
    expect(await decided(undefined)).to.equal(false);
  });
});

describe('a scope', () => {
  it('narrowed to a namespace covers its Orbs and no name that begins alike', () => {
    expect(holds(['orbs:execute:notify.*'], 'orbs:execute', 'notify.email@1.0.0')).to.equal(true);
    for (const target of ['notifyx.email@1.0.0', 'other.notify.email@1.0.0', undefined])
      expect(holds(['orbs:execute:notify.*'], 'orbs:execute', target)).to.equal(false);
    expect(holds(['orbs:execute:notify.*'], 'orbs:executes', 'notify.email@1.0.0')).to.equal(false);
    expect([
      matchesOrb('notify.email@1.0.0', 'notify.email@1.0.0'),
      matchesOrb('a.b@1.0.0', 'a.b@1.0.01'),
    ]).to.deep.equal([true, false]);
  });

  it('of several is enough, and none is refused', () => {
    const of = (...scopes: string[]) => ({ ...principal, scopes });
    expect(() => requireAnyScope(of('a:read'), ['b:read', 'a:read'])).not.to.throw();
    expect(() => requireAnyScope(of('a:read'), ['b:read', 'c:read'])).to.throw(/one of the scopes/);
    expect(() => requireAnyScope(of(), 'b:read')).to.throw(/needs the scope b:read/);
  });
});
