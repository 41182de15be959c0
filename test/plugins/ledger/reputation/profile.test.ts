import { expect } from 'chai';
import { newOrb, type OrbState } from '../../../../plugins/ledger/projection/orb.ts';
import { Projection } from '../../../../plugins/ledger/projection/projection.ts';
import { stateOf } from '../../../../plugins/ledger/projection/state.ts';
import { Summing, type MinuteRange } from '../../../../plugins/ledger/projection/tallies.ts';
import { incidentDebts } from '../../../../plugins/ledger/reputation/incident-debts.ts';
import { closedByHand, profileOf, shownScore } from '../../../../plugins/ledger/reputation/profile.ts';
import type { LedgerReads } from '../../../../plugins/ledger/tables/reads.ts';
import type { ProviderMinutes } from '../../../../plugins/ledger/score/debt.ts';
import type { CallerDay } from '../../../../plugins/ledger/score/totals.ts';
import { newMachine } from '../../../../plugins/ledger/tier/machine.ts';
import { incidentI } from '../generator.ts';
import type { Incident } from '../../../../plugins/ledger/fact/incident.ts';

const orbId = 'acme.tool@1.1.0';
const day = 60;
const time = (at: number): string => new Date(at * 86_400_000).toISOString();
const row = (more: Partial<CallerDay> = {}): CallerDay => ({
  ...{ day, caller: 'c1', ok: 10, fault: 0, broken: 0, fast: 8, slow: 2 },
  ...more,
});
const half: readonly ProviderMinutes[] = [
  { provider: 'a', n: 5, fault: 0 },
  { provider: 'b', n: 5, fault: 0 },
];

/** What may be said of the Orb. */
interface Said {
  readonly orb?: Partial<OrbState>;
  readonly rows?: readonly CallerDay[];
  readonly incidents?: readonly Incident[];
  readonly causes?: readonly string[];
  readonly others?: readonly Readonly<Record<string, number>>[];
  readonly ids?: boolean;
  readonly parent?: boolean;
  /** What the log says of incidents while the reads are awaited. */
  readonly meanwhile?: Incident;
}
async function profile({
  orb,
  rows = [],
  incidents = [],
  causes = [],
  others = [],
  ids = false,
  parent = false,
  meanwhile,
}: Said = {}) {
  const state = stateOf({});
  state.orbs.set(orbId, { ...newOrb(orbId), ...orb });
  if (parent) state.orbs.set('acme.tool@1.0.0', newOrb('acme.tool@1.0.0'));
  for (const incident of incidents) state.incidents.set(incident.incident_id, incident);
  const asked: (readonly number[])[] = [];
  const minutes: (readonly number[])[] = [];
  const reads = {
    async callerDays(id: string) {
      await Promise.resolve();
      if (meanwhile !== undefined) state.incidents.set(meanwhile.incident_id, meanwhile);
      return id === orbId ? rows : [row()];
    },
    minutes: (_: string, from: number, to: number) => (minutes.push([from / 1440, (to + 1) / 1440]), half),
    minutesOf: (ranges: readonly MinuteRange[]) => ranges.map(() => half),
    othersOf: (_: string, from: number, to: number) => (asked.push([from, to]), others.map((one) => ({ others: one }))),
  } as unknown as LedgerReads;
  const found = await profileOf({
    ...{ orbId, day, projection: new Projection(state, new Summing(), reads), reads, causes },
    ...{ profile: 'single-org', withIncidentIds: ids },
  });
  return { ...found, asked, minutes };
}
const reasonOf = async (said: Said, name: string) => {
  const found = (await profile(said)).components.find((one) => one.name === name);
  return [found?.reason, found?.counts];
};

