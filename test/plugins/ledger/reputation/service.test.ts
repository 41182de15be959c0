import { expect } from 'chai';
import type { SnapshotRef, StandingChanged } from '../../../../plugins/ledger/contract.ts';
import type { Changes } from '../../../../plugins/ledger/projection/state.ts';
import { newOrb, type OrbState } from '../../../../plugins/ledger/projection/orb.ts';
import { Projection } from '../../../../plugins/ledger/projection/projection.ts';
import { stateOf } from '../../../../plugins/ledger/projection/state.ts';
import { Summing } from '../../../../plugins/ledger/projection/tallies.ts';
import { createReputation, Desk, type ServiceOptions } from '../../../../plugins/ledger/reputation/service.ts';
import { newMachine } from '../../../../plugins/ledger/tier/machine.ts';
import { incidentI } from '../generator.ts';

const orbId = 'acme.tool@1.0.0';
const nothing: Changes = {
  orbs: [],
  incidents: [],
  namespaces: [],
  refused: [],
  events: [],
  deciders: [],
  revoked: [],
  waiting: [],
  arrived: [],
};
const listing = (orb_id: string, state: 'published' | 'deprecated' = 'published', receipt_id = 'rec_1') => ({
  ...{ orb_id, state, published_at: '', changed_at: '', manifest_signed: true, receipt_id },
});
const grant = (state: 'granted' | 'revoked', principal?: string) => ({
  ...{ namespace: 'acme', state, at: '', receipt_id: '' },
  owner: { tenant: 'acme', ...(principal === undefined ? {} : { principal }) },
});

/** A desk over a state in memory, at noon of day 60. */
function create(profile: 'single-org' | 'multi-tenant' = 'multi-tenant') {
  const state = stateOf({});
  const tallies = { callerDays: () => [], minutesOf: () => [] };
  const world = { now: 60.5 * 86_400_000, last: undefined as SnapshotRef | undefined, forgotten: 0, signed: true };
  const told: StandingChanged[] = [];
  const taught: SnapshotRef[] = [];
  const options = {
    ledger: { projection: new Projection(state, new Summing(), tallies) },
    reads: {
      lastSnapshot: () => world.last,
      snapshotOrbs: (day: string) => [
        {
          orb_id: orbId,
          score_milli: day.length * 1000,
          values_milli: [],
          points_milli: [],
          runs_30d: 7,
          callers_30d: 0,
        },
      ],
    },
    signatures: { isSigned: () => world.signed, forget: () => (world.forgotten += 1) },
    callerRef: (caller: string, namespace: string) => `${caller} in ${namespace}`,
    snapshots: { tell: (taken: SnapshotRef) => taught.push(taken) },
    standings: { tell: (change: StandingChanged) => told.push(change) },
    ...{ profile, clock: { now: () => world.now } },
  } as unknown as ServiceOptions;
  const put = (id: string, more: Partial<OrbState> = {}): void => void state.orbs.set(id, { ...newOrb(id), ...more });
  const desk = new Desk(options);
  return { options, desk, state, world, told, taught, put, reputation: createReputation(desk, options) };
}

describe('the version for a bare name', () => {
  it('is its newest published one, until the listings change', () => {
    const { desk, put } = create();
    for (const version of ['1.0.0', '1.10.0', '1.9.0', '2.0.0-rc.1'])
      put(`a.b@${version}`, { listing: listing(`a.b@${version}`) });
    put('a.b@3.0.0', { listing: listing('a.b@3.0.0', 'deprecated') });
    put('a.b@4.0.0');
    expect([desk.versionOf('a.b'), desk.versionOf('a.b@1.0.0'), desk.versionOf('a.c')]).to.deep.equal([
      ...['a.b@1.10.0', 'a.b@1.0.0', 'a.c'],
    ]);
    put('a.b@5.0.0', { listing: listing('a.b@5.0.0') });
    desk.folded({ ...nothing, orbs: [newOrb('a.b@5.0.0')] });
    expect(desk.versionOf('a.b'), 'no listing changed').to.equal('a.b@1.10.0');
    desk.folded({ ...nothing, orbs: [{ ...newOrb('a.b@5.0.0'), listing: listing('a.b@5.0.0') }] });
    expect(desk.versionOf('a.b')).to.equal('a.b@5.0.0');
  });
});

describe('the causes of a suspension', () => {
  it('are computed again after what may change them: an entry, a snapshot, another day', async () => {
    const { desk, put, state, world } = create();
    expect(desk.causes(orbId)).to.deep.equal([]);
    put(orbId, { suspended: true });
    expect(desk.causes(orbId), 'nothing was told yet').to.deep.equal([]);
    desk.folded(nothing);
    expect(desk.causes(orbId), 'of nothing').to.deep.equal([]);
    desk.folded({ ...nothing, orbs: [newOrb(orbId)] });
    expect(desk.causes(orbId)).to.deep.equal(['operator']);
    state.namespaces.set('acme', grant('revoked'));
    desk.folded({ ...nothing, namespaces: [grant('revoked')] });
    expect(desk.causes(orbId)).to.deep.equal(['operator', 'namespace_revoked']);
    const ends_at = new Date(61 * 86_400_000).toISOString();
    const integrity = incidentI({ integrity: true, scope: [{ kind: 'orb', id: orbId }], state: 'resolved', ends_at });
    state.incidents.set('inc_1', integrity);
    desk.folded({ ...nothing, incidents: [integrity] });
    expect(desk.causes(orbId)).to.deep.equal(['operator', 'integrity_incident', 'namespace_revoked']);
    world.now += 86_400_000;
    expect(desk.causes(orbId)).to.deep.equal(['operator', 'namespace_revoked']);
    put(orbId);
    await desk.snapshotTaken({ day: '2026-01-01' } as SnapshotRef);
    expect(desk.causes(orbId)).to.deep.equal(['namespace_revoked']);
  });
});

