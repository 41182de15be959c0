import { expect } from 'chai';
import type { IncidentRow } from '../../../../plugins/ingestion/incidents/model/record.ts';
import { noon, openBench, signalOf, sourceOf, type Said } from './bench.ts';
import type { SourcePolicy } from '../../../../plugins/ingestion/sources/settings/schema.ts';

interface Course {
  readonly name: string;
  readonly policy?: Partial<SourcePolicy>;
  readonly said: readonly Said[];
  /** Seconds after noon at which it is looked at. */
  readonly at: number;
  /** `<state> <severity> <start>-<end>[ what else]` of each, by start; seconds after noon. */
  readonly expected: readonly string[];
}

const fire = (at: number, more: Partial<Said> = {}): Said => ({ at, ...more });
const calm = (at: number, more: Partial<Said> = {}): Said => ({ at, state: 'resolved', ...more });

const courses: readonly Course[] = [
  { name: 'a firing opens at its own time', said: [fire(-60)], at: 0, expected: ['open critical -60-'] },
  { name: 'nothing below the least severity opens', said: [fire(0, { severity: 'info' })], at: 9, expected: [] },
  {
    name: 'the worst severity stays the severity of the incident',
    said: [fire(0, { severity: 'warning' }), fire(5, { severity: 'critical' }), fire(9, { severity: 'warning' })],
    at: 10,
    expected: ['open critical 0-'],
  },
  {
    name: 'the severity of a resolved state counts nothing',
    said: [fire(0, { severity: 'warning' }), calm(30, { severity: 'critical' })],
    at: 90,
    expected: ['resolved warning 0-30'],
  },
  {
    name: 'a resolved state holds before it closes',
    said: [fire(0), calm(30)],
    at: 60,
    expected: ['open critical 0-'],
  },
  { name: 'and closes at its own time', said: [fire(0), calm(30)], at: 90, expected: ['resolved critical 0-30'] },
  {
    name: 'a firing within the hold cancels the close',
    said: [fire(0), calm(30), fire(80)],
    at: 3600,
    expected: ['open critical 0-'],
  },
  {
    name: 'a firing within the reopen window opens the same incident again',
    said: [fire(0), calm(30), fire(500), calm(600)],
    at: 3600,
    expected: ['resolved critical 0-600 reopened 1'],
  },
  {
    name: 'a firing at the end of the reopen window belongs to it',
    said: [fire(0), calm(30), fire(930), calm(1000)],
    at: 3600,
    expected: ['resolved critical 0-1000 reopened 1'],
  },
  {
    name: 'a firing after the reopen window opens another',
    said: [fire(0), calm(30), fire(931), calm(1000)],
    at: 3600,
    expected: ['resolved critical 0-30', 'resolved critical 931-1000'],
  },
  {
    name: 'what reopens thrice in an hour stays open until it was quiet for half an hour',
    said: [0, 300, 600, 900].flatMap((at) => [fire(at), calm(at + 100)]),
    at: 1000 + 1799,
    expected: ['open critical 0- reopened 3 flapping'],
  },
  {
    name: 'what fires again within that half hour belongs to it, and is no other incident',
    said: [...[0, 300, 600, 900, 2700].flatMap((at) => [fire(at), calm(at + 100)])],
    at: 2800 + 1799,
    expected: ['open critical 0- reopened 3 flapping'],
  },
  {
    name: 'and what fires after it opens another',
    said: [...[0, 300, 600, 900, 2801].flatMap((at) => [fire(at), calm(at + 100)])],
    at: 2901 + 60,
    expected: ['resolved critical 0-1000 reopened 3 flapping', 'resolved critical 2801-2901'],
  },
  {
    name: 'what reopens thrice in more than an hour does not',
    said: [fire(0), calm(2000), fire(2500), calm(4500), fire(5000), calm(7000), fire(7500), calm(7600)],
    at: 7660,
    expected: ['resolved critical 0-7600 reopened 3'],
  },
  {
    name: 'and closes then',
    said: [0, 300, 600, 900].flatMap((at) => [fire(at), calm(at + 100)]),
    at: 1000 + 1800,
    expected: ['resolved critical 0-1000 reopened 3 flapping'],
  },
  {
    name: 'all alerts must be resolved',
    said: [fire(0), fire(10, { alert: 'b' }), calm(30)],
    at: 3600,
    expected: ['open critical 0-'],
  },
  {
    name: 'by the policy `last` the alert that began last decides',
    policy: { auto_resolve: 'last' },
    said: [fire(0), fire(10, { alert: 'b' }), calm(30, { alert: 'b' })],
    at: 3600,
    expected: ['resolved critical 0-30'],
  },
  {
    name: 'by the policy `never` only a person resolves',
    policy: { auto_resolve: 'never', ttl_s: 60 },
    said: [fire(0), calm(30)],
    at: 86_400,
    expected: ['open critical 0-'],
  },
  {
    name: 'a time to live ends what never resolves, and says so',
    policy: { ttl_s: 600 },
    said: [fire(0), fire(300)],
    at: 3600,
    expected: ['resolved critical 0-900 expired'],
  },
  {
    name: 'what resolves at the very end of its time to live has resolved',
    policy: { ttl_s: 600 },
    said: [fire(0), calm(600)],
    at: 3600,
    expected: ['resolved critical 0-600'],
  },
  {
    name: 'and after it has expired before',
    policy: { ttl_s: 600 },
    said: [fire(0), calm(601)],
    at: 3600,
    expected: ['resolved critical 0-600 expired'],
  },
  {
    name: 'a firing must last before it opens',
    policy: { for_s: 120 },
    said: [fire(0), calm(119), fire(5000)],
    at: 5119,
    expected: [],
  },
  {
    name: 'and opens with its true start',
    policy: { for_s: 120 },
    said: [fire(0), calm(119), fire(5000)],
    at: 5120,
    expected: ['open critical 5000-'],
  },
  {
    name: 'an acknowledgement keeps the clock running',
    said: [fire(0), { at: 10, state: 'acknowledged' }],
    at: 60,
    expected: ['acknowledged critical 0-'],
  },
  { name: 'what is unknown opens nothing', said: [{ at: 0, state: 'unknown' }], at: 60, expected: [] },
  { name: 'an acknowledgement alone opens nothing', said: [{ at: 0, state: 'acknowledged' }], at: 60, expected: [] },
  {
    name: 'what is unknown does not close either',
    said: [fire(0), { at: 10, state: 'unknown' }],
    at: 3600,
    expected: ['open critical 0-'],
  },
  {
    name: 'what the vendor mutes is over',
    said: [fire(0), { at: 40, state: 'suppressed' }],
    at: 3600,
    expected: ['resolved critical 0-40 suppressed'],
  },
];

