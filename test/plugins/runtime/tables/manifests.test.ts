import { join } from 'node:path';
import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/index.ts';
import { openWriting, type Database } from '../../../../kernel/store/sqlite/database.ts';
import { manifestReads, orbisetWrites, orbWrites } from '../../../../plugins/runtime/tables/manifests.ts';
import runtimeStore from '../../../../plugins/runtime/store.ts';
import { alone } from '../../../helpers/stores/memory.ts';
import { Stores } from '../../../helpers/stores/open.ts';

describe('the manifests that are kept', () => {
  const stores = new Stores();
  let database: Database;
  beforeEach(async () => {
    database = openWriting(join(stores.folder(), 'store.db'));
    for (const migration of runtimeStore.migrations) database.execute(migration);
  });
  afterEach(async () => {
    database.close();
    await stores.tidy();
  });

  const by = { manifest: '{}', principal: 'prn_1', put_at: '2026-11-20T12:00:00.000Z', limit: 2 };
  const code = async (put: () => unknown): Promise<string> => {
    try {
      await put();
      return 'put';
    } catch (error) {
      return error instanceof PlatformError ? error.code : String(error);
    }
  };

  const inTurn = async (...puts: readonly (() => Promise<string>)[]): Promise<readonly string[]> => {
    const codes: string[] = [];
    for (const put of puts) codes.push(await put());
    return codes;
  };

  it('are so many Orbs: one that is there may be replaced, and one that is deleted makes room', async () => {
    const { putOrb, deleteOrb } = orbWrites(database);
    const put =
      (orb_id: string, digest = 'sha256:1') =>
      () =>
        code(() => putOrb({ orb_id, digest, ...by }, alone));
    expect(await inTurn(put('a'), put('b'), put('c'))).to.deep.equal(['put', 'put', 'manifest_limit']);
    expect(await put('b', 'sha256:2')()).to.equal('put');
    deleteOrb({ orb_id: 'a' }, alone);
    expect(await inTurn(put('c'), put('a'))).to.deep.equal(['put', 'manifest_limit']);
  });

  it('are so many Orbisets of a tenant: one that is deleted makes room, and needs room to come back', async () => {
    const { putOrbiset, keepOrbisetId } = orbisetWrites(database);
    const put =
      (orbiset_id: string, tenant = 'acme') =>
      () =>
        code(() => putOrbiset({ orbiset_id, tenant, ...by }, alone));
    expect(await inTurn(put('a'), put('b'), put('c'))).to.deep.equal(['put', 'put', 'manifest_limit']);
    expect(await inTurn(put('b'), put('d', 'other'))).to.deep.equal(['put', 'put']);
    keepOrbisetId({ orbiset_id: 'a', tenant: 'acme' }, alone);
    expect(await inTurn(put('c'), put('a'), put('c'))).to.deep.equal(['put', 'manifest_limit', 'put']);
    expect(await put('a', 'other')()).to.equal('orbiset_exists');
  });

  it('are told by the digest of their first use, each Orb its own', async () => {
    const { useManifest, putOrb } = orbWrites(database);
    const { usedDigest } = manifestReads(database);
    const use = (orb_id: string, digest: string) => () => code(() => useManifest({ orb_id, digest }, alone));
    const put = (orb_id: string, digest: string) => () => code(() => putOrb({ orb_id, digest, ...by }, alone));
    const first = await inTurn(put('c', '3'), use('a', '1'), use('b', '2'), use('b', '2'));
    expect(first).to.deep.equal(['put', 'put', 'put', 'put']);
    expect(['a', 'b', 'c'].map((id) => usedDigest(id))).to.deep.equal(['1', '2', undefined]);
    // What was used under an id stays, and what is stored under it is what is used.
    const later = await inTurn(use('b', '1'), put('b', '1'), use('c', '4'));
    expect(later).to.deep.equal(['internal', 'manifest_used', 'internal']);
    expect(await put('b', '2')()).to.equal('put');
  });

  it('take what a swap had bound with them when they are deleted, and nothing of another Orb', async () => {
    const { putOrb, deleteOrb, yieldOrb } = orbWrites(database);
    const bind = database.prepare("INSERT INTO runtime_bindings VALUES (?, 'a', 'swp_1', '2026-11-20T12:00:00.000Z')");
    for (const orb_id of ['b', 'a', 'c']) {
      await putOrb({ orb_id, digest: 'sha256:1', ...by, limit: 3 }, alone);
      bind.run(orb_id);
    }
    deleteOrb({ orb_id: 'b' }, alone);
    yieldOrb({ orb_id: 'c' });
    const bound = database.prepare('SELECT orb_id FROM runtime_bindings ORDER BY orb_id').all();
    expect(bound.map(({ orb_id }) => orb_id)).to.deep.equal(['a', 'c']);
    expect(
      manifestReads(database)
        .storedOrbs()
        .map(({ orb_id }) => orb_id),
    ).to.deep.equal(['a']);
  });

  it('are listed in order of their ids', async () => {
    const [orbs, orbisets] = [orbWrites(database), orbisetWrites(database)];
    for (const id of ['b', 'a']) {
      await orbs.putOrb({ orb_id: id, digest: 'sha256:1', ...by }, alone);
      await orbisets.putOrbiset({ orbiset_id: id, tenant: 'acme', ...by }, alone);
    }
    orbisets.keepOrbisetId({ orbiset_id: 'c', tenant: 'other' }, alone);
    const { storedOrbs, storedOrbisets } = manifestReads(database);
    expect(storedOrbs().map(({ orb_id }) => orb_id)).to.deep.equal(['a', 'b']);
    expect(storedOrbisets()).to.deep.equal([
      { orbiset_id: 'a', tenant: 'acme', manifest: '{}' },
      { orbiset_id: 'b', tenant: 'acme', manifest: '{}' },
      { orbiset_id: 'c', tenant: 'other', manifest: null },
    ]);
  });
});
