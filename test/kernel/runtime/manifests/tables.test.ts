import { join } from 'node:path';
import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/index.ts';
import { openWriting, type Database } from '../../../../kernel/store/database.ts';
import { orbisetWrites, orbWrites } from '../../../../kernel/runtime/manifests/tables.ts';
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
});
