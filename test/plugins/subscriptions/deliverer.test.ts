import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { deliveries, type Delivering } from './delivering.ts';

const hourMs = 3_600_000;

/** What happens at an hour: callbacks are made, the deliverer starts again, or the receiver answers otherwise. */
interface Happening {
  readonly at: number;
  readonly made?: number;
  readonly restarted?: true;
  readonly status?: number;
}

interface FailingRow {
  readonly name: string;
  readonly happens: readonly Happening[];
  /** Hour at which the subscription is switched off; absent: it is not. */
  readonly off?: number;
  /** Hour since which its receiver fails, at the end. */
  readonly since?: number;
}

const daily = (from: number, days: number): readonly Happening[] =>
  Array.from({ length: days }, (_, day) => ({ at: from + 24 * day, made: 1 }));

// The tries of one callback end 75.6 hours after the first.
const failingRows: readonly FailingRow[] = [
  { name: 'one callback that is never taken', happens: [{ at: 0, made: 1 }], since: 0 },
  { name: 'a callback a day that is not taken', happens: daily(0, 8), off: 120, since: 0 },
  {
    name: 'the same over a restart',
    happens: [...daily(0, 5), { at: 100, restarted: true }, ...daily(120, 3)],
    ...{ off: 120, since: 0 },
  },
  {
    name: 'one failure long after another',
    happens: [...daily(0, 1), { at: 480, made: 1 }, { at: 480.001, status: 204 }],
  },
  { name: 'a few days of failures long after another', happens: [...daily(0, 1), { at: 480, made: 1 }], since: 480 },
  { name: 'two failures at once long after another', happens: [...daily(0, 1), { at: 480, made: 2 }], since: 480 },
  {
    name: 'the same after a restart',
    happens: [...daily(0, 1), { at: 479, restarted: true }, { at: 480, made: 2 }],
    since: 480,
  },
  { name: 'a pause of more than a day between failures', happens: [...daily(0, 1), ...daily(110, 1)], since: 110 },
  {
    name: 'five days of failures long after another',
    happens: [...daily(0, 1), ...daily(480, 8)],
    off: 600,
    since: 480,
  },
  {
    name: 'a callback a day, one of them taken',
    happens: [...daily(0, 3), { at: 60, status: 204 }, { at: 72, made: 1 }, { at: 73, status: 500 }, ...daily(96, 1)],
    since: 76,
  },
];

describe('the deliverer of callbacks', () => {
  let bed: Delivering;
  beforeEach(async () => {
    bed = deliveries();
    await bed.start();
  });
  afterEach(() => bed.stop());

  for (const status of [204, 500])
    it(`sends a callback once while the store refuses the result (${status}), and notes it later`, async () => {
      bed.status = status;
      bed.isFull = true;
      bed.make('cb_1');
      for (let look = 0; look < 5; look += 1) await bed.tryAll();
      expect(bed.sent).to.deep.equal(['cb_1']);
      bed.isFull = false;
      await until(
        () => bed.rows.get('cb_1')?.tries,
        (tries) => tries === 1,
        'the result',
      );
      expect(bed.rows.get('cb_1')?.state).to.equal(status === 204 ? 'delivered' : 'waiting');
      await bed.tryAll();
      expect(bed.sent).to.deep.equal(['cb_1']);
    });

  it('sends no more callbacks than it may at once while the store refuses every result', async () => {
    bed.isFull = true;
    for (const id of ['cb_1', 'cb_2', 'cb_3', 'cb_4']) bed.make(id);
    for (let look = 0; look < 5; look += 1) await bed.tryAll();
    expect(bed.sent).to.deep.equal(['cb_1', 'cb_2']);
  });

  it('tries a callback whose body cannot be read once in a second, and the others meanwhile', async () => {
    bed.make('cb_1', new Uint8Array());
    await bed.tryAll();
    bed.make('cb_2');
    await bed.tryAll();
    expect(bed.sent).to.deep.equal(['cb_2']);
    expect(bed.unread).to.be.within(1, 4);
  });

  it('stops at once though the store refuses a result', async () => {
    bed.isFull = true;
    bed.make('cb_1');
    await bed.tryAll();
    const begun = performance.now();
    await bed.stop();
    expect(performance.now() - begun).to.be.lessThan(500);
    expect(bed.rows.get('cb_1')).to.include({ state: 'waiting', tries: 0 });
  });

  for (const { name, happens, off, since } of failingRows)
    it(`${off === undefined ? 'leaves a subscription on' : 'switches a subscription off'}: ${name}`, async () => {
      const begun = bed.now;
      const hourOf = (ms: number | undefined): number | undefined =>
        ms === undefined ? undefined : Math.round((ms - begun) / hourMs);
      bed.status = 500;
      let made = 0;
      let offAt: number | undefined;
      const ahead = [...happens].sort((one, other) => one.at - other.at);
      for (;;) {
        const next = Math.min(...[...bed.rows.values()].map(({ due_at = Infinity }) => due_at));
        const happening = ahead[0];
        if (happening !== undefined && begun + happening.at * hourMs <= next) {
          ahead.shift();
          bed.now = Math.max(bed.now, begun + happening.at * hourMs);
          if (happening.restarted === true) await bed.start();
          bed.status = happening.status ?? bed.status;
          for (let count = happening.made ?? 0; count > 0; count -= 1) bed.make(`cb_${(made += 1)}`);
        } else if (next === Infinity) break;
        else bed.now = Math.max(bed.now, next);
        await bed.tryAll();
        if (bed.subscription().state !== 'off') continue;
        offAt = hourOf(bed.now);
        break;
      }
      expect([offAt, hourOf(bed.subscription().failing_since)]).to.deep.equal([off, since]);
    });
});
