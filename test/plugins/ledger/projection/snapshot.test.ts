import { expect } from 'chai';
import { canonical, digest } from '../../../../kernel/index.ts';
import { newOrb, type OrbState } from '../../../../plugins/ledger/projection/orb.ts';
import { Projection } from '../../../../plugins/ledger/projection/projection.ts';
import { stateOf } from '../../../../plugins/ledger/projection/state.ts';
import { computeSnapshot } from '../../../../plugins/ledger/projection/snapshot.ts';
import { Summing, type Tallies } from '../../../../plugins/ledger/projection/tallies.ts';
import { dayText } from '../../../../plugins/ledger/score/day.ts';
import type { CallerDay } from '../../../../plugins/ledger/score/totals.ts';
import { newMachine } from '../../../../plugins/ledger/tier/machine.ts';
import { incidentI } from '../generator.ts';
import type { Incident } from '../../../../plugins/ledger/fact/incident.ts';

const orbId = 'acme.tool@1.0.0';
const today = 20_000;
const lines = () => Promise.resolve([]);
const row = (age: number, caller: string, ok: number): CallerDay => ({
  ...{ day: today - age, caller, ok, fault: 0, broken: 0, fast: 0, slow: 0 },
});

describe('the use of an Orb in a snapshot', () => {
  const usage = async (...rows: readonly CallerDay[]) => {
    const tallies: Tallies = {
      callerDays: (_, from, to) => rows.filter(({ day }) => day >= from && day <= to),
      minutesOf: () => [],
    };
    const state = stateOf({});
    state.orbs.set(orbId, newOrb(orbId));
    const projection = new Projection(state, new Summing(), tallies);
    const { orbs } = await computeSnapshot(
      projection,
      tallies,
      { day: dayText(today), logs: [], profile: 'single-org' },
      { lines },
    );
    const [orb] = orbs;
    return [orb?.runs_30d, orb?.callers_30d];
  };

  it('is that of 30 days, the day itself included, and of none before or after', async () => {
    expect(await usage(row(0, 'a', 1), row(29, 'b', 2))).to.deep.equal([3, 2]);
    expect(await usage(row(-1, 'a', 1), row(30, 'b', 2))).to.deep.equal([0, 0]);
  });
});

describe('a row of a snapshot', () => {
  const good = (callers: number, days: number): readonly CallerDay[] =>
    Array.from({ length: callers * days }, (_, at) => {
      const caller = `c${at % callers}`;
      return { day: today - Math.floor(at / callers), caller, ok: 20, fault: 0, broken: 0, fast: 20, slow: 0 };
    });
  const take = async (
    more: Partial<OrbState>,
    rows: readonly CallerDay[] = [],
    incidents: readonly Incident[] = [],
  ) => {
    const tallies: Tallies = { callerDays: () => rows, minutesOf: () => [] };
    const state = stateOf({});
    state.orbs.set(orbId, { ...newOrb(orbId), ...more });
    for (const incident of incidents) state.incidents.set(incident.incident_id, incident);
    const projection = new Projection(state, new Summing(), tallies);
    const name = { day: dayText(today), logs: [], profile: 'single-org' } as const;
    const snapshot = await computeSnapshot(projection, tallies, name, { lines });
    return { ...snapshot, row: snapshot.orbs[0], after: snapshot.moved[0] };
  };
  const silver = { signed: true, machine: { ...newMachine, tier: 'silver' } } as const;

  it('shows a suspended Orb as such, with no tier, and keeps the tier for its return', async () => {
    const held = await take(silver, good(5, 30));
    expect(held.row).to.include({ status: 'scored', tier: 'silver' });
    const { row, after } = await take({ ...silver, suspended: true }, good(5, 30));
    expect(row).to.include({ status: 'suspended', tier: 'none', score_milli: held.row?.score_milli });
    expect(after?.orb).to.deep.include({ causes: ['operator'] });
    expect(after?.orb.machine.tier).to.equal('silver');
    expect(after?.events.map(({ change }) => change)).to.deep.equal(['suspended']);
  });

  it('shows what the next tier lacks, and nothing above the last', async () => {
    const gates = async (tier: 'none' | 'silver' | 'platinum') =>
      (await take({ machine: { ...newMachine, tier } }, good(2, 1))).row?.next_unmet.map(({ gate }) => gate);
    expect(await gates('none')).to.deep.equal(['score', 'active_days', 'manifest_signed']);
    expect(await gates('silver')).to.include('effective_runs');
    expect(await gates('platinum')).to.deep.equal([]);
  });

  it('counts open incidents, each once', async () => {
    const both = [
      { kind: 'provider', id: 'a' },
      { kind: 'provider', id: 'b' },
    ] as const;
    const begun = { starts_at: new Date((today - 1) * 86_400_000).toISOString(), scope: both };
    const over = { state: 'resolved', ends_at: new Date(today * 86_400_000).toISOString() } as const;
    const incidents = [incidentI(begun), incidentI({ ...begun, ...over, incident_id: 'inc_2' })];
    expect((await take({}, [], incidents)).row?.open_incidents).to.equal(1);
  });

  it('is in the digest with what was judged, a score only when there is one', async () => {
    const members = [
      ...['active_days', 'callers', 'debt_milli', 'limited_by', 'n_eff_milli', 'nc_milli', 'orb_id', 'points_milli'],
      ...['r_micro', 'score_milli', 'status', 'tier'],
    ];
    for (const [rows, scored] of [
      [[], false],
      [good(5, 30).map((row) => ({ ...row, fault: 1 })), true],
    ] as const) {
      const { digest: found, orbs, day, logs, profile, scoring_policy } = await take({}, rows);
      const told = orbs.map((orb) =>
        Object.fromEntries(Object.entries(orb).filter(([name]) => members.includes(name))),
      );
      expect(Object.keys(told[0] ?? {}).length).to.equal(scored ? 12 : 10);
      expect(found).to.equal(digest(canonical({ day, logs, profile, scoring_policy, orbs: told })));
    }
  });

  it('leaves time to others after each Orb', async () => {
    const state = stateOf({});
    for (const id of ['b.c@1.0.0', 'a.b@1.0.0', orbId]) state.orbs.set(id, newOrb(id));
    const tallies: Tallies = { callerDays: () => [], minutesOf: () => [] };
    let paused = 0;
    const name = { day: dayText(today), logs: [], profile: 'single-org' } as const;
    const pause = (): void => void (paused += 1);
    const { orbs } = await computeSnapshot(new Projection(state, new Summing(), tallies), tallies, name, {
      lines,
      pause,
    });
    expect(paused).to.equal(3);
    expect(orbs.map(({ orb_id }) => orb_id)).to.deep.equal(['a.b@1.0.0', orbId, 'b.c@1.0.0']);
  });
});
