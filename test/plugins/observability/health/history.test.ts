import { expect } from 'chai';
import { historyOf } from '../../../../plugins/observability/health/history.ts';
import healthStore, { healths, type NotedMinute } from '../../../../plugins/observability/health/store.ts';
import { openInMemory } from '../../../helpers/stores/memory.ts';
import type { Health } from '../../../../kernel/index.ts';

const minute = 60_000;

/** What a node noted: when, by minutes; the worst, and the last if it is another; why. */
type Worked = readonly [node: string, at: number, worst: Health, last?: Health];

const noted = ([node, at, worst, last = worst]: Worked): NotedMinute => ({
  ...{ node, at: at * minute, worst: healths.indexOf(worst), health: healths.indexOf(last) },
  reason: `${worst} at ${at}`,
});

interface Row {
  readonly name: string;
  readonly before?: readonly Worked[];
  readonly noted?: readonly Worked[];
  /** Of each of four steps of ten minutes; a dash: nothing is known. */
  readonly is: string;
  readonly reasons?: readonly (string | undefined)[];
}

const rows: readonly Row[] = [
  { name: 'nothing was noted', is: '- - - -' },
  { name: 'it came up', noted: [['a', 12, 'up']], is: '- up up up' },
  { name: 'it was up before', before: [['a', -5, 'up']], is: 'up up up up' },
  {
    name: 'it went down, and came back',
    before: [['a', -5, 'up']],
    noted: [
      ['a', 12, 'down'],
      ['a', 25, 'up'],
    ],
    is: 'up down down up',
    reasons: [undefined, 'down at 12', 'down at 12', undefined],
  },
  {
    name: 'it was down for a moment',
    before: [['a', -5, 'up']],
    noted: [['a', 12, 'down', 'up']],
    is: 'up down up up',
    reasons: [undefined, 'down at 12', undefined, undefined],
  },
  {
    name: 'two nodes saw it otherwise: the worse counts',
    before: [
      ['a', -9, 'up'],
      ['b', -8, 'degraded'],
    ],
    noted: [['a', 21, 'down']],
    is: 'degraded degraded down down',
  },
  {
    name: 'a node that has left: what it noted last has ended with it',
    before: [['gone', -9, 'down']],
    noted: [
      ['a', 2, 'up'],
      ['gone', 12, 'down'],
    ],
    is: 'up down up up',
  },
  {
    name: 'the newest of what was before counts',
    before: [
      ['a', -20, 'up'],
      ['a', -3, 'down', 'degraded'],
    ],
    is: 'degraded degraded degraded degraded',
    // Why it was degraded then is not known.
    reasons: [undefined, undefined, undefined, undefined],
  },
];

describe('the history of the health of a provider', () => {
  for (const { name, before = [], noted: since = [], is, reasons } of rows)
    it(name, () => {
      const parts = { from: 0, to: 40 * minute, stepMs: 10 * minute, serving: new Set(['a', 'b']) };
      const newestFirst = (all: readonly Worked[]): readonly NotedMinute[] => all.map(noted).reverse();
      const points = historyOf({ ...parts, before: newestFirst(before), noted: newestFirst(since) });
      const at = (step: number) => points.find((point) => point.at === step * 10 * minute);
      expect([0, 1, 2, 3].map((step) => at(step)?.health ?? '-').join(' ')).to.equal(is);
      if (reasons !== undefined) expect([0, 1, 2, 3].map((step) => at(step)?.reason)).to.deep.equal(reasons);
    });
});

describe('the store of the health of providers', () => {
  const note = (at: number, health: Health, provider = 'smtp-main') => ({
    provider,
    at,
    health,
    reason: `${health} ${at}`,
  });

  it('keeps one row for a minute: the worst of it with its reason, and the last', () => {
    const { operations, reads } = openInMemory(healthStore);
    for (const one of [note(60_001, 'degraded'), note(60_002, 'down'), note(60_003, 'up'), note(120_000, 'up')])
      operations.note(one);
    operations.note(note(60_005, 'down', 'other'));
    const [last, first, ...rest] = reads.between('smtp-main', 0, 600_000, 10);
    expect(rest).to.deep.equal([]);
    expect(first).to.deep.include({ at: 60_002, worst: 3, health: 1, reason: 'down 60002' });
    expect(last).to.deep.include({ at: 120_000, worst: 1, health: 1 });
    expect(reads.before('smtp-main', 120_000, 10).map(({ at }) => at)).to.deep.equal([60_002]);
    expect(reads.between('smtp-main', 120_000, 180_000, 10).map(({ at }) => at)).to.deep.equal([120_000]);
  });

  it('forgets what is old, so many at once', async () => {
    const { operations, reads } = openInMemory(healthStore);
    for (const at of [0, 60_000, 120_000, 180_000]) operations.note(note(at, 'up'));
    expect(await operations.forget({ before: 180_000, most: 2 })).to.equal(2);
    expect(await operations.forget({ before: 180_000, most: 2 })).to.equal(1);
    expect(reads.between('smtp-main', 0, 600_000, 10).map(({ at }) => at)).to.deep.equal([180_000]);
  });
});
