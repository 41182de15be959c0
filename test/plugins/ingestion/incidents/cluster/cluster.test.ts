import { expect } from 'chai';
import { closingOf, clustersOf, type Cluster } from '../../../../../plugins/ingestion/incidents/cluster/cluster.ts';
import type { Act } from '../../../../../plugins/ingestion/incidents/model/record.ts';
import type { Episode } from '../../../../../plugins/ingestion/incidents/cluster/episode.ts';
import type { SourcePolicy } from '../../../../../plugins/ingestion/sources/settings/schema.ts';
import { act, episode } from './events.ts';

interface Row {
  readonly name: string;
  readonly episodes: readonly Episode[];
  /** Of each: `<start>-<end>` per span, then `closes <second>`, `reopened <n>`, `flapping` and the act. */
  readonly expected: readonly string[];
}

const hold = { hold_s: 60 };
const reopen = { reopen_window_s: 100 };
const last = { auto_resolve: 'last' } as const;
const by = (one: Act): Partial<Episode> => ({ act: one });
const other = { fingerprint: 'g' };
/** Episodes of 10 s that begin at these seconds. */
const bouts = (starts: readonly number[], own: Partial<SourcePolicy>): readonly Episode[] =>
  starts.map((start) => episode(start, start + 10, {}, own));

const rows: readonly Row[] = [
  { name: 'nothing is no incident', episodes: [], expected: [] },
  { name: 'an open episode is an open one', episodes: [episode(0)], expected: ['0-'] },
  { name: 'an episode that ended closes at its end', episodes: [episode(0, 10)], expected: ['0-10 closes 10'] },
  { name: 'or after the time to hold', episodes: [episode(0, 10, {}, hold)], expected: ['0-10 closes 70'] },
  { name: 'episodes that overlap are one', episodes: [episode(0, 10), episode(5, 20)], expected: ['0-20 closes 20'] },
  {
    name: 'the longer one counts, whichever began first',
    episodes: [episode(0, 20), episode(5, 10)],
    expected: ['0-20 closes 20'],
  },
  { name: 'an open one keeps the other open', episodes: [episode(0), episode(5, 10)], expected: ['0-'] },
  { name: 'and is kept open by a later one', episodes: [episode(0, 10), episode(5)], expected: ['0-'] },
  { name: 'episodes that touch are one', episodes: [episode(0, 10), episode(10, 20)], expected: ['0-20 closes 20'] },
  {
    name: 'episodes apart are two',
    episodes: [episode(0, 10), episode(11, 20)],
    expected: ['0-10 closes 10', '11-20 closes 20'],
  },
  { name: 'an episode within the hold goes on', episodes: bouts([0, 70], hold), expected: ['0-80 closes 140'] },
  {
    name: 'an episode after the hold does not',
    episodes: bouts([0, 71], hold),
    expected: ['0-10 closes 70', '71-81 closes 141'],
  },
  {
    name: 'an episode within the window reopens',
    episodes: bouts([0, 110], reopen),
    expected: ['0-10 110-120 closes 120 reopened 1'],
  },
  {
    name: 'an episode after the window does not',
    episodes: bouts([0, 111], reopen),
    expected: ['0-10 closes 10', '111-121 closes 121'],
  },
  {
    name: 'within hold and window it goes on',
    episodes: bouts([0, 70], { ...hold, ...reopen }),
    expected: ['0-80 closes 140'],
  },
  {
    name: 'after the hold, within the window, it reopens',
    episodes: bouts([0, 71], { ...hold, ...reopen }),
    expected: ['0-10 71-81 closes 141 reopened 1'],
  },
  {
    name: 'the policy of the first counts for all',
    episodes: [episode(0, 10, {}, reopen), episode(50, 60), episode(150, 160, {}, { hold_s: 999 })],
    expected: ['0-10 50-60 150-160 closes 160 reopened 2'],
  },
  {
    name: 'by the policy `last` the one that began last decides',
    episodes: [episode(0, undefined, {}, last), episode(5, 10, other, last)],
    expected: ['0-10 closes 10'],
  },
  {
    name: 'also when the other one ends later',
    episodes: [episode(0, 30, {}, last), episode(5, 10, other, last)],
    expected: ['0-10 closes 10'],
  },
  {
    name: 'also when it is open',
    episodes: [episode(0, 30, {}, last), episode(5, undefined, other, last)],
    expected: ['0-'],
  },
  {
    name: 'what reopens thrice within an hour flaps, and closes half an hour later',
    episodes: bouts([0, 100, 200, 300], reopen),
    expected: ['0-10 100-110 200-210 300-310 closes 2110 reopened 3 flapping'],
  },
  {
    name: 'what flaps takes in what comes within that half hour',
    episodes: bouts([0, 100, 200, 300, 2110], reopen),
    expected: ['0-10 100-110 200-210 300-2120 closes 3920 reopened 3 flapping'],
  },
  {
    name: 'what reopens twice does not flap',
    episodes: bouts([0, 100, 200], reopen),
    expected: ['0-10 100-110 200-210 closes 210 reopened 2'],
  },
  {
    name: 'the first opening is no reopening',
    episodes: bouts([0, 50, 3601, 3650], { reopen_window_s: 9999 }),
    expected: ['0-10 50-60 3601-3611 3650-3660 closes 3660 reopened 3'],
  },
  {
    name: 'what reopened an hour ago no longer counts',
    episodes: bouts([0, 100, 1000, 3700], { reopen_window_s: 9999 }),
    expected: ['0-10 100-110 1000-1010 3700-3710 closes 3710 reopened 3'],
  },
  {
    name: 'what reopened less than an hour ago counts',
    episodes: bouts([0, 101, 1000, 3700], { reopen_window_s: 9999 }),
    expected: ['0-10 101-111 1000-1010 3700-3710 closes 5510 reopened 3 flapping'],
  },
  {
    name: 'a hold that is longer than the half hour stays',
    episodes: bouts([0, 5000, 5100, 5200], { hold_s: 2000, reopen_window_s: 9999 }),
    expected: ['0-10 5000-5210 closes 7210 reopened 1'],
  },
  {
    name: 'what a person ended closes at once',
    episodes: [episode(0, 10, { ...by(act('resolved', 10)), ending: 'manual' }, hold)],
    expected: ['0-10 closes 10 resolved'],
  },
  {
    name: 'what a person ended before it ended by itself is held',
    episodes: [episode(0, 10, { ending: 'manual' }, hold), episode(5, 20, other, hold)],
    expected: ['0-20 closes 80'],
  },
  {
    name: 'what a person resolved takes in no later episode',
    episodes: [episode(0, 10, by(act('resolved', 10)), reopen), episode(50, 60, {}, reopen)],
    expected: ['0-10 closes 10 resolved', '50-60 closes 60'],
  },
  {
    name: 'but one that came late and was over before',
    episodes: [episode(0, 10, by(act('resolved', 60)), reopen), episode(50, 60, {}, reopen)],
    expected: ['0-10 50-60 closes 60 reopened 1 resolved'],
  },
  {
    name: 'not one that was over after it',
    episodes: [episode(0, 10, by(act('resolved', 59)), reopen), episode(50, 60, {}, reopen)],
    expected: ['0-10 closes 10 resolved', '50-60 closes 60'],
  },
  {
    name: 'not one that is open',
    episodes: [episode(0, 10, by(act('resolved', 60)), reopen), episode(50, undefined, {}, reopen)],
    expected: ['0-10 closes 10 resolved', '50-'],
  },
  {
    name: 'not one that is too late for it',
    episodes: [episode(0, 10, by(act('resolved', 500)), reopen), episode(111, 120, {}, reopen)],
    expected: ['0-10 closes 10 resolved', '111-120 closes 120'],
  },
  {
    name: 'not one that is too early for it',
    episodes: [episode(0, 10, {}, reopen), episode(111, 120, by(act('resolved', 500)), reopen)],
    expected: ['0-10 closes 10', '111-120 closes 120 resolved'],
  },
  {
    name: 'one that was early enough comes first in it',
    episodes: [episode(110, 120, by(act('resolved', 500)), reopen), episode(0, 10, {}, reopen)],
    expected: ['0-10 110-120 closes 120 reopened 1 resolved'],
  },
  {
    name: 'what two persons resolved apart are two',
    episodes: [episode(0, 10, by(act('resolved', 10)), reopen), episode(5, 20, by(act('resolved', 20)), reopen)],
    expected: ['0-10 closes 10 resolved', '5-20 closes 20 resolved'],
  },
  {
    name: 'what was retracted is one, however far apart, and takes in nothing',
    episodes: ((one) => [episode(0, 10, by(one)), episode(500, 510, by(one)), episode(505, 507, other)])(
      act('retracted', 600),
    ),
    expected: ['0-10 500-510 closes 510 reopened 1 retracted', '505-507 closes 507'],
  },
];

