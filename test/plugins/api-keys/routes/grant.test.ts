import { expect } from 'chai';
import type { KeyMode, Scopes } from '../../../../kernel/index.ts';
import { isScope, refuseGrant, refuseStronger } from '../../../../plugins/api-keys/routes/grant.ts';

const known: Scopes = {
  'orbs:execute': { title: 'Run Orbs', narrowable: true },
  'orbs:read': { title: 'Read Orbs' },
  'keys:manage': { title: 'Manage keys' },
  'metrics:read': { title: 'Read the metrics', installation: true },
  'probes:run': { title: 'Run probes', installation: true, narrowable: true },
};

interface Row {
  readonly held: readonly string[];
  readonly wants: readonly string[];
  readonly tenant?: string;
  readonly mode?: KeyMode;
  readonly callerMode?: KeyMode;
  /** Part of the sentence that refuses; absent: allowed. */
  readonly why?: string;
}

// The caller is of the tenant acme.
const grants: readonly Row[] = [
  { held: ['*'], wants: ['*'] },
  { held: ['*'], wants: ['metrics:read', 'orbs:execute:notify.*'] },
  { held: ['*'], wants: ['orbs:read'], tenant: 'other' },
  { held: ['*'], wants: ['orbs:read'], callerMode: 'test', mode: 'test' },
  { held: ['*'], wants: ['orbs:read'], callerMode: 'test', mode: 'live', why: 'a test key can create only test keys' },
  { held: ['orbs:read'], wants: ['orbs:read'] },
  { held: ['orbs:read'], wants: ['orbs:read'], mode: 'test' },
  {
    held: ['orbs:read'],
    wants: ['orbs:read'],
    callerMode: 'test',
    mode: 'live',
    why: 'a test key can create only test keys',
  },
  { held: ['orbs:read'], wants: ['keys:manage'], why: 'does not have keys:manage' },
  { held: ['orbs:read'], wants: ['orbs:read', 'keys:manage'], why: 'does not have keys:manage' },
  { held: ['orbs:read'], wants: ['orbs:read'], tenant: 'other', why: 'another tenant' },
  { held: Object.keys(known), wants: ['*'], why: 'only a key with * can grant *' },
  { held: ['metrics:read'], wants: ['metrics:read'], why: 'more than one tenant' },
  { held: ['probes:run'], wants: ['probes:run:notify.*'], why: 'more than one tenant' },
  { held: ['orbs:execute'], wants: ['orbs:execute:notify.*'] },
  { held: ['orbs:execute'], wants: ['orbs:execute:notify.email@1.0.0'] },
  { held: ['orbs:execute:notify.*'], wants: ['orbs:execute:notify.*'] },
  { held: ['orbs:execute:notify.*'], wants: ['orbs:execute:notify.sms.*'] },
  { held: ['orbs:execute:notify.*'], wants: ['orbs:execute:notify.email@1.0.0'] },
  { held: ['orbs:execute:notify.*'], wants: ['orbs:execute'], why: 'does not have orbs:execute' },
  { held: ['orbs:execute:notify.*'], wants: ['orbs:execute:billing.*'], why: 'does not have orbs:execute:billing.*' },
  { held: ['orbs:execute:notify.*'], wants: ['orbs:execute:notifyx.*'], why: 'does not have' },
  { held: ['orbs:execute:notify.sms.*'], wants: ['orbs:execute:notify.*'], why: 'does not have orbs:execute:notify.*' },
  { held: ['orbs:execute:notify.email@1.0.0'], wants: ['orbs:execute:notify.*'], why: 'does not have' },
  { held: ['orbs:execute:notify.email@1.0.0'], wants: ['orbs:execute:notify.email@1.0.1'], why: 'does not have' },
  { held: ['orbs:read'], wants: ['orbs:execute:notify.*'], why: 'does not have' },
];

