import { expect } from 'chai';
import { clockAgreed } from '../../../../plugins/postgres/cluster/taking.ts';
import { DatabaseClock, monotonicOfProcess } from '../../../../plugins/postgres/memory/database-clock.ts';
import type { Session } from '../../../../plugins/postgres/connection/session.ts';
import { until } from '../../../helpers/until.ts';

const hourMs = 3_600_000;

/** A reading of a database whose clock is so far from that of the machine; the answer took some time. */
function reading(aheadMs: number, tookMs = 0) {
  const [wall, monotonic] = [Date.now(), monotonicOfProcess()];
  return {
    ...{ sent: wall, heard: wall + tookMs, database: wall + tookMs / 2 + aheadMs },
    monotonic: { sent: monotonic, heard: monotonic + tookMs },
  };
}

describe('the clock of the database', () => {
  it('is known after the first reading, in all threads that share it', () => {
    const clock = new DatabaseClock();
    expect(clock.now()).to.equal(undefined);
    expect(clock.skew(0)).to.equal('none');
    clock.tell(reading(hourMs));
    const shared = new DatabaseClock(clock.buffer);
    for (const one of [clock, shared]) expect((one.now() ?? 0) - Date.now()).to.be.within(hourMs - 100, hourMs + 100);
  });

  it('runs on when the clock of the machine is set, and says how far that is', () => {
    const clock = new DatabaseClock();
    clock.tell(reading(0));
    const now = clock.now() ?? 0;
    expect(clock.skew(now)).to.equal('none');
    expect([clock.skew(now + 5000), clock.skew(now - 25 * hourMs)]).to.deep.equal(['noticed', 'mute']);
  });

  it('stays as it is while readings allow it, however long their answers take', () => {
    const clock = new DatabaseClock();
    clock.tell(reading(20));
    const before = (clock.now() ?? 0) - Date.now();
    clock.tell(reading(0, 200));
    expect((clock.now() ?? 0) - Date.now()).to.be.within(before - 2, before + 2);
    clock.tell(reading(-5000));
    expect((clock.now() ?? 0) - Date.now()).to.be.below(-4000);
  });
});

describe('the start of a process whose clock is wrong', () => {
  it('waits until it is right, and says so once each', async () => {
    const clock = new DatabaseClock();
    let ahead = hourMs;
    let waited = 0;
    const told: string[] = [];
    const flush = () => Promise.resolve([{ rows: [{ now: Date.now() }], changed: 1, tag: '' }]);
    const agreed = clockAgreed({ flush } as unknown as Session, {
      clock,
      wall: () => Date.now() + ahead,
      waited: () => void waited++,
      say: (event) => void (event.kind === 'skewed' && told.push(event.skew)),
    });
    await until(
      () => told,
      ({ length }) => length === 1,
      'the word',
    );
    ahead = 3000;
    await agreed;
    expect([told, waited]).to.deep.equal([['mute', 'none'], 1]);
    expect((clock.now() ?? 0) - Date.now()).to.be.within(-100, 100);
  });
});
