import { expect } from 'chai';
import type { Health } from '../../../../kernel/health.ts';
import { ProviderHealth } from '../../../../plugins/runtime/provider/health.ts';
import type { Outcome } from '../../../../kernel/provider/orb-hook.ts';

const time = { now: 0 };
const clock = { now: () => time.now, monotonic: () => time.now };
const failed = (outcome: Exclude<Outcome['outcome'], 'accepted'>, more: object = {}): Outcome => ({
  outcome,
  message: 'm',
  ...more,
});
const accepted: Outcome = { outcome: 'accepted', outputs: {} };

describe('the health of a provider', () => {
  let health: ProviderHealth;
  let changes: [Health, Health, string][];
  beforeEach(() => {
    time.now = 0;
    changes = [];
    health = new ProviderHealth(clock, (...[from, to, why]) => changes.push([from, to, why]));
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
    ['a model that it does not have', failed('provider_fault', { phase: 'model' }), 'unknown'],
    ['invalid outputs', failed('invalid_outputs'), 'unknown'],
  ];
  for (const [name, outcome, after] of rows)
    it(`${name}: ${after}`, () => {
      record(outcome);
      expect(health.health).to.equal(after);
    });

  it('keeps the last failure of a probe and of a call with its time, also after a later success', () => {
    expect([health.probeFailure, health.callFailure]).to.deep.equal([undefined, undefined]);
    time.now = 1000;
    health.noteProbe({ message: 'no connection' });
    record(failed('not_sent', { remedy: 'check `host`' }));
    time.now = 2000;
    health.probed(true, 'probe');
    record(accepted);
    record(failed('rejected'));
    expect(health.probeFailure).to.deep.equal({ at: 1000, failure: { message: 'no connection' } });
    expect(health.callFailure).to.deep.equal({ at: 1000, failure: { message: 'm', remedy: 'check `host`' } });
  });

  it("a silence that only the caller's own deadline ended says nothing of the provider", () => {
    record(accepted);
    for (let n = 0; n < 50; n++) record(failed('unknown', { phase: 'deadline' }), true);
    expect([health.health, health.breaker.state, health.errorRate()]).to.deep.equal(['up', 'closed', 0]);
  });

  it('a refused request of before lets no second call find out beside the first', () => {
    const older = health.breaker.allow();
    for (let n = 0; n < 5; n++) record(failed('not_sent'));
    time.now = 2000;
    expect(health.breaker.allow()).not.to.equal(undefined);
    health.record(failed('rejected'), 1, { callers: false, repeated: false, permit: older });
    expect(health.breaker.allow()).to.equal(undefined);
  });

  it('what the request caused never opens the breaker', () => {
    for (let n = 0; n < 50; n++) record(failed('rejected'));
    expect(health.breaker.state).to.equal('closed');
  });

  it('tells that the breaker opened, and that a probe closed it', () => {
    for (let n = 0; n < 5; n++) record(failed('unknown', { phase: 'data' }));
    expect(changes.at(-1)).to.deep.equal(['degraded', 'down', 'breaker_open']);
    health.probed(true, 'probe');
    expect([health.breaker.state, health.health]).to.deep.equal(['closed', 'up']);
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
    // 12 of 62, then 13 of 63.
    for (const allowed of [true, true, false]) {
      health.record(accepted, 1, { callers: false, repeated: true });
      expect(health.mayRepeat()).to.equal(allowed);
    }
  });

  it("counts what a call within the caller's own deadline came to", () => {
    record(accepted, true);
    expect(health.health).to.equal('up');
    record(failed('not_sent'), true);
    expect([health.health, health.errorRate()]).to.deep.equal(['down', 0.5]);
  });

  it('gives the only permit back when the call said nothing of the provider', () => {
    for (let n = 0; n < 5; n++) record(failed('not_sent'));
    time.now = 2000;
    const permit = health.breaker.allow();
    health.record(failed('rejected'), 1, { callers: false, repeated: false, permit });
    expect([permit === undefined, health.breaker.allow() === undefined]).to.deep.equal([false, false]);
  });

  it('lets another call find out after the one that found out failed', () => {
    for (let n = 0; n < 5; n++) record(failed('not_sent'));
    time.now = 2000;
    const permit = health.breaker.allow();
    health.record(failed('not_sent'), 1, { callers: false, repeated: false, permit });
    expect([health.breaker.state, health.breaker.allow()]).to.deep.equal(['open', undefined]);
    time.now += health.breaker.remainingMs;
    expect(health.breaker.allow()).not.to.equal(undefined);
  });

  it('is down by a bad probe, which is no call: the breaker stays closed', () => {
    for (let n = 0; n < 5; n++) health.probed(false, 'probe');
    expect([health.health, health.breaker.state, health.breaker.allow() === undefined]).to.deep.equal([
      'down',
      'closed',
      false,
    ]);
  });

  it('keeps the breaker open when a probe fails', () => {
    for (let n = 0; n < 5; n++) record(failed('not_sent'));
    time.now = 2000;
    health.probed(false, 'probe');
    expect(health.breaker.state).to.equal('open');
  });

  it('is left alone for as many seconds as it says', () => {
    for (let n = 0; n < 5; n++) record(failed('throttled', { retry_after: 30 }));
    expect(health.breaker.remainingMs).to.equal(30_000);
  });

  it('is the worse of what was measured and what was reported', () => {
    const healths = (['degraded', 'down', 'up'] as const).map((reported) => {
      health.reported(reported, 'incident');
      return health.health;
    });
    expect(healths).to.deep.equal(['degraded', 'down', 'unknown']);
    record(failed('not_sent'));
    health.reported('degraded', 'incident');
    expect(health.health).to.equal('down');
    record(accepted);
    expect(health.health).to.equal('degraded');
    health.reported('up', 'incident');
    expect(health.health).to.equal('up');
  });

  it('tells of an incident only when that makes it another', () => {
    health.reported('degraded', 'incident');
    health.reported('degraded', 'the same');
    record(failed('not_sent'));
    health.reported('up', 'over');
    expect(changes).to.deep.equal([
      ['unknown', 'degraded', 'incident'],
      ['degraded', 'down', 'not_sent'],
    ]);
  });

  it('lets calls be repeated again five minutes after many were', () => {
    for (let n = 0; n < 10; n++) health.record(accepted, 1, { callers: false, repeated: true });
    time.now = 299_999;
    expect(health.mayRepeat()).to.equal(false);
    time.now = 300_000;
    expect(health.mayRepeat()).to.equal(true);
  });

  describe('shows the 95th percentile', () => {
    const take = (times: number, ms: number): void => {
      for (let n = 0; n < times; n++) health.record(accepted, ms, { callers: false, repeated: false });
    };

    it('of its calls', () => {
      expect(health.p95()).to.equal(0);
      take(95, 10);
      take(5, 500);
      expect(health.p95()).to.equal(10);
      take(1, 500);
      expect(health.p95()).to.equal(500);
    });

    it('of the latest 256', () => {
      take(200, 1000);
      take(256, 10);
      expect(health.p95()).to.equal(10);
    });

    it('of the last five minutes', () => {
      take(20, 1000);
      time.now = 300_000;
      expect(health.p95()).to.equal(1000);
      time.now = 300_001;
      take(1, 10);
      expect(health.p95()).to.equal(10);
    });
  });

  it('forgets what is older than five minutes slice by slice', () => {
    record(failed('not_sent'));
    time.now = 290_000;
    record(accepted);
    expect(health.errorRate()).to.equal(0.5);
    time.now = 300_000;
    expect(health.errorRate()).to.equal(0);
    time.now = 1_000_000;
    record(failed('not_sent'));
    expect(health.errorRate()).to.equal(1);
  });
});
