import { join } from 'node:path';
import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/index.ts';
import { openWriting, type Database } from '../../../../kernel/store/database.ts';
import { manifestReads, orbisetWrites, orbWrites } from '../../../../kernel/runtime/manifests/tables.ts';
import runtimeStore from '../../../../kernel/runtime/store.ts';
import { Stores } from '../../../helpers/stores/open.ts';

describe('the manifests that are kept', () => {
  const stores = new Stores();
  let database: Database;
  beforeEach(() => {
    database = openWriting(join(stores.folder(), 'store.db'));
    for (const migration of runtimeStore.migrations) database.execute(migration);
  });
  afterEach(async () => {
    database.close();
    await stores.tidy();
  });

  const by = { manifest: '{}', principal: 'prn_1', put_at: '2026-11-20T12:00:00.000Z', limit: 2 };
  const code = (put: () => void): string => {
    try {
      put();
      return 'put';
    } catch (error) {
      return error instanceof PlatformError ? error.code : String(error);
    }
  };

  it('are so many Orbs: one that is there may be replaced, and one that is deleted makes room', () => {
    const { putOrb, deleteOrb } = orbWrites(database);
    const put = (orb_id: string, digest = 'sha256:1') => code(() => putOrb({ orb_id, digest, ...by }));
    expect(['a', 'b', 'c'].map((id) => put(id))).to.deep.equal(['put', 'put', 'manifest_limit']);
    expect(put('b', 'sha256:2')).to.equal('put');
    deleteOrb({ orb_id: 'a' });
    expect([put('c'), put('a')]).to.deep.equal(['put', 'manifest_limit']);
  });

  it('are so many Orbisets of a tenant: one that is deleted makes room, and needs room to come back', () => {
    const { putOrbiset, keepOrbisetId } = orbisetWrites(database);
    const put = (orbiset_id: string, tenant = 'acme') => code(() => putOrbiset({ orbiset_id, tenant, ...by }));
    expect(['a', 'b', 'c'].map((id) => put(id))).to.deep.equal(['put', 'put', 'manifest_limit']);
    expect([put('b'), put('d', 'other')]).to.deep.equal(['put', 'put']);
    keepOrbisetId({ orbiset_id: 'a', tenant: 'acme' });
    expect([put('c'), put('a'), put('c')]).to.deep.equal(['put', 'manifest_limit', 'put']);
    expect(put('a', 'other')).to.equal('orbiset_exists');
  });

  it('are told by the digest of their first use, each Orb its own', () => {
    const { useManifest, putOrb } = orbWrites(database);
    const { usedDigest } = manifestReads(database);
    const use = (orb_id: string, digest: string) => code(() => useManifest({ orb_id, digest }));
    const put = (orb_id: string, digest: string) => code(() => putOrb({ orb_id, digest, ...by }));
    expect([put('c', '3'), use('a', '1'), use('b', '2'), use('b', '2')]).to.deep.equal(['put', 'put', 'put', 'put']);
    expect(['a', 'b', 'c'].map((id) => usedDigest(id))).to.deep.equal(['1', '2', undefined]);
    // What was used under an id stays, and what is stored under it is what is used.
    expect([use('b', '1'), put('b', '1'), use('c', '4')]).to.deep.equal(['internal', 'manifest_used', 'internal']);
    expect(put('b', '2')).to.equal('put');
  });

  it('take what a swap had bound with them when they are deleted, and nothing of another Orb', () => {
    const { putOrb, deleteOrb, yieldOrb } = orbWrites(database);
    const bind = database.prepare("INSERT INTO runtime_bindings VALUES (?, 'a', 'swp_1', '2026-11-20T12:00:00.000Z')");
    for (const orb_id of ['b', 'a', 'c']) {
      putOrb({ orb_id, digest: 'sha256:1', ...by, limit: 3 });
      bind.run(orb_id);
    }
    deleteOrb({ orb_id: 'b' });
    yieldOrb({ orb_id: 'c' });
    const bound = database.prepare('SELECT orb_id FROM runtime_bindings ORDER BY orb_id').all();
    expect(bound.map(({ orb_id }) => orb_id)).to.deep.equal(['a', 'c']);
    expect(
      manifestReads(database)
        .storedOrbs()
        .map(({ orb_id }) => orb_id),
    ).to.deep.equal(['a']);
  });

  it('are listed in order of their ids', () => {
    const [orbs, orbisets] = [orbWrites(database), orbisetWrites(database)];
    for (const id of ['b', 'a']) {
      orbs.putOrb({ orb_id: id, digest: 'sha256:1', ...by });
      orbisets.putOrbiset({ orbiset_id: id, tenant: 'acme', ...by });
    }
    orbisets.keepOrbisetId({ orbiset_id: 'c', tenant: 'other' });
    const { storedOrbs, storedOrbisets } = manifestReads(database);
    expect(storedOrbs().map(({ orb_id }) => orb_id)).to.deep.equal(['a', 'b']);
    expect(storedOrbisets()).to.deep.equal([
      { orbiset_id: 'a', tenant: 'acme', manifest: '{}' },
      { orbiset_id: 'b', tenant: 'acme', manifest: '{}' },
      { orbiset_id: 'c', tenant: 'other', manifest: null },
    ]);
  });
});
