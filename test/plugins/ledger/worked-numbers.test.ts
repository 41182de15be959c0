import { expect } from 'chai';
import { createHash } from 'node:crypto';
import type { Profile } from '../../../plugins/ledger/contract.ts';
import type { Incident } from '../../../plugins/ledger/score/debt.ts';
import { incidentDecay, runDecay } from '../../../plugins/ledger/score/decay.ts';
import { totalsOf } from '../../../plugins/ledger/score/totals.ts';
import { callerDayWeight } from '../../../plugins/ledger/score/weight.ts';
import { wilson } from '../../../plugins/ledger/score/wilson.ts';
import { count, generate, incidentI, judge, type Generated, type Said } from './generator.ts';

interface Case {
  readonly name: string;
  readonly g: readonly [number, number, number | readonly number[]];
  readonly said?: Said;
  readonly day: number;
  readonly profile?: Profile;
  readonly incidents?: readonly Incident[];
  readonly score: number;
  readonly raw?: number;
  readonly limited?: string;
  readonly nEff: number;
  readonly r: number;
  readonly rows: string;
}

const every = (n: number): Said => ({ fails: ({ i }: Generated) => i % n === 0 });
const single = { profile: 'single-org' } as const;
const halfDay: Said = { fails: ({ day, j }) => day === 60 && j < 2 };
const g60 = [60, 10, 4] as const;
const bySecond: Said = { provider: ({ day, caller }) => (day === 59 && caller > 0 ? 'b' : 'a') };
const integrity = incidentI({ integrity: true, scope: [{ kind: 'orb', id: 'orb' }] });
const resolvedHigh = incidentI({
  severity: 'high',
  state: 'resolved',
  ends_at: new Date(59 * 86_400_000 + 13 * 3_600_000).toISOString(),
  deliveries: [{ delivery_id: 'd', source_id: 's', auth_strength: 'shared_secret' }],
});

