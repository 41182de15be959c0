import { every, itComesTo, rel, type Case } from './worked.ts';

const cases: readonly Case[] = [
  { name: '21, n = 1', g: [1, 2, 10], day: 0, score: 33.576, nEff: 20, r: 0.8808, rows: 'none' },
  { name: '21, n = 2', g: [2, 2, 10], day: 1, score: 58.981, nEff: 39.5, r: 0.936, rows: 'none' },
  { name: '21, n = 3', g: [3, 2, 10], day: 2, score: 71.461, nEff: 58.6, r: 0.9559, rows: 'bronze' },
  { name: '21, n = 14', g: [14, 2, 10], day: 13, score: 90.737, nEff: 242, r: 0.9889, rows: 'silver' },
  {
    name: '22',
    g: [30, 3, [12, 5, 3]],
    said: every(100),
    day: 29,
    score: 86.802,
    raw: 89.147,
    ...rel,
    nEff: 437.8,
    r: 0.978,
    rows: 'silver',
  },
  { name: '23', g: [30, 2, [100, 15]], day: 29, score: 96.964, nEff: 1121.4, r: 0.9976, rows: 'silver' },
  { name: '24', g: [30, 1, 100], day: 29, score: 95.573, nEff: 566.5, r: 0.9952, rows: 'none' },
];

describe('the worked numbers of a platform of one organization', () => {
  itComesTo(cases, 'single-org');
});
