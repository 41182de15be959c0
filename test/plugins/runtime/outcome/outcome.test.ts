import { expect } from 'chai';
import {
  deniedEnding,
  refusal,
  settle as settleTried,
  unserved,
  type Tried,
} from '../../../../plugins/runtime/outcome/outcome.ts';
import type { Effect } from '../../../../kernel/provider/upstream.ts';
import type { Outcome } from '../../../../kernel/provider/orb-hook.ts';

const accepted: Outcome = { outcome: 'accepted', outputs: {} };
const failed = (outcome: Exclude<Outcome['outcome'], 'accepted'>, phase?: string): Outcome => ({
  outcome,
  message: 'm',
  ...(phase === undefined ? {} : { phase }),
});
const every: readonly Effect[] = ['none', 'idempotent', 'reversible', 'irreversible'];
const risky: readonly Effect[] = ['reversible', 'irreversible'];

interface Row {
  readonly name: string;
  readonly attempts: readonly Outcome[];
  readonly effects: readonly Effect[];
  readonly deadline?: true;
  readonly is: readonly [status: string, code: string | undefined, outcome: string];
}

// Row by row.
const table: readonly Row[] = [
  { name: 'accepted', attempts: [accepted], effects: every, is: ['completed', undefined, 'accepted'] },
  { name: 'rejected', attempts: [failed('rejected')], effects: every, is: ['failed', 'provider_rejected', 'rejected'] },
  {
    name: 'provider_fault',
    attempts: [failed('provider_fault')],
    effects: every,
    is: ['failed', 'provider_failed', 'provider_fault'],
  },
  ...(['definition_changed', 'tool_gone'] as const).map((phase): Row => ({
    name: `a tool that is not the one of the manifest (${phase})`,
    attempts: [failed('provider_fault', phase)],
    effects: every,
    is: ['failed', 'definition_changed', 'provider_fault'],
  })),
  {
    name: 'another provider, of another definition',
    attempts: [failed('not_sent'), failed('provider_fault', 'other_definition')],
    effects: every,
    is: ['failed', 'invalid_provider', 'provider_fault'],
  },
  {
    name: 'a failure, and a provider that does not have the model',
    attempts: [failed('throttled'), failed('provider_fault', 'model')],
    effects: every,
    is: ['failed', 'provider_unavailable', 'throttled'],
  },
  {
    name: 'providers that do not have the model',
    attempts: [failed('provider_fault', 'model'), failed('provider_fault', 'model')],
    effects: every,
    is: ['failed', 'provider_failed', 'provider_fault'],
  },
  {
    name: 'invalid outputs',
    attempts: [failed('invalid_outputs')],
    effects: every,
    is: ['failed', 'invalid_outputs', 'invalid_outputs'],
  },
  {
    name: 'not_sent',
    attempts: [failed('not_sent')],
    effects: every,
    is: ['failed', 'provider_unavailable', 'not_sent'],
  },
  {
    name: 'throttled',
    attempts: [failed('throttled')],
    effects: every,
    is: ['failed', 'provider_unavailable', 'throttled'],
  },
  {
    name: 'unknown without an effect',
    attempts: [failed('unknown')],
    effects: ['none'],
    is: ['failed', 'provider_failed', 'unknown'],
  },
  {
    name: 'unknown with an effect',
    attempts: [failed('unknown')],
    effects: ['idempotent', ...risky],
    is: ['indeterminate', 'outcome_unknown', 'unknown'],
  },
  {
    name: 'deadline, harmless',
    attempts: [failed('unknown', 'deadline')],
    effects: ['none', 'idempotent'],
    deadline: true,
    is: ['timed_out', 'run_timed_out', 'deadline'],
  },
  {
    name: 'deadline, dispatched',
    attempts: [failed('unknown', 'deadline')],
    effects: risky,
    deadline: true,
    is: ['indeterminate', 'outcome_unknown', 'unknown'],
  },
  {
    name: 'deadline, nothing dispatched',
    attempts: [failed('not_sent')],
    effects: every,
    deadline: true,
    is: ['timed_out', 'run_timed_out', 'deadline'],
  },
  {
    name: 'deadline, but the provider answered',
    attempts: [failed('rejected')],
    effects: every,
    deadline: true,
    is: ['failed', 'provider_rejected', 'rejected'],
  },
  {
    name: 'accepted wins over an unknown',
    attempts: [failed('unknown'), accepted],
    effects: every,
    is: ['completed', undefined, 'accepted'],
  },
  {
    name: 'an unknown decides over a later attempt',
    attempts: [failed('unknown'), failed('not_sent')],
    effects: risky,
    is: ['indeterminate', 'outcome_unknown', 'unknown'],
  },
  {
    name: 'the last attempt decides',
    attempts: [failed('provider_fault'), failed('not_sent')],
    effects: every,
    is: ['failed', 'provider_unavailable', 'not_sent'],
  },
];

