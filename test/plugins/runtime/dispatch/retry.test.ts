import { expect } from 'chai';
import { attemptBudget } from '../../../../plugins/runtime/dispatch/attempt.ts';
import { decideNext, type Next, type RetryState } from '../../../../plugins/runtime/dispatch/retry.ts';
import { platformRefusal } from '../../../../plugins/runtime/outcome/outcome.ts';
import type { Outcome } from '../../../../kernel/provider/orb-hook.ts';

const fresh: RetryState = {
  effect: 'irreversible',
  atLeastOnce: false,
  idempotency: { kind: 'none' },
  unsettled: false,
  attempts: 1,
  attemptsHere: 1,
  sinceFirstMs: 10,
  remainingMs: 10_000,
  budget: true,
  jitter: 0.5,
};
const native = { kind: 'native', window_s: 86_400, max_len: 256 } as const;
const failed = (outcome: Exclude<Outcome['outcome'], 'accepted'>, more: object = {}): Outcome => ({
  outcome,
  message: 'm',
  ...more,
});

const rows: readonly {
  readonly name: string;
  readonly outcome: Outcome;
  readonly state?: Partial<RetryState>;
  readonly go: Next['go'];
}[] = [
  { name: 'accepted', outcome: { outcome: 'accepted', outputs: {} }, go: 'end' },
  { name: 'rejected', outcome: failed('rejected'), go: 'end' },
  { name: 'invalid outputs', outcome: failed('invalid_outputs'), go: 'end' },
  { name: 'provider_fault', outcome: failed('provider_fault'), go: 'next' },
  { name: 'not_sent', outcome: failed('not_sent'), go: 'again' },
  { name: 'not_sent, three times here', outcome: failed('not_sent'), state: { attemptsHere: 3 }, go: 'next' },
  { name: 'not_sent, budget used up', outcome: failed('not_sent'), state: { budget: false }, go: 'next' },
  { name: 'not_sent, could not open', outcome: failed('not_sent', { phase: 'open' }), go: 'next' },
  { name: 'not_sent, breaker open', outcome: failed('not_sent', { phase: 'breaker' }), go: 'next' },
  { name: 'not_sent, the queue is full', outcome: failed('not_sent', { phase: 'queue' }), go: 'next' },
  { name: 'not_sent, a drain ended', outcome: failed('not_sent', { phase: 'drain' }), go: 'next' },
  { name: 'not_sent, the intent was not recorded', outcome: platformRefusal('journal', 'm'), go: 'end' },
  { name: 'not_sent, the lease of the node was over', outcome: platformRefusal('lease', 'm'), go: 'again' },
  { name: 'not_sent, and the adapter calls it a lease', outcome: failed('not_sent', { phase: 'lease' }), go: 'again' },
  { name: 'provider_fault, the fifth attempt', outcome: failed('provider_fault'), state: { attempts: 5 }, go: 'next' },
  { name: 'provider_fault, the sixth attempt', outcome: failed('provider_fault'), state: { attempts: 6 }, go: 'end' },
  {
    name: 'not_sent, less time left than the delay',
    outcome: failed('not_sent'),
    state: { remainingMs: 50 },
    go: 'next',
  },
  {
    name: 'unknown, may be billed twice',
    outcome: failed('unknown'),
    state: { effect: 'none', once: true },
    go: 'end',
  },
  { name: 'not_sent, may be billed twice', outcome: failed('not_sent'), state: { once: true }, go: 'again' },
  { name: 'throttled without a time', outcome: failed('throttled'), go: 'again' },
  {
    name: 'throttled without a time, budget used up',
    outcome: failed('throttled'),
    state: { budget: false },
    go: 'next',
  },
  {
    name: 'throttled, budget used up',
    outcome: failed('throttled', { retry_after: 1 }),
    state: { budget: false },
    go: 'next',
  },
  {
    name: 'throttled, three times here',
    outcome: failed('throttled', { retry_after: 1 }),
    state: { attemptsHere: 3 },
    go: 'next',
  },
  { name: 'throttled up to the deadline', outcome: failed('throttled', { retry_after: 10 }), go: 'next' },
  { name: 'throttled within the deadline', outcome: failed('throttled', { retry_after: 9 }), go: 'again' },
  { name: 'throttled beyond the deadline', outcome: failed('throttled', { retry_after: 11 }), go: 'next' },
  {
    name: 'unknown without an effect',
    outcome: failed('unknown'),
    state: { effect: 'none', unsettled: true },
    go: 'again',
  },
  { name: 'unknown with an effect', outcome: failed('unknown'), state: { unsettled: true }, go: 'end' },
  {
    name: 'unknown, idempotent effect',
    outcome: failed('unknown'),
    state: { effect: 'idempotent', unsettled: true },
    go: 'end',
  },
  {
    name: 'unknown within the key window',
    outcome: failed('unknown'),
    state: { unsettled: true, idempotency: native },
    go: 'again',
  },
  {
    name: 'unknown after the key window',
    outcome: failed('unknown'),
    state: { unsettled: true, idempotency: native, sinceFirstMs: 86_400_000 },
    go: 'end',
  },
  {
    name: 'unknown in the window, three times here',
    outcome: failed('unknown'),
    state: { unsettled: true, idempotency: native, attemptsHere: 3 },
    go: 'end',
  },
  { name: 'unknown, absence proven', outcome: failed('unknown'), go: 'again' },
  {
    name: 'unknown, absence proven, three times here',
    outcome: failed('unknown'),
    state: { attemptsHere: 3 },
    go: 'next',
  },
  {
    name: 'unknown, at_least_once',
    outcome: failed('unknown'),
    state: { unsettled: true, atLeastOnce: true },
    go: 'next',
  },
  {
    name: 'unknown, at_least_once, within the key window',
    outcome: failed('unknown'),
    state: { unsettled: true, atLeastOnce: true, idempotency: native },
    go: 'again',
  },
  { name: 'unsettled, then a fault', outcome: failed('provider_fault'), state: { unsettled: true }, go: 'end' },
  { name: 'unsettled, then not sent', outcome: failed('not_sent'), state: { unsettled: true }, go: 'end' },
  {
    name: 'unsettled, then not sent, within the key window',
    outcome: failed('not_sent'),
    state: { unsettled: true, idempotency: native },
    go: 'again',
  },
  {
    name: 'unsettled, then throttled beyond the key window',
    outcome: failed('throttled', { retry_after: 9 }),
    state: { unsettled: true, idempotency: { ...native, window_s: 9 } },
    go: 'end',
  },
  {
    name: 'unsettled, then a fault, at_least_once',
    outcome: failed('provider_fault'),
    state: { unsettled: true, atLeastOnce: true },
    go: 'next',
  },
  {
    name: 'unsettled without an effect, then a fault',
    outcome: failed('provider_fault'),
    state: { unsettled: true, effect: 'none' },
    go: 'next',
  },
  { name: 'no time left', outcome: failed('not_sent'), state: { remainingMs: 0 }, go: 'end' },
];

