import { expect } from 'chai';
import { totalsOf } from '../../../plugins/ledger/score/totals.ts';
import { count, generate, judge, type Said } from './generator.ts';
import { every, g60, itComesTo, rel, tierOf, type Case } from './worked.ts';

const halfDay: Said = { fails: ({ day, j }) => day === 60 && j < 2 };

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
];

describe('the worked numbers of orb-score/1', () => {
  itComesTo(cases, 'multi-tenant');

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
});
