import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startPlatform } from './helpers/platform.ts';
import { inStore } from './helpers/stored.ts';

// What a store has from its first start on, but for who it belongs to and when it was made.
const schema =
  "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name";
const migrations = 'SELECT store, number, sha256 FROM kernel_migrations ORDER BY store, number';
const identity = 'SELECT installation, hex(sealed_check) AS sealed_check FROM kernel_installation';
const owner = 'SELECT epoch FROM kernel_head';

async function started(firstStart: boolean) {
  const { home, stateDir, stop } = await startPlatform({ firstStart });
  try {
    const [whole, applied, who, epoch] = [schema, migrations, identity, owner].map((sql) => inStore(home, sql));
    return {
      same: { schema: await whole, migrations: await applied, epoch: await epoch },
      own: [readFileSync(join(stateDir, 'master.key'), 'utf8'), ...Object.values((await who)?.[0] ?? {})],
    };
  } finally {
    await stop();
  }
}

describe('the copy of a store that platforms of tests begin with', () => {
  it('has the tables of a first start, and nothing of whom it was copied to before', async () => {
    const [first, one, other] = [await started(true), await started(false), await started(false)];
    expect(first.same.migrations).to.have.length.above(20);
    for (const { same } of [one, other]) expect(same).to.deep.equal(first.same);
    const all = [first, one, other].flatMap(({ own }) => own);
    expect(all).to.have.length(9);
    expect(new Set(all).size).to.equal(all.length);
  });
});