describe('the profile of an Orb', () => {
  it('is that of its runs until now', async () => {
    const shown = await profile({
      rows: [row(), row({ caller: 'c2' })],
      orb: { machine: { ...newMachine, since: '1970-02-01' } },
    });
    expect(shown).to.include({ orb_id: orbId, status: 'scored', certification_tier: 'none', tier_since: '1970-02-01' });
    expect(shown.reputation_score).to.be.a('number');
    expect(shown.lineage).to.deep.equal({ version: '1.1.0' });
    expect(shown.evidence).to.include({ runs_counted: 20, callers: 2, effective_runs: 20, effective_callers: 2 });
    expect(shown.next_tier?.tier).to.equal('bronze');
    expect(shown).to.not.have.any.keys('suspension_causes', 'suspended_tier');
  });

  it('names what limits the score', async () => {
    const integrity = incidentI({ integrity: true, scope: [{ kind: 'orb', id: orbId }] });
    const rows = ['c1', 'c2', 'c3'].map((caller) => row({ caller, ok: 500, fast: 500, slow: 0 }));
    expect((await profile({ rows, incidents: [integrity] })).limited_by).to.equal('integrity');
    const failing = rows.map((one) => ({ ...one, fault: 80 }));
    expect((await profile({ rows: failing })).limited_by).to.equal('reliability');
  });

  it('of an Orb that nobody ran shows no score', async () => {
    const shown = await profile();
    expect(shown).to.include({ status: 'unscored', reputation_score: null, score_exact: null });
    expect(shown).to.not.have.any.keys('limited_by', 'tier_since');
  });

  it('names the version that it inherits from', async () => {
    expect((await profile({ parent: true })).lineage).to.deep.equal({
      version: '1.1.0',
      inherits_from: 'acme.tool@1.0.0',
    });
  });

  it('of a suspended Orb names the causes, and the tier that returns', async () => {
    const machine = { ...newMachine, tier: 'gold' } as const;
    expect(await profile({ causes: ['operator'], orb: { machine } })).to.deep.include({
      ...{ status: 'suspended', certification_tier: 'none', suspension_causes: ['operator'], suspended_tier: 'gold' },
    });
    expect(await profile({ causes: ['operator'] })).to.not.have.property('suspended_tier');
  });

  it('sums what does not count over the window, apart from swaps and resolutions', async () => {
    const others = [{ sandbox: 2, swaps: 1 }, { sandbox: 3, self: 1, resolved_ok: 4 }, { resolved_ok: 1 }];
    const { evidence, asked } = await profile({ others });
    expect(evidence).to.deep.include({ excluded: { sandbox: 5, self: 1 }, resolved_ok: 5 });
    expect(asked).to.deep.equal([[day - 179, day]]);
    expect((await profile()).evidence).to.deep.include({ excluded: {}, resolved_ok: 0 });
  });

  it('gives for each component its reason', async () => {
    const broken = { rows: [row({ ok: 9, fault: 1, broken: 1 })] };
    expect((await reasonOf(broken, 'contract'))[0]).to.equal('some outputs broke the schema');
    expect(await reasonOf({ rows: [row()] }, 'contract')).to.deep.equal([
      'no outputs broke the schema',
      { effective_good: 10, effective_broken: 0 },
    ]);
    expect(await reasonOf({ rows: [row()] }, 'latency')).to.deep.equal([
      'share of runs within the latency objective',
      { effective_fast: 8, effective_slow: 2 },
    ]);
    const unmeasured = { rows: [row({ fast: 0, slow: 0 })] };
    expect((await reasonOf(unmeasured, 'latency'))[0]).to.equal('no run was measured against a latency objective');
    expect((await reasonOf({}, 'integrity'))[0]).to.equal('every audited receipt verifies');
    const integrity = incidentI({ integrity: true, scope: [{ kind: 'orb', id: orbId }] });
    expect((await reasonOf({ incidents: [integrity] }, 'integrity'))[0]).to.equal('a receipt does not verify');
    expect(await reasonOf({}, 'incidents')).to.deep.equal(['no incident weighs on it', { debt: 0 }]);
    expect((await reasonOf({ incidents: [incidentI()] }, 'incidents'))[0]).to.contain('incidents weigh on it');
    expect((await reasonOf({}, 'freshness'))[0]).to.equal('no good run in the window');
    expect((await reasonOf({ rows: [row()] }, 'freshness'))[0]).to.equal('full for 7 days after a good run');
  });

  it('shows points and tenths, rounded down', () => {
    expect(shownScore({ score_milli: 72_999 })).to.deep.equal({ reputation_score: 72, score_exact: 72.9 });
    expect(shownScore({})).to.deep.equal({ reputation_score: null, score_exact: null });
  });
});

describe('the providers of an Orb', () => {
  it('are those of the minutes of the window, from the first of its first day to the last of its last', async () => {
    const named = incidentI({ retracted: true, scope: [{ kind: 'provider', id: 'a' }] });
    expect((await profile({ incidents: [named] })).minutes).to.deep.equal([[day - 179, day + 1]]);
  });

  it('are not read unless an incident that a person closed names a provider', async () => {
    const ofOrb = incidentI({ retracted: true, scope: [{ kind: 'orb', id: orbId }] });
    for (const incidents of [[], [ofOrb], [incidentI()]])
      expect((await profile({ incidents })).minutes).to.deep.equal([]);
  });
});

