import { expect } from 'chai';
import { Breaker, type Permit } from '../../../../plugins/runtime/provider/health.ts';

const time = { now: 0 };
const clock = { now: () => time.now, monotonic: () => time.now };

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

  for (const [after, state] of [
    [30_000, 'open'],
    [30_001, 'closed'],
  ] as const)
    it(`${state === 'open' ? 'still counts' : 'forgets'} calls of ${after} ms ago`, () => {
      for (let n = 0; n < 9; n++) [breaker.record(false), breaker.record(true)];
      time.now = after;
      breaker.record(false);
      breaker.record(true);
      expect(breaker.state).to.equal(state);
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

  it('opens again by one failed test, however few calls there were of late', () => {
    for (let n = 0; n < 20; n++) breaker.record(n % 2 === 1);
    expect(breaker.state).to.equal('open');
    time.now += 120_000;
    breaker.record(true, 0, breaker.allow());
    expect(breaker.state).to.equal('open');
  });

  it('stays open as long as the provider said', () => {
    fail(4);
    breaker.record(true, 90_000);
    expect(breaker.remainingMs).to.equal(90_000);
  });

  it('begins again once it has closed: failures of before count for nothing', () => {
    fail(5);
    time.now = 1000;
    breaker.record(false);
    fail(4);
    expect(breaker.state).to.equal('closed');
  });

  it('begins again once it has closed: its rate counts no call of before', () => {
    const half = (): void => void [breaker.record(false), breaker.record(true)];
    while (breaker.state === 'closed') half();
    time.now = 1000;
    breaker.record(false);
    for (let n = 0; n < 9; n++) half();
    expect(breaker.state).to.equal('closed');
  });

  it('judges a busy provider by its latest few hundred calls, however well it did before', () => {
    for (let n = 0; n < 256; n++) breaker.record(false);
    for (let n = 0; n < 128; n++) [breaker.record(false), breaker.record(true)];
    expect(breaker.state).to.equal('closed');
    [breaker.record(false), breaker.record(true)];
    expect(breaker.state).to.equal('open');
  });
});