const stronger: readonly (Row & { readonly why?: string })[] = [
  { held: ['*'], wants: ['*'] },
  { held: ['*'], wants: ['gone:scope'] },
  { held: ['keys:manage'], wants: ['*'], why: 'does not have *' },
  { held: ['keys:manage'], wants: ['keys:manage'] },
  { held: ['keys:manage', 'orbs:execute'], wants: ['orbs:execute:notify.*'] },
  { held: ['keys:manage', 'orbs:execute:notify.*'], wants: ['orbs:execute'], why: 'does not have orbs:execute' },
  { held: ['keys:manage'], wants: ['gone:scope'], why: 'does not have gone:scope' },
  { held: ['keys:manage', 'metrics:read'], wants: ['metrics:read'] },
  { held: ['*'], wants: ['orbs:read'], callerMode: 'test', mode: 'live', why: 'a test key cannot revoke it' },
  { held: ['*'], wants: ['orbs:read'], callerMode: 'test', mode: 'test' },
];

const scopes: readonly { readonly scope: string; readonly is: boolean }[] = [
  { scope: '*', is: true },
  { scope: 'orbs:read', is: true },
  { scope: 'orbs:execute:notify.*', is: true },
  { scope: 'orbs:execute:notify.sms.*', is: true },
  { scope: 'orbs:execute:notify.email@1.0.0', is: true },
  { scope: 'orbs:execute:notify.email@1.0.0-rc.1+b2', is: true },
  { scope: 'orbs:execute:notify.email', is: false },
  { scope: 'orbs:execute:*', is: false },
  { scope: 'orbs:execute:.*', is: false },
  { scope: 'orbs:execute:', is: false },
  { scope: 'orbs:execute:Notify.*', is: false },
  { scope: 'orbs:execute:no"tify.*', is: false },
  { scope: 'orbs:read:notify.*', is: false },
  { scope: 'orbs:*', is: false },
  { scope: 'orbs', is: false },
  { scope: '', is: false },
  { scope: 'constructor', is: false },
  { scope: '__proto__', is: false },
];

describe('api-keys/grant', () => {
  for (const { held, wants, tenant = 'acme', mode = 'live', callerMode = 'live', why } of grants) {
    const wanted = `a ${mode} key with ${wants.join(' ')}${tenant === 'acme' ? '' : ' elsewhere'}`;
    it(`a ${callerMode} key with ${held.join(' ')} ${why === undefined ? 'grants' : 'does not grant'} ${wanted}`, () => {
      const caller = { scopes: held, tenant: 'acme', mode: callerMode };
      const refusal = refuseGrant(caller, { scopes: wants, tenant, mode }, known);
      if (why === undefined) expect(refusal).to.equal(undefined);
      else expect(refusal?.detail).to.include(why);
    });
  }

  for (const { held, wants, mode = 'live', callerMode = 'live', why } of stronger)
    it(`a ${callerMode} key with ${held.join(' ')} ${why === undefined ? 'acts' : 'does not act'} on a ${mode} key with ${wants.join(' ')}`, () => {
      const refusal = refuseStronger({ scopes: held, mode: callerMode }, { scopes: wants, mode }, known, 'revoke it');
      if (why === undefined) expect(refusal).to.equal(undefined);
      else expect(refusal?.detail).to.include(why);
    });

  it('names the scope that is missing, unless none would help', () => {
    const caller = { scopes: ['orbs:read'], tenant: 'acme', mode: 'live' } as const;
    const refusal = refuseGrant(caller, { scopes: ['keys:manage'], tenant: 'acme', mode: 'live' }, known);
    expect(refusal?.missing).to.equal('keys:manage');
    const test = refuseGrant({ ...caller, mode: 'test' }, { scopes: [], tenant: 'acme', mode: 'live' }, known);
    expect(test).not.to.equal(undefined);
    expect(test?.missing).to.equal(undefined);
  });

  for (const { scope, is } of scopes)
    it(`${JSON.stringify(scope)} ${is ? 'is' : 'is not'} a scope`, () => {
      expect(isScope(scope, known)).to.equal(is);
    });
});
