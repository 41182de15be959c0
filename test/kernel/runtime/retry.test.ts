import { expect } from 'chai';
import { decideNext, type Next, type RetryState } from '../../../kernel/runtime/retry.ts';
import type { Outcome } from '../../../kernel/runtime/outcome.ts';

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
  { name: 'six attempts', outcome: failed('provider_fault'), state: { attempts: 6 }, go: 'end' },
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
});
