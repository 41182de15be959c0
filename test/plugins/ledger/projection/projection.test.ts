import { expect } from 'chai';
import type { Line, StandingLine } from '../../../../plugins/ledger/fact/line.ts';
import { at, create, head, incident, namespace, orb_id, resolution, run, standing } from './lines.ts';

describe('the projection', () => {
  it('remembers until the next snapshot that a suspension has begun, though it has ended', async () => {
    const { projection, orb } = create();
    await projection.apply(standing('suspended'));
    await projection.apply(standing('lifted'));
    expect(orb()).to.deep.include({ suspended: false, causes: [] });
    expect(orb()?.machine.interrupted).to.equal(true);
    expect(projection.take().events.map(({ change }) => change)).to.deep.equal(['suspended', 'restored']);
  });

  it('remembers no begin of a suspension that ends or goes on', async () => {
    const { projection, orb } = create();
    await projection.apply(standing('lifted'));
    expect(orb()?.machine.interrupted, 'it was never suspended').to.equal(false);
    await projection.apply(standing('suspended'));
    const begun = orb();
    if (begun !== undefined) projection.put({ ...begun, machine: { ...begun.machine, interrupted: false } }, []);
    await projection.apply(namespace('revoked'));
    expect(orb()).to.deep.include({ causes: ['operator', 'namespace_revoked'] });
    expect(orb()?.machine.interrupted, 'it was suspended before').to.equal(false);
    expect(projection.take().events).to.have.length(1);
  });

  it('takes whether a manifest is signed from its publishing, and from no other change of the listing', async () => {
    const { projection, orb } = create();
    const rows: readonly (readonly [StandingLine['change'], boolean | undefined, boolean])[] = [
      ['deprecated', true, false],
      ['published', true, true],
      ['published', undefined, true],
      ['deprecated', false, true],
      ['published', false, false],
      ['yanked', true, false],
      ['removed', undefined, false],
    ];
    for (const [change, manifest_signed, signed] of rows) {
      await projection.apply(standing(change, manifest_signed === undefined ? {} : { manifest_signed }));
      expect(orb()?.signed, `${change} ${String(manifest_signed)}`).to.equal(signed);
    }
  });

  it('restores an Orb that an incident does not name any more', async () => {
    const { projection, orb } = create();
    await projection.apply(standing('published'));
    await projection.apply(incident());
    expect(orb()?.causes).to.deep.equal(['integrity_incident']);
    await projection.apply(incident({ change: 'changed', change_number: 2, scope: [] }));
    expect(orb()?.causes).to.deep.equal([]);
  });

  it('takes back of a revoked key what it counted, and nothing of what was refused', async () => {
    for (const [outcome_class, counted] of [
      ['ok', 1],
      ['orb_fault', 0],
    ] as const) {
      const { projection, sums, orb } = create();
      await projection.apply(run({ outcome_class }));
      expect(sums.take().callerDays.map(({ ok }) => ok)).to.deep.equal(counted === 0 ? [] : [1]);
      projection.revise(run({ outcome_class }), 'k1');
      expect(sums.take().callerDays.map(({ ok }) => ok)).to.deep.equal(counted === 0 ? [] : [-1]);
      // Nor is it believed that the manifest is signed, until another key says so.
      expect(orb()?.signed).to.equal(false);
    }
    const { projection, orb } = create();
    await projection.apply(run());
    projection.revise(run(), 'k1');
    projection.revise(run({ receipt_id: 'rec_2', signed_by: 'k2' }), 'k1');
    expect(orb()?.signed).to.equal(true);
  });
});