const settle = (attempts: readonly Outcome[], effect: Effect, deadline: boolean) =>
  settleTried(
    attempts.map((outcome, index) => ({ provider: `p${index}`, outcome })),
    effect,
    deadline,
  );

describe('the outcome table', () => {
  for (const { name, attempts, effects, deadline = false, is } of table) {
    for (const effect of effects) {
      it(`${name}, effect ${effect}: ${is[0]}, ${is[1] ?? '200'}`, () => {
        const ending = settle(attempts, effect, deadline);
        expect([ending.status, ending.code, ending.outcome]).to.deep.equal(is);
        expect(ending.reason).to.equal(is[1]);
      });
    }
  }

  it('tells when to come back only where nothing was sent', () => {
    expect(settle([{ outcome: 'throttled', retry_after: 17.2, message: 'm' }], 'none', false).retry_after).to.equal(18);
    expect(settle([failed('not_sent')], 'none', false).retry_after).to.equal(5);
    expect(settle([failed('unknown')], 'irreversible', false).retry_after).to.equal(undefined);
  });

  it('tells why a provider rejected only where the rejection decides', () => {
    const rejected: Outcome = { outcome: 'rejected', message: 'm', reason: 'recipient_gone' };
    expect(settle([rejected], 'none', false).provider_reason).to.equal('recipient_gone');
    expect(settle([failed('rejected')], 'none', false)).to.not.have.property('provider_reason');
    const other = settleTried([tried('a', failed('unknown')), tried('b', rejected)], 'irreversible', false);
    expect(other).to.include({ status: 'indeterminate' }).and.not.have.property('provider_reason');
  });

  const tried = (provider: string, outcome: Outcome, lookup?: 'absent'): Tried => ({ provider, outcome, lookup });
  it('an unknown is settled by the same provider that answers under the same key, and by no other', () => {
    const own = settleTried([tried('a', failed('unknown')), tried('a', failed('rejected'))], 'irreversible', false);
    expect([own.status, own.code]).to.deep.equal(['failed', 'provider_rejected']);
    const other = settleTried([tried('a', failed('unknown')), tried('b', failed('rejected'))], 'irreversible', false);
    expect(other.status).to.equal('indeterminate');
  });

  it('an unknown whose absence was proven is as good as not sent', () => {
    const ending = settleTried([tried('a', failed('unknown'), 'absent')], 'irreversible', false);
    expect([ending.status, ending.code, ending.outcome]).to.deep.equal(['failed', 'provider_unavailable', 'unknown']);
  });

  it('an attempt that was not begun says when to come back, in seconds, if anybody knows', () => {
    expect(refusal('breaker', 'm', 1500)).to.deep.equal({
      ...{ outcome: 'not_sent', phase: 'breaker', message: 'm', retry_after: 1.5 },
    });
    expect(refusal('breaker', 'm', 0)).to.deep.equal({ outcome: 'not_sent', phase: 'breaker', message: 'm' });
  });

  it('ends without any attempt when nothing serves the Orb', () => {
    expect(unserved()).to.include({
      status: 'failed',
      outcome: 'not_sent',
      code: 'provider_unavailable',
    });
    const none = unserved({ mode: 'sandbox', orbiset: { id: 'team', providers: ['smtp-main'] } });
    expect(none).to.include({ status: 'failed', outcome: 'not_sent', code: 'no_provider_allowed' });
    expect(none.detail).to.include('it is a sandbox run, and the Orbiset team allows only smtp-main');
    expect(unserved({ mode: 'live', orbiset: { id: 'team' } }).detail).to.include('team allows all providers');
  });
});

describe('the end of a run that its decision does not allow', () => {
  const none = { allow: false, policies: [], warns: 0, shadow_denies: 0 };
  const ask = { code: 'big', message: 'x', expires_s: 60, bind: 'inputs', policies: ['limits'] } as const;
  const asked = (...people: readonly (readonly [approvers: string, of: number])[]) =>
    deniedEnding({ ...none, asks: people.map(([approvers, of]) => ({ ...ask, approvers, of })) });

  it('says whether it was denied, or not decided', () => {
    expect(deniedEnding(none)).to.include({ status: 'denied', code: 'access_denied' });
    const undecided = deniedEnding({ ...none, reasons: [{ code: 'policy_timeout' }] });
    expect(undecided).to.include({ status: 'denied', code: 'policy_unavailable', reason: 'policy_timeout' });
  });

  it('names the people who must approve it, each group once, and at most ten', () => {
    const { detail, ...ending } = asked(['office', 1], ['office', 1], ['finance', 2]);
    expect(ending).to.deep.equal({
      ...{ status: 'denied', outcome: 'denied', code: 'approval_required', reason: 'approval_required' },
    });
    expect(detail).to.match(/^a member of office and 2 members of finance must approve this run first; /);
    const many = asked(...Array.from({ length: 12 }, (_, at) => [`g${at}`, 1] as const));
    expect(many.detail).to.contain('a member of g9 and others must').and.not.to.contain('g10');
  });
});
