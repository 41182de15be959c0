import { expect } from 'chai';
import { SimulatedTime } from '../../../plugins/demo/time.ts';

const begin = Date.UTC(2026, 10, 1);
const minute = 60_000;

describe('the time of a demonstration', () => {
  const own = { setTimeout, setInterval, clearTimeout, clearInterval };
  let time: SimulatedTime;
  let seen: string[];
  const say = (word: string) => () => void seen.push(word);
  beforeEach(() => {
    seen = [];
    time = new SimulatedTime(begin);
    time.hold();
  });
  afterEach(() => {
    time.release();
    Object.assign(globalThis, own);
  });

  it('is still until it is moved, and never goes back', () => {
    expect([time.now(), time.monotonic()]).to.deep.equal([begin, 0]);
    time.move(begin + minute);
    time.move(begin);
    expect([time.now(), time.monotonic()]).to.deep.equal([begin + minute, minute]);
  });

  it('fires a timer once it is due, a repeated one once for each step, in their order', () => {
    setTimeout(say('late'), 3 * minute);
    setTimeout(say('soon'), minute);
    setInterval(say('often'), 1000);
    time.pass(begin + 2 * minute);
    expect(seen).to.deep.equal(['often', 'soon']);
    time.pass(begin + 3 * minute);
    expect(seen).to.deep.equal(['often', 'soon', 'often', 'late']);
  });

  it('does not fire what was cleared, also by another timer', () => {
    const never = setTimeout(say('never'), 2 * minute);
    setTimeout(() => clearTimeout(never), minute);
    const interval = setInterval(say('never'), minute);
    clearInterval(interval);
    time.pass(begin + 5 * minute);
    expect(seen).to.deep.equal([]);
  });

  it('leaves short timers to the machine', async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(time.now()).to.equal(begin);
  });

  it('goes on by itself once it is released, and so do the timers', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, minute);
    const never = setTimeout(say('never'), minute + 1);
    time.move(begin + minute - 1);
    time.release();
    clearTimeout(never);
    await promise;
    await new Promise((done) => own.setTimeout(done, 20));
    expect(time.now()).to.be.greaterThan(begin + minute);
    expect(seen).to.deep.equal([]);
  });
});