function shown(cluster: Cluster): string {
  const { spans, reopened, flapping } = cluster;
  const second = (ms: number | undefined): string => (ms === undefined ? '' : String(ms / 1000));
  const closes = closingOf(cluster);
  return [
    ...spans.map(({ from_ms, to_ms }) => `${second(from_ms)}-${second(to_ms)}`),
    ...(closes === undefined ? [] : [`closes ${second(closes)}`]),
    ...(reopened > 0 ? [`reopened ${reopened}`] : []),
    ...(flapping ? ['flapping'] : []),
    ...(cluster.act === undefined ? [] : [cluster.act.kind]),
  ].join(' ');
}

describe('the incidents of a key', () => {
  for (const { name, episodes, expected } of rows)
    it(name, () => {
      expect(clustersOf(episodes).map(shown)).to.deep.equal(expected);
      expect(clustersOf([...episodes].reverse()).map(shown), 'in reverse').to.deep.equal(expected);
    });

  it('have their episodes by start, then by alert', () => {
    const all = [
      episode(5, 9, { fingerprint: 'b' }),
      episode(5, 9, { fingerprint: 'a' }),
      episode(0, 9, { fingerprint: 'z' }),
    ];
    for (const episodes of [all, [...all].reverse()])
      expect(clustersOf(episodes)[0]?.episodes.map(({ fingerprint }) => fingerprint)).to.deep.equal(['z', 'a', 'b']);
  });

  it('have no act unless one of their episodes has one', () => {
    expect(clustersOf([episode(0)])[0]).to.not.have.property('act');
  });
});
