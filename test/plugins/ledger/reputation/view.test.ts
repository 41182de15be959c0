import { expect } from 'chai';
import type { SnapshotRef } from '../../../../plugins/ledger/contract.ts';
import { newOrb, type OrbState } from '../../../../plugins/ledger/projection/orb.ts';
import type { SnapshotOrb } from '../../../../plugins/ledger/projection/snapshot.ts';
import { basisOf, nextOf, scoreOf, viewOf } from '../../../../plugins/ledger/reputation/view.ts';
import { scoringPolicy } from '../../../../plugins/ledger/score/model.ts';
import { newMachine, type Machine } from '../../../../plugins/ledger/tier/machine.ts';
import { tiers, type Tier } from '../../../../plugins/ledger/shapes.ts';

const orbId = 'a.b@1.0.0';
const orb = (machine: Partial<Machine> = {}): OrbState => ({
  ...newOrb(orbId),
  machine: { ...newMachine, ...machine },
});
const row: SnapshotOrb = {
  ...{ orb_id: orbId, status: 'scored', tier: 'silver', score_milli: 72_999, n_eff_milli: 50_000, nc_milli: 3000 },
  ...{ r_micro: 950_000, debt_milli: 40, active_days: 9, callers: 3, counted: 60, last_good: 20_453 },
  ...{ values_milli: [1000, 900], points_milli: [35_000, 18_000], next_unmet: [], open_incidents: 2 },
  ...{ runs_30d: 12, callers_30d: 2 },
};
const snapshot: SnapshotRef = {
  ...{ day: '2026-01-01', digest: 'sha256:1', logs: [], profile: 'multi-tenant' },
  scoring_policy: { id: 'other', digest: 'sha256:2' },
};
const view = (more: Partial<Parameters<typeof viewOf>[1]> = {}) =>
  viewOf(orbId, { orb: orb(), row, snapshot, causes: [], profile: 'single-org', signed: false, ...more });

describe('the next tier', () => {
  const next = (tier: Tier, more: Partial<Machine> = {}, unmet: Parameters<typeof nextOf>[2] = []) =>
    nextOf(orb({ tier, ...more }), 'single-org', unmet).next_tier;

  it('is the next that can be reached: there is none after gold, since platinum needs a witness', () => {
    expect(tiers.map((tier) => next(tier)?.tier)).to.deep.equal(['bronze', 'silver', 'gold', undefined, undefined]);
    expect(next('none', { ended: true }), 'it is over').to.equal(undefined);
  });

  it('lacks its unmet gates, or else snapshots in a row', () => {
    const gate = { gate: 'score', needed: '60', present: '50', detail: 'x' };
    expect(next('none', {}, [gate])?.unmet).to.deep.equal([gate]);
    const lacking = (streaks: readonly number[]) =>
      next('bronze', { streaks })?.unmet.map(({ gate: name, needed, present }) => [name, needed, present]);
    expect(lacking([9, 6, 0, 0])).to.deep.equal([['consecutive_snapshots', '7', '6']]);
    expect(lacking([0, 0, 9, 9])).to.deep.equal([['consecutive_snapshots', '7', '0']]);
    expect(lacking([0, 7, 0, 0])).to.deep.equal([]);
    expect(lacking([])).to.deep.equal([['consecutive_snapshots', '7', '0']]);
  });
});

