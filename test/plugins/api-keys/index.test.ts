import { expect } from 'chai';
import { operation } from '../../../kernel/index.ts';
import apiKeysStore from '../../../plugins/api-keys/store.ts';
import { generateToken, tokenDigest } from '../../../plugins/api-keys/token.ts';
import { holdClock, makeDir, openKeyStore, removeDir, startKeys } from './started.ts';
import { readsNow } from '../../helpers/reads.ts';

describe('api-keys', () => {
  it('the uses noted up to the stop are stored', async () => {
    const dir = makeDir();
    const clock = holdClock();
    const tokens = [generateToken('live'), generateToken('live')];
    const before = await openKeyStore(dir, clock);
    const operations = tokens.map((token, index) => {
      const key_id = `key_${String(index).padStart(26, '0')}`;
      const owner = { principal: `prn_${index}`, principal_name: 'x', tenant: 'default' };
      const key = { ...owner, key_id, name: 'x', prefix: 'x', scopes: ['*'], mode: 'live', created_at: 'x' } as const;
      return operation(apiKeysStore, 'create', { key: { ...key, scopes: ['*'] }, hash: tokenDigest(token) });
    });
    await before.write(operations);
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
