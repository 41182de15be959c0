import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Line } from '../../../../plugins/ledger/fact/line.ts';
import { newOrb } from '../../../../plugins/ledger/projection/orb.ts';
import { Projection } from '../../../../plugins/ledger/projection/projection.ts';
import { stateOf } from '../../../../plugins/ledger/projection/state.ts';
import { Summing } from '../../../../plugins/ledger/projection/tallies.ts';
import type { ProviderMinutes } from '../../../../plugins/ledger/score/debt.ts';
import { newMachine } from '../../../../plugins/ledger/tier/machine.ts';
import { at, create, incident, orb_id, resolution, run, standing } from './lines.ts';

describe('an incident in the projection', () => {
  const scope = [{ kind: 'provider', id: 'p' }] as const;
  const at_p = (n: number) => ({
    callerDays: () => [],
    minutesOf: () => [
      [
        { provider: 'p', n, fault: 0 },
        { provider: 'q', n: 10 - n, fault: 0 },
      ],
    ],
  });
  const deliveries = [{ delivery_id: 'd1', source_id: 's1', auth_strength: 'strong' }] as const;
  /** An Orb of a tier whose runs were at p for a part of ten. */
  function ofTier(tier: 'silver' | 'gold', n: number) {
    const state = stateOf({});
    state.orbs.set(orb_id, { ...newOrb(orb_id), machine: { ...newMachine, tier } });
    const projection = new Projection(state, new Summing(), at_p(n));
    const { reason: _, ...opened } = incident({ scope, deliveries });
    return { projection, opened, orb: () => state.orbs.get(orb_id) };
  }

  it('is folded in one turn, once its counts are read: nothing of it is seen before', async () => {
    const state = stateOf({});
    state.orbs.set(orb_id, { ...newOrb(orb_id), machine: { ...newMachine, tier: 'gold' } });
    const read = Promise.withResolvers<readonly (readonly ProviderMinutes[])[]>();
    const projection = new Projection(state, new Summing(), { minutesOf: () => read.promise });
    const { reason: _, ...opened } = incident({ scope, deliveries });
    const folded = projection.apply(opened);
    await delay(1);
    expect([state.incidents.size, state.spans.firstOf(opened.origin)]).to.deep.equal([0, undefined]);
    expect(projection.take()).to.deep.include({ orbs: [], incidents: [], events: [] });
    read.resolve([[{ provider: 'p', n: 1, fault: 0 }]]);
    await folded;
    expect(state.orbs.get(orb_id)).to.deep.include({ critical: ['inc_1'], causes: ['critical_incident'] });
    expect(projection.take().events).to.have.length(1);
  });

  it('suspends a gold Orb when it takes half of its runs, until it is over', async () => {
    const { projection, opened, orb } = ofTier('gold', 5);
    await projection.apply(opened);
    expect(orb()).to.deep.include({ critical: ['inc_1'], causes: ['critical_incident'] });
    await projection.apply({ ...opened, change: 'changed', change_number: 2, state: 'resolved', ends_at: at });
    expect(orb()).to.deep.include({ critical: [], causes: [] });
    expect(projection.take().events.map(({ change, actor }) => [change, actor])).to.deep.equal([
      ['suspended', 'auto'],
      ['restored', 'auto'],
    ]);
  });

  it('does not touch an Orb below gold, nor one from which it takes less', async () => {
    for (const { projection, opened, orb } of [ofTier('silver', 9), ofTier('gold', 4)]) {
      await projection.apply(opened);
      expect(orb()).to.deep.include({ critical: [], causes: [] });
      if (orb()?.machine.tier === 'silver') expect(projection.take().orbs).to.deep.equal([]);
    }
  });

  it('is looked at for an Orb that sank below gold while it was critical', async () => {
    const { projection, opened, orb } = ofTier('gold', 5);
    await projection.apply(opened);
    const found = orb();
    if (found !== undefined) projection.put({ ...found, machine: { ...newMachine, tier: 'silver' } }, []);
    await projection.apply({ ...opened, change: 'changed', change_number: 2 });
    expect(orb()).to.deep.include({ critical: [], causes: [] });
  });

  it('frees an Orb when it is over, though it never named that Orb', async () => {
    const { projection, opened, orb } = ofTier('gold', 0);
    const found = orb();
    if (found !== undefined)
      projection.put({ ...found, critical: ['inc_1', 'inc_2'], causes: ['critical_incident'] }, []);
    const of = { ...opened, scope: [{ kind: 'orb', id: 'acme.tool@0.9.0' }] } as const;
    await projection.apply(of);
    expect(orb()?.critical).to.deep.equal(['inc_1', 'inc_2']);
    await projection.apply({ ...of, change: 'retracted', change_number: 2 });
    expect(orb()?.critical).to.deep.equal(['inc_2']);
    projection.take();
    await projection.apply({ ...of, change: 'retracted', change_number: 3 });
    expect(projection.take().orbs, 'it is free already').to.deep.equal([]);
  });
});

