import { expect } from 'chai';
import type { Health } from '../../../kernel/health.ts';
import { Breaker, type Permit } from '../../../kernel/runtime/breaker.ts';
import type { Outcome } from '../../../kernel/runtime/outcome.ts';
import { ProviderHealth } from '../../../kernel/runtime/provider-health.ts';

const time = { now: 0 };
const clock = { now: () => time.now, monotonic: () => time.now };
const failed = (outcome: Exclude<Outcome['outcome'], 'accepted'>, more: object = {}): Outcome => ({
  outcome,
  message: 'm',
  ...more,
});
const accepted: Outcome = { outcome: 'accepted', outputs: {} };

describe('the breaker', () => {
  let breaker: Breaker;
  beforeEach(() => {
    time.now = 0;
    breaker = new Breaker(clock, () => 0.5);
  });
  const allowed = (): boolean => breaker.allow() !== undefined;
  const fail = (times: number): void => {
    for (let n = 0; n < times; n++) breaker.record(true);
  };

  it('opens after five failures in a row, not after four', () => {
    fail(4);
    breaker.record(false);
    fail(4);
    expect(breaker.state).to.equal('closed');
    fail(1);
    expect([breaker.state, allowed()]).to.deep.equal(['open', false]);
  });

  it('opens when half of at least twenty calls in 30 s failed, not below that volume', () => {
    for (let n = 0; n < 9; n++) [breaker.record(false), breaker.record(true)];
    expect(breaker.state).to.equal('closed');
    breaker.record(false);
    breaker.record(true);
    expect(breaker.state).to.equal('open');
  });

  it('forgets calls older than 30 s', () => {
    for (let n = 0; n < 9; n++) [breaker.record(false), breaker.record(true)];
    time.now = 31_000;
    breaker.record(false);
    breaker.record(true);
    expect(breaker.state).to.equal('closed');
  });

  it('lets a single call find out when half-open', () => {
    fail(5);
    time.now = 1000;
    expect(breaker.state).to.equal('half_open');
    expect([allowed(), allowed(), allowed()]).to.deep.equal([true, false, false]);
    breaker.record(false);
    expect([breaker.state, allowed()]).to.deep.equal(['closed', true]);
  });

  it('gives the permit of a call without a verdict to the next', () => {
    fail(5);
    time.now = 1000;
    const permit = breaker.allow();
    breaker.release(permit);
    expect([permit === undefined, allowed()]).to.deep.equal([false, true]);
  });

  const strangers: Readonly<Record<string, (older: Permit | undefined) => void>> = {
    'an older call that says nothing': (older) => breaker.release(older),
    'a call that asked for no permit': () => breaker.release(undefined),
    'an older call that fails': (older) => breaker.record(true, 0, older),
  };
  for (const [name, end] of Object.entries(strangers))
    it(`${name} does not let a second one find out beside the first`, () => {
      const older = breaker.allow();
      fail(5);
      time.now = 1000;
      const finding = breaker.allow();
      end(older);
      expect([breaker.state, allowed()]).to.deep.equal(['half_open', false]);
      breaker.record(true, 0, finding);
      expect(breaker.remainingMs).to.equal(2000);
    });

  it('a permit of an earlier time is no permit of this one', () => {
    fail(5);
    time.now = 1000;
    const earlier = breaker.allow();
    breaker.record(false);
    fail(5);
    time.now = 2000;
    expect(allowed()).to.equal(true);
    breaker.release(earlier);
    expect(allowed()).to.equal(false);
  });

  it('stays open twice as long each time, a minute at most', () => {
    fail(5);
    const open: number[] = [];
    for (let n = 0; n < 8; n++) {
      open.push(breaker.remainingMs);
      time.now += breaker.remainingMs;
      breaker.record(true, 0, breaker.allow());
    }
    expect(open).to.deep.equal([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('calls under way when it opened do not open it again: only what found out afterwards makes it stay open longer', () => {
    fail(50);
    expect(breaker.remainingMs).to.equal(1000);
    time.now = 500;
    breaker.record(true, 3000);
    expect(breaker.remainingMs).to.equal(3000);
    time.now += 3000;
    breaker.record(true, 0, breaker.allow());
    expect(breaker.remainingMs).to.equal(2000);
  });

  it('stays open as long as the provider said', () => {
    fail(4);
    breaker.record(true, 90_000);
    expect(breaker.remainingMs).to.equal(90_000);
  });
});

describe('the health of a provider', () => {
  let health: ProviderHealth;
  let changes: [Health, Health, string][];
  beforeEach(() => {
    time.now = 0;
    changes = [];
    health = new ProviderHealth(clock, (...change) => changes.push(change));
  });
  const record = (outcome: Outcome, callers = false): void => health.record(outcome, 10, { callers, repeated: false });

  const rows: readonly (readonly [string, Outcome, Health])[] = [
    ['accepted', accepted, 'up'],
    ['provider_fault', failed('provider_fault'), 'down'],
    ['not_sent', failed('not_sent'), 'down'],
    ['throttled', failed('throttled'), 'degraded'],
    ['unknown', failed('unknown', { phase: 'data' }), 'degraded'],
    ['a deadline of the Orb', failed('unknown', { phase: 'deadline' }), 'degraded'],
    ['rejected', failed('rejected'), 'unknown'],
    ['invalid outputs', failed('invalid_outputs'), 'unknown'],
  ];
  for (const [name, outcome, after] of rows)
    it(`${name}: ${after}`, () => {
      record(outcome);
      expect(health.health).to.equal(after);
    });

  it("a silence that only the caller's own deadline ended says nothing of the provider", () => {
    record(accepted);
    for (let n = 0; n < 50; n++) record(failed('unknown', { phase: 'deadline' }), true);
    expect([health.health, health.breaker, health.errorRate()]).to.deep.equal(['up', 'closed', 0]);
  });

  it('a refused request of before lets no second call find out beside the first', () => {
    const older = health.allow();
    for (let n = 0; n < 5; n++) record(failed('not_sent'));
    time.now = 2000;
    expect(health.allow()).not.to.equal(undefined);
    health.record(failed('rejected'), 1, { callers: false, repeated: false, permit: older });
    expect(health.allow()).to.equal(undefined);
  });

  it('what the request caused never opens the breaker', () => {
    for (let n = 0; n < 50; n++) record(failed('rejected'));
    expect(health.breaker).to.equal('closed');
  });

  it('tells that the breaker opened, and that a probe closed it', () => {
    for (let n = 0; n < 5; n++) record(failed('unknown', { phase: 'data' }));
    expect(changes.at(-1)).to.deep.equal(['degraded', 'down', 'breaker_open']);
    health.probed(true, 'probe');
    expect([health.breaker, health.health]).to.deep.equal(['closed', 'up']);
  });

  it('shows the error rate of the last five minutes with three decimals', () => {
    for (let n = 0; n < 3; n++) record(n === 0 ? failed('not_sent') : accepted);
    expect(health.errorRate()).to.equal(0.333);
    time.now = 301_000;
    expect(health.errorRate()).to.equal(0);
  });

  it('lets repeated calls add a fifth, and ten always', () => {
    for (let n = 0; n < 10; n++) health.record(accepted, 1, { callers: false, repeated: true });
    expect(health.mayRepeat()).to.equal(false);
    for (let n = 0; n < 50; n++) record(accepted);
    expect(health.mayRepeat()).to.equal(true);
  });
});
