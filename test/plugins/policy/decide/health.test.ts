import { expect } from 'chai';
import type { PolicyInfo } from '../../../../plugins/policy/contract.ts';
import type { Engine } from '../../../../plugins/policy/decide/engine.ts';
import { healthOf } from '../../../../plugins/policy/decide/health.ts';

describe('the health of policy', () => {
  const allowing = { mode: 'enforce', rules: ['allow'] } as const;
  const asking = { id: 'a', mode: 'enforce', rules: ['ask'] } as const;
  const groups = new Map([['office', { members: ['prn_1'], links: false }]]);
  const rejected = { digest: 'd', at: '', diagnostics: [] };
  const rows: readonly (readonly [
    name: string,
    { readonly policies?: readonly Partial<PolicyInfo>[]; readonly rejected?: object; readonly deciding?: false },
    health: string,
    refuses?: true,
  ])[] = [
    ['up with a policy that can allow a run', { policies: [allowing] }, 'up'],
    ['up when that policy is of runs alone', { policies: [{ ...allowing, action: 'execute' }] }, 'up'],
    ['up when it allows and denies', { policies: [{ ...allowing, rules: ['deny', 'allow'] }] }, 'up'],
    ['up when another one allows', { policies: [{ ...allowing, mode: 'warn' }, allowing] }, 'up'],
    ['up while the folder is not served', { policies: [allowing], rejected }, 'up'],
    ['degraded without a policy', { policies: [] }, 'degraded', true],
    ['degraded when policies only deny', { policies: [{ ...allowing, rules: ['deny'] }] }, 'degraded', true],
    ['degraded when policies only watch', { policies: [{ ...allowing, mode: 'shadow' }] }, 'degraded', true],
    ['degraded when they allow swaps only', { policies: [{ ...allowing, action: 'swap' }] }, 'degraded', true],
    ['up when a policy asks a known group', { policies: [allowing, { ...asking, approvers: ['office'] }] }, 'up'],
    ['degraded when it asks another', { policies: [allowing, { ...asking, approvers: ['nobody'] }] }, 'degraded'],
    [
      'up when that policy only watches',
      { policies: [allowing, { ...asking, mode: 'shadow', approvers: ['x'] }] },
      'up',
    ],
    ['up when another plugin decides', { policies: [{ ...asking, approvers: ['nobody'] }], deciding: false }, 'up'],
    ['up without a policy when another plugin decides', { policies: [], deciding: false }, 'up'],
    ['up then while the folder is not served', { policies: [], rejected, deciding: false }, 'up'],
    ['down without a revision', { rejected }, 'down', true],
    ['down without a revision, refusing nothing, when another plugin decides', { deciding: false }, 'down'],
  ];
  for (const [name, { policies, rejected: folder, deciding = true }, health, refuses] of rows)
    it(`is ${name}`, () => {
      const active = policies === undefined ? undefined : { policies };
      const found = healthOf({ active, rejected: folder } as unknown as Engine, { deciding, groups });
      expect([found.health, found.refuses_runs]).to.deep.equal([health, refuses]);
    });

  it('refuses runs while the policies must be compiled again', () => {
    const engine = { active: { policies: [allowing] }, outdated: true } as unknown as Engine;
    expect(healthOf(engine, { deciding: true, groups })).to.include({ health: 'degraded', refuses_runs: true });
    expect(healthOf(engine, { deciding: false, groups })).to.deep.equal({ health: 'up' });
  });

  it('is degraded when a policy asks and nobody can be asked', () => {
    const engine = { active: { policies: [allowing, { ...asking, approvers: ['office'] }] } } as unknown as Engine;
    expect(healthOf(engine, { deciding: true, groups: undefined })).to.deep.equal({
      health: 'degraded',
      reason: 'the policy a asks a group that is not configured, and denies',
    });
  });
});