describe('the projection after a key was revoked', () => {
  const counts = (sums: Summing): readonly unknown[] => {
    const { callerDays, days } = sums.take();
    return [...callerDays.map(({ ok, fault }) => [ok, fault]), ...days.map(({ name, n }) => [name, n])];
  };

  it('takes back a resolution which that key signed, and one of a receipt that does not count any more', async () => {
    const { projection, sums } = create();
    await projection.apply(resolution());
    sums.take();
    projection.revise(resolution(), 'k1');
    expect(counts(sums)).to.deep.equal([
      [-1, 1],
      ['resolved_ok', -1],
    ]);
    projection.revise(resolution({ receipt_id: 'rec_3', resolves: 'rec_2', signed_by: 'k2' }), 'k1');
    expect(counts(sums)).to.have.length(2);
    expect(projection.take().refused.map(({ receipt_id, reason }) => [receipt_id, reason])).to.deep.equal([
      ['rec_2', 'key_revoked'],
      ['rec_3', 'resolves_refused'],
    ]);
    for (const line of [resolution(), resolution({ receipt_id: 'rec_3' })]) projection.revise(line, 'k1');
    expect(counts(sums), 'what is refused is not taken back again').to.deep.equal([]);
  });

  it('leaves what another key signed', () => {
    const { projection, sums } = create();
    projection.revise(run({ signed_by: 'k2' }), 'k1');
    projection.revise(resolution({ signed_by: 'k2' }), 'k1');
    expect(counts(sums)).to.deep.equal([]);
    expect(projection.take().refused).to.deep.equal([]);
  });

  it('remembers a run whose outcome is unknown alone, since no other is resolved', () => {
    const { projection } = create();
    projection.revise(run(), 'k1');
    expect(projection.take().refused).to.deep.equal([]);
    projection.revise(run({ outcome: 'unknown', outcome_class: 'orb_fault' }), 'k1');
    expect(projection.take().refused.map(({ reason }) => reason)).to.deep.equal(['key_revoked']);
  });

  it('believes of the signature only what runs and publishings by another key say', async () => {
    const rows: readonly (readonly [Line, boolean])[] = [
      [run({ signed_by: 'k2' }), true],
      [standing('published', { signed_by: 'k2', manifest_signed: true }), true],
      [standing('published', { signed_by: 'k2' }), false],
      [standing('deprecated', { signed_by: 'k2', manifest_signed: true }), false],
      [standing('published', { manifest_signed: true }), false],
      [resolution({ signed_by: 'k2' }), false],
    ];
    for (const [line, signed] of rows) {
      const { projection, orb, sums } = create();
      await projection.apply(run());
      projection.revise(run(), 'k1');
      sums.take();
      projection.revise({ ...line, receipt_id: 'rec_9' }, 'k1');
      expect(orb()?.signed, `${line.kind} ${line.signed_by}`).to.equal(signed);
      expect(counts(sums)).to.deep.equal([]);
      expect(projection.take().refused).to.deep.equal([]);
    }
  });
});
