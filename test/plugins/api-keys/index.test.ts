import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { operation, type PlatformError } from '../../../kernel/index.ts';
import apiKeysStore, { type StoredKey } from '../../../plugins/api-keys/store.ts';
import { generateToken, tokenDigest } from '../../../plugins/api-keys/token.ts';
import { holdClock, makeDir, openKeyStore, removeDir, startKeys } from './started.ts';
import { readsNow } from '../../helpers/reads.ts';

function adminKey(number: number, token: string): StoredKey {
  const key_id = `key_${String(number).padStart(26, '0')}`;
  const owner = { principal: `prn_${number}`, principal_name: 'x', tenant: 'default' };
  const key = { ...owner, key_id, name: 'x', prefix: 'x', scopes: ['*'], mode: 'live', created_at: 'x' } as const;
  return { key, hash: tokenDigest(token) };
}

describe('api-keys', () => {
  it('a key that is revoked while it asks for another one gets none', async () => {
    const dir = makeDir();
    const keys = await startKeys(dir, holdClock());
    await keys.ready();
    const principal = keys.authenticate(readFileSync(join(dir, 'admin.key'), 'utf8').trim());
    const create = keys.routes.find(({ operationId }) => operationId === 'createKey');
    const make = async () =>
      create?.handle({ body: { scopes: ['orbs:read'], mode: 'live' }, principal } as never) as Promise<unknown>;
    await make();
    // Another node revokes it: this one still accepts it.
    await keys.store.write([operation(apiKeysStore, 'create', adminKey(1, generateToken('live')))]);
    await keys.store.write([operation(apiKeysStore, 'revoke', { key_id: principal?.key_id ?? '', at: 'x' })]);
    const refused = await make().catch((error: unknown) => error);
    expect(refused).to.include({ code: 'unauthenticated' });
    expect((refused as PlatformError).extensions.headers).to.deep.equal({ 'WWW-Authenticate': 'Bearer' });
    expect(readsNow(keys.store, apiKeysStore).unrevoked()).to.have.length(2);
    await keys.stop();
    removeDir(dir);
  });

  it('the uses noted up to the stop are stored', async () => {
    const dir = makeDir();
    const clock = holdClock();
    const tokens = [generateToken('live'), generateToken('live')];
    const before = await openKeyStore(dir, clock);
    await before.write(tokens.map((token, index) => operation(apiKeysStore, 'create', adminKey(index, token))));
    await before.close();

    const keys = await startKeys(dir, clock);
    // The first use is being written when the second comes up.
    for (const token of tokens) expect(keys.authenticate(token)).not.to.equal(undefined);
    await keys.stop();

    const after = await openKeyStore(dir, clock);
    const used = readsNow(after, apiKeysStore).unrevoked();
    expect(used.map(({ key }) => key.last_used_at)).to.deep.equal(Array(2).fill('2026-11-21T12:00:00.000Z'));
    await after.close();
    removeDir(dir);
  });
});
