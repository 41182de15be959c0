import { expect } from 'chai';
import type { Profile } from '../../../plugins/ledger/contract.ts';
import { count, generate, timeline, type Said } from './generator.ts';

const every = (n: number): Said => ({ fails: ({ i }) => i % n === 0 });
const long = ['bronze 2', 'silver 19', 'gold 35'];

interface Row {
  readonly name: string;
  readonly g: readonly [number, number, number | readonly number[]];
  readonly said?: Said;
  readonly until: number;
  readonly profile?: Profile;
  readonly tiers: readonly string[];
}

const rows: readonly Row[] = [
  { name: 'one failure in 2000', g: [120, 10, 4], said: every(2000), until: 119, tiers: long },
  {
    name: 'half a day of outage is forgiven',
    g: [130, 10, 4],
    said: { fails: ({ day, j }) => day === 60 && j < 2 },
    until: 129,
    tiers: long,
  },
  {
    name: 'three half days of outage cost gold for weeks',
    g: [130, 10, 4],
    said: { fails: ({ day, j }) => day >= 60 && day <= 62 && j < 2 },
    until: 129,
    tiers: [...long, 'bronze 63', 'silver 78', 'gold 110'],
  },
  {
    name: 'a lasting decay',
    g: [200, 10, 4],
    said: { fails: ({ day, i }) => day >= 60 && i % 12 === 0 },
    until: 199,
    tiers: [...long, 'silver 70', 'bronze 82', 'none 110'],
  },
  { name: 'idle', g: [60, 10, 4], until: 230, tiers: [...long, 'silver 135', 'bronze 182', 'none 202'] },
  {
    name: 'single-org, two callers',
    g: [120, 2, 10],
    until: 119,
    profile: 'single-org',
    tiers: ['bronze 2', 'silver 12', 'gold 20'],
  },
  {
    name: 'single-org, three uneven callers, one failure in 100',
    g: [120, 3, [12, 5, 3]],
    said: every(100),
    until: 119,
    profile: 'single-org',
    tiers: ['bronze 2', 'silver 12', 'gold 51'],
  },
  {
    name: 'single-org, two small callers, one failure in 100',
    g: [120, 2, [5, 3]],
    said: every(100),
    until: 119,
    profile: 'single-org',
    tiers: ['bronze 5', 'silver 21'],
  },
  { name: 'single-org, one caller', g: [120, 1, 100], until: 119, profile: 'single-org', tiers: [] },
];

describe('the timelines of tiers', () => {
  for (const { name, g, said, until, profile, tiers } of rows)
    it(`${name}: ${tiers.join(', ') || 'none'}`, () => {
      expect(timeline(count(generate(...g), said), until, profile)).to.deep.equal(tiers);
    });
});