const rel = { limited: 'reliability' } as const;
// Case, as numbered by the reference; `rows`: the highest row that holds.
const cases: readonly Case[] = [
  { name: '1', g: [1, 1, 12], day: 0, score: 25.219, nEff: 3, r: 0.5258, rows: 'none' },
  {
    name: '2',
    g: [5, 2, 10],
    said: { fails: ({ i }) => i === 50 },
    day: 4,
    score: 57.284,
    raw: 59.542,
    ...rel,
    nEff: 47.768,
    r: 0.9288,
    rows: 'none',
  },
  { name: '3, n = 7', g: [7, 10, 4], said: every(333), day: 6, score: 92.293, nEff: 261.5, r: 0.9898, rows: 'bronze' },
  {
    name: '3, n = 14',
    g: [14, 10, 4],
    said: every(333),
    day: 13,
    score: 94.697,
    ...rel,
    nEff: 484,
    r: 0.9912,
    rows: 'silver',
  },
  {
    name: '3, n = 30',
    g: [30, 10, 4],
    said: every(333),
    day: 29,
    score: 95.622,
    ...rel,
    nEff: 875.7,
    r: 0.9927,
    rows: 'gold',
  },
  {
    name: '3, n = 90',
    g: [90, 10, 4],
    said: every(333),
    day: 89,
    score: 96.403,
    ...rel,
    nEff: 1532.4,
    r: 0.994,
    rows: 'gold',
  },
  { name: '4', g: g60, day: 59, score: 98.767, raw: 98.869, ...rel, nEff: 1313.5, r: 0.9979, rows: 'gold' },
  {
    name: '5, n = 61',
    g: [61, 10, 4],
    said: halfDay,
    day: 60,
    score: 86.98,
    ...rel,
    nEff: 1323.5,
    r: 0.9783,
    rows: 'silver',
  },
  {
    name: '5, n = 75',
    g: [75, 10, 4],
    said: halfDay,
    day: 74,
    score: 90.78,
    ...rel,
    nEff: 1441.7,
    r: 0.9846,
    rows: 'gold',
  },
  {
    name: '5, n = 90',
    g: [90, 10, 4],
    said: halfDay,
    day: 89,
    score: 93.355,
    ...rel,
    nEff: 1532.4,
    r: 0.9889,
    rows: 'gold',
  },
  {
    name: '6',
    g: [61, 10, 4],
    said: { fails: ({ day, j, caller }) => day === 60 && j === 0 && caller < 4 },
    day: 60,
    score: 95.971,
    ...rel,
    nEff: 1323.5,
    r: 0.9933,
    rows: 'gold',
  },
  {
    name: '7',
    g: [90, 20, 20],
    said: every(20),
    day: 89,
    score: 68.214,
    raw: 81.421,
    ...rel,
    nEff: 15324,
    r: 0.947,
    rows: 'bronze',
  },
  {
    name: '8',
    g: [90, 20, 20],
    said: every(100),
    day: 89,
    score: 93.153,
    ...rel,
    nEff: 15324,
    r: 0.9886,
    rows: 'gold',
  },
  {
    name: '9',
    g: g60,
    incidents: [incidentI()],
    day: 59,
    score: 72,
    raw: 94.869,
    limited: 'incidents',
    nEff: 1313.5,
    r: 0.9979,
    rows: 'bronze',
  },
  {
    name: '10',
    g: g60,
    said: bySecond,
    incidents: [incidentI()],
    day: 59,
    score: 97.2,
    raw: 98.469,
    limited: 'incidents',
    nEff: 1313.5,
    r: 0.9979,
    rows: 'bronze',
  },
  { name: '11', g: g60, incidents: [resolvedHigh], day: 73, score: 97.478, nEff: 950.5, r: 0.9972, rows: 'gold' },
  {
    name: '12',
    g: g60,
    incidents: [integrity],
    day: 59,
    score: 20,
    raw: 88.869,
    limited: 'integrity',
    nEff: 1313.5,
    r: 0.9979,
    rows: 'none',
  },
  {
    name: '13',
    g: g60,
    said: { broken: ({ i }) => i % 400 === 0 },
    day: 59,
    score: 96.171,
    raw: 96.49,
    ...rel,
    nEff: 1313.5,
    r: 0.9936,
    rows: 'gold',
  },
  {
    name: '14, slow',
    g: g60,
    said: { slow: ({ i }) => i % 10 === 0 },
    day: 59,
    score: 92.425,
    nEff: 1313.5,
    r: 0.9979,
    rows: 'gold',
  },
  {
    name: '14, no objective',
    g: g60,
    said: { noObjective: true },
    day: 59,
    score: 83.869,
    nEff: 1313.5,
    r: 0.9979,
    rows: 'silver',
  },
  { name: '15 @89', g: g60, day: 89, score: 95.574, nEff: 656.7, r: 0.9959, rows: 'gold' },
  { name: '15 @119', g: g60, day: 119, score: 89.647, nEff: 328.4, r: 0.9918, rows: 'gold' },
  { name: '15 @149', g: g60, day: 149, score: 84.405, nEff: 164.2, r: 0.9838, rows: 'silver' },
  { name: '16', g: [60, 3, 1], day: 59, score: 77.503, nEff: 73.9, r: 0.9647, rows: 'bronze' },
  { name: '17', g: [60, 1, 1000], day: 59, score: 96.83, nEff: 798.6, r: 0.9966, rows: 'none' },
  { name: '18', g: [60, 10, 20], day: 59, score: 99.753, ...rel, nEff: 6567.4, r: 0.9996, rows: 'gold' },
  {
    name: '19',
    g: [1, 2, [100, 20]],
    said: { fails: ({ i }) => i <= 20 },
    day: 0,
    score: 36.858,
    nEff: 30.002,
    r: 0.7211,
    rows: 'none',
  },
  {
    name: '19, late',
    g: [1, 2, [100, 20]],
    said: { fails: ({ i }) => i > 80 && i <= 100 },
    day: 0,
    score: 36.858,
    nEff: 30.002,
    r: 0.7211,
    rows: 'none',
  },
  { name: '21, n = 1', g: [1, 2, 10], ...single, day: 0, score: 33.576, nEff: 20, r: 0.8808, rows: 'none' },
  { name: '21, n = 2', g: [2, 2, 10], ...single, day: 1, score: 58.981, nEff: 39.5, r: 0.936, rows: 'none' },
  { name: '21, n = 3', g: [3, 2, 10], ...single, day: 2, score: 71.461, nEff: 58.6, r: 0.9559, rows: 'bronze' },
  { name: '21, n = 14', g: [14, 2, 10], ...single, day: 13, score: 90.737, nEff: 242, r: 0.9889, rows: 'silver' },
  {
    name: '22',
    g: [30, 3, [12, 5, 3]],
    said: every(100),
    ...single,
    day: 29,
    score: 86.802,
    raw: 89.147,
    ...rel,
    nEff: 437.8,
    r: 0.978,
    rows: 'silver',
  },
  { name: '23', g: [30, 2, [100, 15]], ...single, day: 29, score: 96.964, nEff: 1121.4, r: 0.9976, rows: 'silver' },
  { name: '24', g: [30, 1, 100], ...single, day: 29, score: 95.573, nEff: 566.5, r: 0.9952, rows: 'none' },
];