describe('the incidents in a profile', () => {
  const over = { incident_id: 'inc_2', state: 'resolved', ends_at: time(day) } as const;

  it('are the open ones and those that decay, by day, without ids unless asked', async () => {
    const incidents = [incidentI(), incidentI(over)];
    const { open, decaying, debt_milli } = (await profile({ incidents })).incidents;
    expect(open.map(({ state, opened_day, debt_milli: debt }) => [state, opened_day, debt])).to.deep.equal([
      ['open', '1970-03-01', 20_000],
    ]);
    expect(open[0]).to.not.have.any.keys('resolved_day', 'incident_id');
    expect(decaying.map(({ state, resolved_day }) => [state, resolved_day])).to.deep.equal([
      ['resolved', '1970-03-02'],
    ]);
    expect(debt_milli).to.equal(20_000);
    expect((await profile({ incidents, ids: true })).incidents.open[0]).to.include({
      ...{ incident_id: 'inc_1', evidence: '/incidents/inc_1/evidence' },
    });
  });

  it('are shown as open until the end of the day before their end', async () => {
    const tomorrow = incidentI({ state: 'resolved', ends_at: time(day + 1) });
    const [shown] = (await profile({ incidents: [tomorrow] })).incidents.open;
    expect(shown).to.include({ state: 'open' }).and.to.not.have.property('resolved_day');
  });

  it('are none of a provider that it did not use', async () => {
    const elsewhere = incidentI({ scope: [{ kind: 'provider', id: 'z' }] });
    expect((await profile({ incidents: [elsewhere] })).incidents.open).to.deep.equal([]);
    const retracted = async (kind: 'orb' | 'provider' | 'component', id: string) =>
      (await profile({ incidents: [incidentI({ scope: [{ kind, id }], retracted: true })] })).incidents.retracted;
    expect([await retracted('orb', orbId), await retracted('provider', 'a')]).to.deep.equal([1, 1]);
    expect([await retracted('orb', 'a'), await retracted('provider', 'z')]).to.deep.equal([0, 0]);
    expect(await retracted('component', 'a')).to.equal(0);
  });

  it('are those of one moment: what the log says while counts are read is in no part of the answer', async () => {
    const meanwhile = incidentI({ retracted: true });
    const { components, incidents } = await profile({ incidents: [incidentI()], meanwhile });
    expect([incidents.open.length, incidents.retracted]).to.deep.equal([1, 0]);
    expect(components.find(({ name }) => name === 'incidents')?.counts).to.deep.equal({ debt: 20 });
    expect((await profile({ incidents: [meanwhile] })).incidents).to.include({ debt_milli: 0, retracted: 1 });
  });

  it('that a person closed are counted: retracted or resolved, and open ones of integrity', () => {
    const all = [
      incidentI({ retracted: true, closed_by_person: true }),
      incidentI({ retracted: true }),
      incidentI({ closed_by_person: true }),
      incidentI({ integrity: true }),
      incidentI({ ...over, integrity: true }),
      incidentI(),
    ];
    expect(closedByHand(all, () => true, day)).to.deep.equal({
      ...{ retracted: 2, resolved_by_operator: 1, open_integrity: 1 },
    });
    expect(closedByHand(all, () => false, day)).to.deep.equal({
      ...{ retracted: 0, resolved_by_operator: 0, open_integrity: 0 },
    });
  });
});

describe('what an incident costs each Orb', () => {
  const debts = async (incident: Incident, minutes: readonly ProviderMinutes[] = half) =>
    (
      await incidentDebts('inc_1', {
        incidents: new Map([['inc_1', incident]]),
        orbs: new Map(['b.b@1.0.0', 'a.a@1.0.0'].map((id) => [id, newOrb(id)])),
        reads: { minutesOf: (ranges) => ranges.map(({ orb_id: id }) => (id.startsWith('a.') ? minutes : [])) },
        day,
      })
    ).map(({ orb_id, debt_milli, snapshot_day }) => [orb_id, debt_milli, snapshot_day]);

  it('is summed over its providers, of the Orbs that used them', async () => {
    expect(await debts(incidentI())).to.deep.equal([['a.a@1.0.0', 20_000, '1970-03-02']]);
    const both = incidentI({
      scope: [
        { kind: 'provider', id: 'a' },
        { kind: 'provider', id: 'b' },
      ],
    });
    expect(await debts(both)).to.deep.equal([['a.a@1.0.0', 40_000, '1970-03-02']]);
    expect(await debts(incidentI(), [])).to.deep.equal([]);
  });

  it('is of an Orb that it names, whether or not the log knows it', async () => {
    const named = incidentI({ scope: ['z.z@1.0.0', 'b.b@1.0.0'].map((id) => ({ kind: 'orb', id })) });
    expect((await debts(named)).map(([id]) => id)).to.deep.equal(['b.b@1.0.0', 'z.z@1.0.0']);
  });

  it('is nothing of integrity, and nothing of an unknown one', async () => {
    expect(await debts(incidentI({ integrity: true, scope: [{ kind: 'orb', id: 'a.a@1.0.0' }] }))).to.deep.equal([]);
    const none = { incidents: new Map(), orbs: new Map(), reads: { minutesOf: () => [] }, day };
    expect(await incidentDebts('inc_1', none)).to.deep.equal([]);
  });
});