describe('what the projection folds', () => {
  const reasons = ({ projection }: ReturnType<typeof create>) =>
    [...projection.state.refused.values()].map(({ receipt_id, reason }) => `${receipt_id} ${reason}`);

  it('knows an Orb from whatever names it, counted or not', async () => {
    const lines: readonly Line[] = [
      ...[run(), run({ outcome_class: 'orb_fault' }), resolution(), resolution({ outcome_class: 'orb_fault' })],
      ...[standing('published'), standing('suspended')],
      { ...head, kind: 'swap', orb_id, at, from: 'a', to: 'b', state: 'completed' },
    ];
    for (const line of lines) {
      const { projection, orb } = create();
      await projection.apply(line);
      expect(orb()?.name, line.kind).to.equal('acme.tool');
      expect(projection.take().orbs, line.kind).to.deep.equal([orb()]);
    }
  });

  it('counts a swap on its day, and nothing of keys and other facts', async () => {
    const { projection, sums } = create();
    await projection.apply({ ...head, kind: 'swap', orb_id, at, from: 'a', to: 'b', state: 'completed' });
    await projection.apply({
      ...head,
      kind: 'key',
      kid: 'k9',
      at,
      role: 'receipt',
      change: 'added',
    } as unknown as Line);
    await projection.apply({ ...head, kind: 'other', at });
    expect(sums.take().days.map(({ name, n }) => [name, n])).to.deep.equal([['swaps', 1]]);
    expect(projection.state.orbs).to.have.property('size', 1);
  });

  it('counts a resolution', async () => {
    const { projection, sums } = create();
    await projection.apply(resolution());
    expect(sums.take().callerDays.map(({ ok, fault }) => [ok, fault])).to.deep.equal([[1, -1]]);
    expect(projection.take().refused).to.deep.equal([]);
  });

  it('refuses a resolution whose class disagrees, and one of a receipt that was refused', async () => {
    const world = create();
    await world.projection.apply(resolution({ outcome_class: 'orb_fault' }));
    expect(reasons(world)).to.deep.equal(['rec_2 outcome_class']);
    await world.projection.apply(resolution({ receipt_id: 'rec_3', resolves: 'rec_2' }));
    expect(reasons(world)).to.deep.equal(['rec_2 outcome_class', 'rec_3 resolves_refused']);
    expect(world.sums.take()).to.deep.equal({ callerDays: [], minutes: [], days: [] });
    expect(world.projection.take().refused.map(({ receipt_id }) => receipt_id)).to.deep.equal(['rec_2', 'rec_3']);
  });

  it('believes a run of the signature of the manifest, unless the run is refused', async () => {
    const { projection, orb } = create();
    await projection.apply(run({ outcome_class: 'orb_fault' }));
    expect(orb()?.signed).to.equal(false);
    await projection.apply(run());
    expect(orb()?.signed).to.equal(true);
    await projection.apply(run({ manifest_signed: false }));
    expect(orb()?.signed).to.equal(false);
  });

  it('hands changes over once', async () => {
    const { projection } = create();
    await projection.apply(namespace('granted'));
    await projection.apply(incident());
    await projection.apply(run({ outcome_class: 'orb_fault' }));
    await projection.apply(standing('suspended'));
    const { orbs, incidents, namespaces, refused, events } = projection.take();
    const sizes = [orbs, incidents, namespaces, refused, events].map(({ length }) => length);
    expect(sizes).to.deep.equal([1, 1, 1, 1, 1]);
    expect(events).to.deep.include({
      ...{ orb_id, day: '2026-11-20', change: 'suspended', from: 'none', to: 'none', actor: 'operator' },
      rules: ['operator', 'integrity_incident'],
    });
    expect(Object.values(projection.take()).flat()).to.deep.equal([]);
  });

  it('keeps of a namespace what its last entry says', async () => {
    const { projection } = create();
    const key = { kty: 'OKP', crv: 'Ed25519', x: 'x' } as const;
    await projection.apply(namespace('granted', { manifest_key: key }));
    const kept = { namespace: 'acme', owner: { tenant: 'acme' }, at, receipt_id: 'rec_1' };
    expect([...projection.state.namespaces.values()]).to.deep.equal([{ ...kept, state: 'granted', manifest_key: key }]);
    await projection.apply(namespace('revoked', { reason: 'why' }));
    expect([...projection.state.namespaces.values()]).to.deep.equal([{ ...kept, state: 'revoked', reason: 'why' }]);
  });

  it('suspends the Orbs of a revoked namespace, and of no other, until it is granted again', async () => {
    const { projection, orb } = create();
    await projection.apply(standing('published'));
    await projection.apply(standing('published', { orb_id: 'other.tool@1.0.0' }));
    await projection.apply(namespace('revoked', { reason: 'why' }));
    expect(orb()).to.deep.include({ causes: ['namespace_revoked'] });
    expect(orb()?.machine.interrupted).to.equal(true);
    expect(projection.state.orbs.get('other.tool@1.0.0')?.causes).to.deep.equal([]);
    await projection.apply(namespace('granted'));
    expect(orb()).to.deep.include({ causes: [] });
    const told = projection.take().events.map(({ orb_id: of, change, actor }) => [of, change, actor]);
    expect(told).to.deep.equal([
      [orb_id, 'suspended', 'operator'],
      [orb_id, 'restored', 'operator'],
    ]);
  });

  it('ends an Orb that is yanked or removed, and none that is deprecated', async () => {
    for (const [change, ended] of [
      ['published', false],
      ['deprecated', false],
      ['yanked', true],
      ['removed', true],
    ] as const) {
      const { projection, orb } = create();
      await projection.apply(standing(change));
      expect(orb()?.machine.ended, change).to.equal(ended);
      expect(orb()?.listing?.state, change).to.equal(change);
      expect(projection.take().events.map(({ rules }) => rules)).to.deep.equal(ended ? [[change]] : []);
    }
  });
});
