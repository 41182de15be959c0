import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../../../kernel/error.ts';
import { openWriting, type Database } from '../../../../kernel/store/sqlite/database.ts';
import { migrate } from '../../../../kernel/store/sqlite/migration.ts';
import { Stores } from '../../../helpers/stores/open.ts';

describe('the migrations of one store', () => {
  const stores = new Stores();
  let database: Database;
  beforeEach(() => void (database = openWriting(join(stores.folder(), 'store.db'))));
  afterEach(async () => {
    database.close();
    await stores.tidy();
  });

  const migrated = (...migrations: string[]) => migrate(database, { name: 'ext', migrations }, 0);
  const tables = () => database.prepare(`SELECT name FROM sqlite_master WHERE name LIKE 'ext_%'`).all();

  for (const [name, text] of [
    ['that fails', 'CREATE NONSENSE'],
    ["that touches another's table", 'CREATE TABLE other_row (a)'],
  ] as const)
    it(`leave no transaction open after a text ${name}: what comes next finds nothing of them`, () => {
      expect(() => migrated('CREATE TABLE ext_row (a)', text)).to.throw(ConfigError);
      expect([database.inTransaction(), tables()]).to.deep.equal([false, []]);
      migrated('CREATE TABLE ext_row (a)');
      expect(tables()).to.deep.equal([{ name: 'ext_row' }]);
    });

  it('are applied once, and those that are new after them', () => {
    migrated('CREATE TABLE ext_row (a)');
    migrated('CREATE TABLE ext_row (a)', 'CREATE TABLE ext_more (a)');
    expect(tables()).to.deep.equal([{ name: 'ext_row' }, { name: 'ext_more' }]);
  });
});