describe('retry and failover', () => {
  for (const { name, outcome, state, go } of rows) {
    it(`${name}: ${go}`, () => expect(decideNext(outcome, { ...fresh, ...state }).go).to.equal(go));
  }

  it('waits as long as the provider says', () => {
    expect(decideNext(failed('throttled', { retry_after: 3 }), fresh)).to.deep.equal({ go: 'again', delayMs: 3000 });
  });

  it('backs off exponentially with full jitter', () => {
    const delays = [1, 2].map((attemptsHere) => decideNext(failed('not_sent'), { ...fresh, attemptsHere, jitter: 1 }));
    expect(delays).to.deep.equal([
      { go: 'again', delayMs: 100 },
      { go: 'again', delayMs: 200 },
    ]);
    expect(decideNext(failed('not_sent'), { ...fresh, jitter: 0 })).to.deep.equal({ go: 'again', delayMs: 0 });
  });

  it('repeats a call only if it can begin within the key window', () => {
    const keyed = { ...fresh, unsettled: true, idempotency: { ...native, window_s: 1 }, jitter: 1 };
    const after = (sinceFirstMs: number) => decideNext(failed('unknown'), { ...keyed, sinceFirstMs }).go;
    expect([after(899), after(900)]).to.deep.equal(['again', 'end']);
  });

  it('gives an attempt half of what remains when somebody is left to go on with, else all of it', () => {
    const budgets = [true, false].map((canGoOn) => attemptBudget(1000, { canGoOn }));
    expect([...budgets, attemptBudget(0, { canGoOn: true })]).to.deep.equal([500, 1000, 1]);
  });
});
