import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Principal } from '../../../../kernel/index.ts';
import { freshReceipts } from '../fresh.ts';
import { newRun } from '../harness.ts';
import { extracted } from './extracted.ts';

describe('what is asked of an export', () => {
  const receipts = freshReceipts('describe');
  before(async () => {
    for (const finished_at of ['2026-11-20T20:00:00.100Z', '2026-11-20T20:00:00.200Z'])
      await receipts.attest(newRun('o', { finished_at }));
  });
  const reader: Partial<Principal> = { tenant: 'default', scopes: ['receipts:read'] };
  const asked = async (query: object, principal?: Partial<Principal>) => {
    const folder = await extracted(receipts, receipts.stateDir, query, principal);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return {
      made: statSync(join(folder, 'export.json')).mtimeMs,
      tiles: names.some((name) => name.includes('tile')),
      receipts: names.filter((name) => /receipts\/.*\.json$/.test(name)).length,
    };
  };

  it('takes a time in any zone for what it is', async () => {
    for (const [query, count] of [
      [{ from: '2026-11-20T21:00:00.200+01:00' }, 1],
      [{ to: '2026-11-20T21:00:00.200+01:00' }, 1],
      [{ from: '2026-11-20T20:00:00.1Z', to: '2026-11-20T20:00:00.3Z' }, 2],
    ] as const)
      expect((await asked({ ...query, orbiset: 'o' })).receipts, JSON.stringify(query)).to.equal(count);
  });

  it('takes the trees along unless there is a filter, or as it is told; a tenant is no filter', async () => {
    for (const [query, principal, tiles] of [
      [{}, undefined, true],
      [{}, reader, true],
      [{ tiles: false }, undefined, false],
      [{ orbiset: 'o' }, undefined, false],
      [{ orbiset: 'o', tiles: true }, reader, true],
    ] as const)
      expect((await asked(query, principal)).tiles, JSON.stringify(query)).to.equal(tiles);
  });

  it('dates its files by the clock of the platform', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const { made } = await asked({ orbiset: 'o' });
    expect(made).to.be.within(before, Date.now());
  });
});