const tierOf = (rows: readonly boolean[]): string =>
  ['none', 'bronze', 'silver', 'gold', 'platinum'][rows.filter(Boolean).length] ?? '';

describe('the worked numbers of orb-score/1', () => {
  for (const { name, g, said, day, profile = 'multi-tenant', incidents = [], ...want } of cases) {
    it(`case ${name}: ${want.score}, ${want.rows}`, () => {
      const { evaluation, rows } = judge(count(generate(...g), said), day, { profile, incidents });
      expect((evaluation.score_milli ?? -1) / 1000).to.be.closeTo(want.score, 0.0011);
      expect(evaluation.n_eff_milli / 1000).to.be.closeTo(want.nEff, 0.06);
      expect(evaluation.r_micro / 1_000_000).to.be.closeTo(want.r, 0.00006);
      if (want.raw !== undefined) {
        const raw = evaluation.points_milli.reduce((sum, points) => sum + points, 0) / 1000;
        expect(raw).to.be.closeTo(want.raw, 0.005);
      }
      if (want.limited !== undefined) expect(evaluation.limited_by).to.equal(want.limited);
      expect(tierOf(rows)).to.equal(want.rows);
    });
  }

  it('case 2: the points of the seven components', () => {
    const { evaluation } = judge(count(generate(5, 2, 10), { fails: ({ i }) => i === 50 }), 4);
    expect(evaluation.points_milli).to.deep.equal([10_082, 9177, 14_588, 10_000, 10_000, 695, 5000]);
    expect(evaluation.status).to.equal('scored');
  });

  it('case 20: a new version inherits its parent as pseudo-runs, its evidence not', () => {
    const parent = totalsOf(count(generate(30, 10, 4), every(333)).rows, 29);
    const none = judge(count([]), 29, { parent }).evaluation;
    expect((none.score_milli ?? -1) / 1000).to.be.closeTo(59.968, 0.0011);
    expect([none.status, none.n_eff_milli]).to.deep.equal(['provisional', 0]);
    expect(none.r_micro / 1e6).to.be.closeTo(0.9439, 0.00006);
    const own = judge(count(generate(1, 10, 4), {}, 29), 29, { parent });
    expect((own.evaluation.score_milli ?? -1) / 1000).to.be.closeTo(79.718, 0.0011);
    expect([own.evaluation.n_eff_milli, tierOf(own.rows)]).to.deep.equal([40_000, 'none']);
    expect(own.evaluation.r_micro / 1e6).to.be.closeTo(0.9681, 0.00006);
  });

  it('a score without a run and without a parent is none', () => {
    const { evaluation } = judge(count([]), 0);
    expect([evaluation.status, evaluation.score_milli]).to.deep.equal(['unscored', undefined]);
  });

  it('the provisional cases have a number and no tier', () => {
    for (const [days, per] of [
      [1, 12],
      [60, 1000],
    ] as const)
      expect(judge(count(generate(days, 1, per)), days - 1).evaluation.status).to.equal('provisional');
  });

  it('the Wilson bound of clean runs', () => {
    const table = [
      [10, 0.787],
      [30, 0.917],
      [50, 0.949],
      [100, 0.974],
      [300, 0.991],
      [1000, 0.997],
      [3000, 0.999],
    ] as const;
    for (const [n, bound] of table) expect(wilson(n, n)).to.be.closeTo(bound, 0.0005);
  });

  it('the decay tables are those of the reference, by their digests', () => {
    const hash = (table: readonly number[]): string => createHash('sha256').update(JSON.stringify(table)).digest('hex');
    expect(hash(runDecay)).to.equal('ef2481cc9f03fef3ee1b8e67deb69dad9a8d57aeb53ed9a348926edff8bdc638');
    expect(hash(incidentDecay)).to.equal('a4a1e5ff9adfbf070cd4c7c3cabf979624b4f7445f868f150e1c41c2db506bf7');
  });

  it('the weight of the runs of one caller on one day grows ever slower', () => {
    const table = [
      [1, 1000],
      [20, 20_000],
      [21, 20_952],
      [100, 51_757],
      [1000, 97_277],
      [10_000, 139_227],
      [20_000, 149_227],
      [1e6, 149_227],
    ];
    for (const [n = 0, weight] of table) expect(callerDayWeight(n)).to.equal(weight);
  });
});