describe('what is told of standings', () => {
  it('is each suspension and its end, each change of a namespace, and each change of a listing once', () => {
    const { desk, told, world } = create();
    const event = (change: string) => ({ orb_id: orbId, change }) as unknown as Changes['events'][number];
    desk.folded({ ...nothing, events: ['suspended', 'promoted', 'restored', 'ended'].map(event) });
    expect(told.splice(0)).to.deep.equal([
      { orb_id: orbId, change: 'suspended' },
      { orb_id: orbId, change: 'restored' },
    ]);
    expect(world.forgotten).to.equal(0);
    desk.folded({ ...nothing, namespaces: [grant('revoked')] });
    expect([told.splice(0), world.forgotten]).to.deep.equal([[{ namespace: 'acme', change: 'revoked' }], 1]);
    const listed = (receipt: string) => ({ ...newOrb(orbId), listing: listing(orbId, 'deprecated', receipt) });
    desk.folded({ ...nothing, orbs: [listed('rec_1'), newOrb('a.b@1.0.0')] });
    desk.folded({ ...nothing, orbs: [listed('rec_1')] });
    expect(told.splice(0)).to.deep.equal([{ orb_id: orbId, change: 'deprecated' }]);
    desk.folded({ ...nothing, orbs: [listed('rec_2')] });
    expect(told).to.have.length(1);
  });
});

describe('the standing of an Orb for a run', () => {
  it('is its tier, its score of the last snapshot, and what suspends it', async () => {
    const { desk, options, put, taught, world } = create();
    put(orbId, { machine: { ...newMachine, tier: 'gold' } });
    const standing = () => desk.standing(orbId, 'prn_1', 'acme');
    expect(standing()).to.deep.equal({
      ...{ tier: 'gold', state: 'active', score: null, signed: true, is_self: false, caller_ref: 'acme in acme' },
    });
    world.last = {
      ...{ day: '2026-01-01', digest: 'sha256:1', logs: [], profile: 'multi-tenant' },
      scoring_policy: { id: 'x', digest: 'sha256:2' },
    };
    await desk.snapshotTaken(world.last);
    expect(standing()).to.include({ score: 10 });
    expect(taught).to.deep.equal([world.last]);
    const opened = new Desk(options);
    await opened.reload();
    expect(opened.snapshot, 'of the store').to.equal(world.last);
    expect(desk.get(orbId)).to.deep.include({ score: 10, tier: 'gold', usage: { runs_30d: 7, callers_30d: 0 } });
    put(orbId, { suspended: true });
    desk.folded({ ...nothing, orbs: [newOrb(orbId)] });
    expect(standing()).to.include({ tier: 'none', state: 'suspended' });
    expect(desk.standing('x.y@1.0.0', 'prn_1', 'acme')).to.include({ tier: 'none', score: null, state: 'active' });
  });

  it('tells a run of the owner from others: by tenant, or within one organisation by principal', () => {
    for (const [profile, owner, principal, tenant, self] of [
      ['multi-tenant', undefined, 'prn_1', 'acme', true],
      ['multi-tenant', 'prn_2', 'prn_1', 'acme', true],
      ['multi-tenant', 'prn_1', 'prn_1', 'other', false],
      ['single-org', 'prn_1', 'prn_1', 'other', true],
      ['single-org', 'prn_2', 'prn_1', 'acme', false],
      ['single-org', undefined, 'prn_1', 'acme', false],
    ] as const) {
      const { desk, state } = create(profile);
      state.namespaces.set('acme', grant('granted', owner));
      const standing = desk.standing(orbId, principal, tenant);
      expect(standing.is_self, `${profile} ${String(owner)} ${tenant}`).to.equal(self);
      expect(standing.caller_ref).to.equal(`${profile === 'single-org' ? principal : tenant} in acme`);
      state.namespaces.set('acme', grant('revoked', owner));
      expect(desk.standing(orbId, principal, tenant).is_self, 'revoked').to.equal(false);
    }
  });
});

describe('the lists of the reputation', () => {
  it('are sorted by id and by name', () => {
    const { put, reputation, state } = create();
    put('b.b@1.0.0', { listing: listing('b.b@1.0.0') });
    put('a.a@1.0.0', { listing: listing('a.a@1.0.0') });
    put('d.d@1.0.0', { listing: listing('d.d@1.0.0') });
    put('c.c@1.0.0');
    for (const namespace of ['m', 'a', 'z']) state.namespaces.set(namespace, { ...grant('granted'), namespace });
    expect(reputation.orbs()).to.deep.equal(['a.a@1.0.0', 'b.b@1.0.0', 'c.c@1.0.0', 'd.d@1.0.0']);
    expect(reputation.listings().map(({ orb_id }) => orb_id)).to.deep.equal(['a.a@1.0.0', 'b.b@1.0.0', 'd.d@1.0.0']);
    expect(reputation.namespaces().map(({ namespace }) => namespace)).to.deep.equal(['a', 'm', 'z']);
    expect([reputation.listing('c.c@1.0.0'), reputation.namespace('b')]).to.deep.equal([undefined, undefined]);
  });
});