describe('the reputation of an Orb', () => {
  it('is that of its row in the last snapshot', () => {
    const shown = view({ orb: orb({ tier: 'silver', since: '2026-01-01', firsts: { silver: '2025-12-01' } }) });
    expect(shown).to.deep.include({
      ...{ orb_id: orbId, status: 'scored', tier: 'silver', tier_rank: 2, suspended: false, suspension_causes: [] },
      ...{ score: 72, score_milli: 72_999, tier_since: '2026-01-01', first_achieved: '2025-12-01' },
      ...{ manifest_signed: false, profile: 'multi-tenant', scoring_policy: snapshot.scoring_policy, snapshot },
      ...{ usage: { runs_30d: 12, callers_30d: 2 }, incidents: { open: 2, debt_milli: 40 } },
    });
    expect(
      shown.components.slice(0, 3).map(({ value_milli, points_milli }) => [value_milli, points_milli]),
    ).to.deep.equal([
      [1000, 35_000],
      [900, 18_000],
      [0, 0],
    ]);
    expect(shown.next_tier?.tier).to.equal('gold');
    expect(shown.basis).to.deep.equal(basisOf(row, '2026-01-01'));
    expect(view({ snapshot: undefined })).to.not.have.any.keys('basis', 'snapshot');
    expect(shown).to.not.have.any.keys('suspended_tier', 'limited_by');
    expect(view({ row: { ...row, limited_by: 'contract' } })).to.include({ limited_by: 'contract' });
    expect(view({ signed: true })).to.include({ manifest_signed: true });
  });

  it('of an Orb without a row is unscored, by the rules of now', () => {
    for (const given of [
      { row: undefined },
      { row: undefined, snapshot: undefined },
      { orb: undefined, row: undefined },
    ]) {
      const shown = view(given);
      expect(shown).to.deep.include({
        ...{ status: 'unscored', tier: 'none', tier_rank: 0, score: null, score_milli: null, components: [] },
        ...{ profile: 'single-org', scoring_policy: scoringPolicy, usage: { runs_30d: 0, callers_30d: 0 } },
        incidents: { open: 0, debt_milli: 0 },
      });
      expect(shown).to.not.have.any.keys('basis', 'snapshot', 'tier_since', 'first_achieved');
      const gates = shown.next_tier?.unmet.map(({ gate }) => gate);
      expect(gates).to.include.members(['score', 'effective_runs', 'status', 'manifest_signed']);
    }
  });

  it('of a suspended Orb shows no tier but the one that returns', () => {
    const held = view({ orb: orb({ tier: 'silver' }), causes: ['operator'] });
    expect(held).to.deep.include({
      ...{ status: 'suspended', tier: 'none', tier_rank: 0, suspended: true, suspension_causes: ['operator'] },
      ...{ suspended_tier: 'silver', score: 72 },
    });
    expect(view({ causes: ['operator'] })).to.not.have.property('suspended_tier');
  });

  it('has after a suspension the status that its evidence gives', () => {
    const status = (more: Partial<SnapshotOrb>) => view({ row: { ...row, status: 'suspended', ...more } }).status;
    expect(status({})).to.equal('scored');
    expect([status({ callers: 2 }), status({ callers: 1 })]).to.deep.equal(['scored', 'provisional']);
    expect([status({ n_eff_milli: 15_000 }), status({ n_eff_milli: 14_999 })]).to.deep.equal(['scored', 'provisional']);
    expect(view({ row: { ...row, status: 'provisional' } }).status).to.equal('provisional');
    const { score_milli: _, ...unscored } = row;
    expect(view({ row: { ...unscored, status: 'suspended' } }).status).to.equal('unscored');
  });

  it('shows whole points, rounded down', () => {
    expect([scoreOf({ score_milli: 999 }).score, scoreOf({ score_milli: 1000 }).score]).to.deep.equal([0, 1]);
    expect(scoreOf(undefined)).to.deep.equal({ score: null, score_milli: null });
    expect(scoreOf({})).to.deep.equal({ score: null, score_milli: null });
  });

  it('is based on the 180 days that end with the day', () => {
    expect(basisOf(row, '2026-01-01')).to.deep.equal({
      ...{ window_start: '2025-07-06', window_end: '2026-01-01', runs_counted: 60, effective_runs_milli: 50_000 },
      ...{ effective_callers_milli: 3000, callers: 3, active_days: 9, last_run_day: '2025-12-31' },
      reliability_micro: 950_000,
    });
    const { last_good: _, ...never } = row;
    expect(basisOf(never, '2026-01-01')).to.not.have.property('last_run_day');
  });
});
