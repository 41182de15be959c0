import { expect } from 'chai';
import type { Principal } from '../../../../kernel/access.ts';
import { createOrb, type Orb } from '../../../../plugins/runtime/catalog/orb.ts';
import { createOrbiset, type Orbiset } from '../../../../plugins/runtime/catalog/orbiset.ts';
import type { ChangeOptions } from '../../../../plugins/runtime/manifests/change.ts';
import { OrbChanges } from '../../../../plugins/runtime/manifests/orb-changes.ts';
import { OrbisetChanges } from '../../../../plugins/runtime/manifests/orbiset-changes.ts';
import { Shelf } from '../../../../plugins/runtime/manifests/shelf.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { recordOrb } from '../../../helpers/recorder.ts';

const principal: Principal = {
  ...{ id: 'prn_1', key_id: 'key_1', tenant: 'acme', scopes: ['*'], labels: {}, mode: 'live' },
};
const orbOf = (title: string): Orb => createOrb(recordOrb({ title }), []) ?? expect.fail('no Orb');
const orbisetOf = (orbs: readonly string[]): Orbiset =>
  createOrbiset({ id: 'own', tenant: 'acme', orbs }, []) ?? expect.fail('no Orbiset');

/** What changes stand on, with a store that takes no write; `told` names what is done with the binding of an Orb. */
function world(swap?: object) {
  const told: string[] = [];
  const orbs = new Shelf<Orb>(new Map());
  const orbisets = new Shelf<Orbiset>(new Map());
  const binding = { swap };
  const options = {
    manifests: { orbs, orbisets, catalog: { orbs: orbs.items, orbisets: orbisets.items } },
    openRuns: { of: () => 0 },
    store: { write: () => Promise.reject(new Error('the disk is full')) },
    clock: { now: () => 0, monotonic: () => 0 },
    log: silentLog,
    serial: (work: () => Promise<unknown>) => work(),
    bindings: {
      find: () => binding,
      detach: () => (told.push('detached'), binding),
      attach: (again: unknown) => told.push(again === binding ? 'attached' : 'another'),
      discard: async () => void told.push('discarded'),
    },
    reads: { usedDigest: () => undefined, swappedProviders: () => new Map() },
  };
  return {
    ...{ told, orbs, orbisets },
    orbChanges: new OrbChanges(options as unknown as ChangeOptions),
    orbisetChanges: new OrbisetChanges(options as unknown as ChangeOptions),
  };
}

const reason = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: { readonly code?: string; readonly message: string }) => error.code ?? error.message,
  );

describe('a change of a manifest that cannot be stored', () => {
  const before = orbOf('Before');

  for (const [what, change] of [
    ['a deletion', (changes: OrbChanges) => changes.remove(before.orb_id, principal, {})],
    ['a replacement', (changes: OrbChanges) => changes.put(orbOf('After'), principal, {})],
  ] as const)
    it(`leaves the Orb in service as it was: ${what}`, async () => {
      const { orbs, orbChanges, told } = world();
      orbs.put(before.orb_id, before);
      expect(await reason(change(orbChanges))).to.equal('the disk is full');
      expect(orbs.items.get(before.orb_id)).to.equal(before);
      expect(told).to.deep.equal(['detached', 'attached']);
    });

  for (const [what, change] of [
    ['a deletion', (changes: OrbisetChanges) => changes.remove('own', principal, {})],
    ['a replacement', (changes: OrbisetChanges) => changes.replace(orbisetOf(['*']), principal, {})],
  ] as const)
    it(`leaves the Orbiset in service as it was: ${what}`, async () => {
      const { orbisets, orbisetChanges } = world();
      const kept = orbisetOf([]);
      orbisets.put('own', kept);
      expect(await reason(change(orbisetChanges))).to.equal('the disk is full');
      expect(orbisets.items.get('own')).to.equal(kept);
    });

  it('puts no new one into service', async () => {
    const { orbs, orbChanges, orbisets, orbisetChanges, told } = world();
    expect(await reason(orbChanges.put(before, principal, {}))).to.equal('the disk is full');
    expect(await reason(orbisetChanges.create(orbisetOf([]), principal))).to.equal('the disk is full');
    expect([orbs.items.size, orbisets.items.size, told]).to.deep.equal([0, 0, []]);
  });

  it('is not tried while a swap of the Orb is proven: it serves on', async () => {
    const { orbs, orbChanges, told } = world({ swap_id: 'swp_1', state: 'probing' });
    orbs.put(before.orb_id, before);
    expect(await reason(orbChanges.remove(before.orb_id, principal, {}))).to.equal('swap_in_progress');
    expect([orbs.items.has(before.orb_id), told]).to.deep.equal([true, []]);
  });
});