const second = (time: string): number => (Date.parse(time) - noon) / 1000;

function shown({ facts, shown: { reopen_count, flapping, ending } }: IncidentRow): string {
  const { state, severity, starts_at, ends_at } = facts;
  const words = [
    `${state} ${severity} ${second(starts_at)}-${ends_at === undefined ? '' : second(ends_at)}`,
    ...(reopen_count > 0 ? [`reopened ${reopen_count}`] : []),
    ...(flapping ? ['flapping'] : []),
    ...(ending === undefined || ending === 'recovered' ? [] : [ending]),
  ];
  return words.join(' ');
}

describe('the course of an incident', () => {
  for (const { name, policy, said, at, expected } of courses) {
    for (const order of ['in order', 'in reverse'])
      it(`${name} (${order})`, async () => {
        const bench = await openBench();
        const source = sourceOf('one', policy);
        const all = order === 'in order' ? said : [...said].reverse();
        for (const one of all) await bench.deliver(source, [signalOf(source, one)]);
        await bench.tick(noon + at * 1000);
        const found = [...bench.live()].sort((a, b) => (a.facts.starts_at < b.facts.starts_at ? -1 : 1));
        expect(found.map(shown)).to.deep.equal(expected);
        await bench.close();
      });
  }

  it('a late signal that joins two incidents retracts the later, which names where it went', async () => {
    const bench = await openBench();
    const source = sourceOf('one');
    for (const said of [fire(0), calm(30), fire(1500), calm(1600)])
      await bench.deliver(source, [signalOf(source, said)]);
    await bench.tick(noon + 3_600_000);
    const [first, later] = [...bench.live()].reverse();
    for (const said of [fire(700, { alert: 'b' }), calm(800, { alert: 'b' })])
      await bench.deliver(source, [signalOf(source, said)]);
    expect(bench.live().map(shown)).to.deep.equal(['resolved critical 0-1600 reopened 2']);
    expect(bench.live()[0]?.incident_id).to.equal(first?.incident_id);
    const gone = bench.reads.incident(later?.incident_id ?? '');
    expect(gone).to.deep.include({ retracted: true, merged_into: first?.incident_id });
    expect(gone?.facts.reason).to.equal('merged');
    expect(gone?.facts.principal).to.equal(undefined);
    await bench.close();
  });

  it('a firing that arrives after its own resolution is attested once, opened and closed', async () => {
    const bench = await openBench();
    const source = sourceOf('one');
    await bench.deliver(source, [signalOf(source, calm(30))]);
    bench.now(noon + 3_600_000);
    await bench.deliver(source, [signalOf(source, fire(0))]);
    expect(bench.facts.map(({ fact }) => [fact.facts.change, fact.facts.state])).to.deep.equal([
      ['opened', 'resolved'],
    ]);
    expect(bench.facts[0]?.fact.facts.deliveries).to.have.length(2);
    await bench.close();
  });

  it('what was over long ago is forgotten and stands; a person can no longer change it', async () => {
    let bench = await openBench();
    const source = sourceOf('one');
    for (const said of [fire(0), calm(30)]) await bench.deliver(source, [signalOf(source, said)]);
    await bench.tick(noon + 3_600_000);
    const [old] = bench.live();
    bench.now(noon + 200 * 86_400_000);
    await bench.side.forget(noon + 80 * 86_400_000);
    expect(bench.reads.eventsOf(old?.incident_id ?? '')).to.deep.equal([]);
    bench = await bench.restart();
    const late = 200 * 86_400;
    await bench.deliver(source, [signalOf(source, fire(late))]);
    expect(bench.live().map(shown)).to.deep.equal([`open critical ${late}-`, 'resolved critical 0-30']);
    const route = bench.side.routes.find(({ path }) => path.endsWith('/retract'));
    const call = { params: old, body: { reason: 'late' }, principal: { id: 'prn_01JD5ZK0000000000000000000' } };
    const refused = await Promise.resolve(route?.handle(call as never)).catch((error: unknown) => error);
    expect(refused).to.have.property('code', 'incident_conflict');
    await bench.close();
  });

  it('a taken-back signal is as if it had never come, and what replaces it stays in the incident', async () => {
    const bench = await openBench();
    const source = sourceOf('one');
    const signal = signalOf(source, fire(0));
    await bench.deliver(source, [signal]);
    const [before] = bench.live();
    const again = { ...signal, signal_id: signal.signal_id.replace(/.$/, 'Z'), severity: 'warning' as const };
    await bench.deliver(source, [again], [signal.signal_id]);
    expect(bench.live().map(({ incident_id }) => incident_id)).to.deep.equal([before?.incident_id]);
    expect(bench.live().map(shown)).to.deep.equal(['open warning 0-']);
    await bench.deliver(source, [], [again.signal_id]);
    expect(bench.live()).to.deep.equal([]);
    expect(bench.reads.incident(before?.incident_id ?? '')?.facts.reason).to.equal('withdrawn');
    await bench.close();
  });
});
