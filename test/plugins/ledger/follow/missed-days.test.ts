import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { createMissedDays, type MissedDays } from '../../../../plugins/ledger/follow/missed-days.ts';
import { dayText } from '../../../../plugins/ledger/score/day.ts';
import { openLedger } from '../opened.ts';
import { runPredicate, startDay, syntheticLog } from '../synthetic-log.ts';

const minute = 60_000;
const day = 86_400_000;
const due = (of: number, missed: number) => ({ day: of, missed });

describe('the snapshots of missed days', () => {
  let wall: number;
  let ticks: number;
  let said: string[];
  const missed = (missedUntil?: string): MissedDays => {
    const say = (_: object, text?: string) => void said.push(text ?? '');
    return createMissedDays({
      clock: { now: () => wall, monotonic: () => ticks },
      logger: { error: say, info: say, warn: say },
      missedUntil,
    });
  };
  /** Lets time pass; the wall clock goes on by as much unless said. */
  const pass = (ms: number, byWall = ms): void => {
    ticks += ms;
    wall += byWall;
  };
  beforeEach(() => {
    [wall, ticks, said] = [20_000 * day, 0, []];
  });

  it('are none when none is due', () => {
    const days = missed();
    pass(10 * minute);
    expect([days.allowed(undefined), days.fault]).to.deep.equal([undefined, undefined]);
  });

  it('are taken at once when it is one, and after five minutes when it is more', () => {
    const days = missed();
    expect([days.allowed(due(7, 1)), days.allowed(due(7, 2))]).to.deep.equal([7, undefined]);
    pass(5 * minute - 1);
    expect(days.allowed(due(7, 180))).to.equal(undefined);
    expect([said.length, days.fault]).to.deep.equal([1, undefined]);
    pass(1);
    expect([days.allowed(due(7, 180)), days.allowed(due(8, 179))]).to.deep.equal([7, 8]);
  });

  const steps: readonly (readonly [string, number, boolean])[] = [
    ['years back, by NTP', -3650 * day, true],
    ['a day on', day, true],
    ['by ten seconds', 10_000, false],
  ];
  for (const [name, step, waits] of steps)
    it(`${waits ? 'wait again' : 'do not wait'} when the wall clock is set ${name}`, () => {
      const days = missed();
      pass(4 * minute);
      expect(days.allowed(due(7, 2))).to.equal(undefined);
      pass(2 * minute, 2 * minute + step);
      expect(days.allowed(due(7, 2))).to.equal(waits ? undefined : 7);
      pass(5 * minute);
      expect(days.allowed(due(7, 2))).to.equal(7);
    });

  it('are taken of no day after more than 180 missed ones, however long the clock is steady', () => {
    const days = missed();
    pass(day);
    expect([days.allowed(due(7, 181)), days.allowed(due(7, 3650))]).to.deep.equal([undefined, undefined]);
    expect(days.fault).to.equal(`3650 days from ${dayText(7)} on have no snapshot: is the clock right?`);
    expect(said).to.have.length(1);
    // The clock was set right.
    expect([days.allowed(due(7, 1)), days.fault]).to.deep.equal([7, undefined]);
  });

  it('are taken after so many up to the day that the operator allows', () => {
    const days = missed(dayText(8));
    expect(days.allowed(due(7, 400)), 'the clock is not steady yet').to.equal(undefined);
    pass(5 * minute);
    expect([7, 8, 9].map((of) => days.allowed(due(of, 407 - of)))).to.deep.equal([7, 8, undefined]);
    expect(days.fault).to.be.a('string');
    expect(days.allowed(due(9, 180))).to.equal(9);
  });
});

describe('a ledger that starts after missed days', () => {
  it('attests nothing when its clock may be wrong, and goes on when it is right and steady', async () => {
    const log = syntheticLog();
    log.append('run', runPredicate({ day: 0, second: 0, caller: 1 }));
    const opened = async (day: number, stateDir?: string, begins = false) => {
      const ledger = await openLedger(log, { day, begins, ...(stateDir !== undefined && { stateDir }) });
      await ledger.catchUp();
      const found = [(await ledger.reads.lastSnapshot())?.day, ledger.ledger.health().health];
      await ledger.close({ keep: true });
      return { found, stateDir: ledger.stateDir };
    };
    const { found, stateDir } = await opened(1);
    const next = [
      ...[found, (await opened(3650, stateDir)).found],
      ...[(await opened(4, stateDir, true)).found, (await opened(4, stateDir)).found],
    ];
    expect(next).to.deep.equal([
      [dayText(startDay), 'up'],
      [dayText(startDay), 'degraded'],
      [dayText(startDay), 'up'],
      [dayText(startDay + 3), 'up'],
    ]);
    rmSync(stateDir, { recursive: true });
  });
});
