import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { builtinStores } from '../../../plugins/stores.ts';
import { openWriting } from '../../../kernel/store/sqlite/database.ts';
import { upgrade } from '../../../kernel/store/sqlite/upgrade.ts';
import { Stores } from '../../helpers/stores/open.ts';

const program = fileURLToPath(new URL('../../helpers/stores/upgrading.ts', import.meta.url));
// Each kill starts a process; with STORE_SOAK=1 there is one before every step.
const every = process.env['STORE_SOAK'] === '1' ? 1 : 8;

describe('an upgrade of the oldest store', function () {
  this.timeout(300_000);
  const stores = new Stores();
  after(() => stores.tidy());

  const oldest = (): string => {
    const folder = stores.folder();
    const database = openWriting(join(folder, 'store.db'));
    database.execute(readFileSync(new URL('oldest.sql', import.meta.url), 'utf8'));
    database.close();
    return folder;
  };
  /** Finishes the upgrade; answers the steps that were left, and every table with its rows. */
  const finish = (folder: string): { steps: number; rows: Record<string, unknown[]> } => {
    const database = openWriting(join(folder, 'store.db'));
    let steps = 0;
    upgrade(database, builtinStores, { stateDir: folder, now: 0, tell: () => steps++ });
    const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
    const rows = names.map(({ name }) => [String(name), database.prepare(`SELECT * FROM "${String(name)}"`).all()]);
    expect(database.prepare('PRAGMA integrity_check').all()).to.deep.equal([{ integrity_check: 'ok' }]);
    database.close();
    return { steps, rows: Object.fromEntries(rows) as Record<string, unknown[]> };
  };

  it('ends alike, wherever it was killed (SIGKILL) and begun again', () => {
    const from = oldest();
    const copy = (): string => {
      const folder = stores.folder();
      mkdirSync(folder, { recursive: true });
      copyFileSync(join(from, 'store.db'), join(folder, 'store.db'));
      return folder;
    };
    const whole = finish(copy());
    expect(whole.steps).to.be.greaterThan(20);
    expect(whole.rows['receipts_receipts']).to.have.length.greaterThan(3);
    for (let step = 1; step <= whole.steps; step += every) {
      const folder = copy();
      const { signal, stderr } = spawnSync(process.execPath, [program, folder, String(step)], { encoding: 'utf8' });
      expect(signal, stderr).to.equal('SIGKILL');
      const rest = finish(folder);
      expect(rest.rows, `killed before step ${step}`).to.deep.equal(whole.rows);
      // Steps of the store that was cut off are taken again.
      expect(rest.steps).to.be.within(whole.steps - step + 1, whole.steps);
    }
  });
});
