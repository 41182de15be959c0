import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ConfigError } from '../../../../kernel/error.ts';
import { openWriting, type Database } from '../../../../kernel/store/sqlite/database.ts';
import type { UpgradeStep } from '../../../../kernel/store/message.ts';
import { upgrade } from '../../../../kernel/store/sqlite/upgrade.ts';
import { createLog } from '../../../../kernel/tools/log.ts';
import { notesModule, Stores } from '../../../helpers/stores/open.ts';
import slow from '../../../helpers/stores/slow.ts';

const slowFile = fileURLToPath(new URL('../../../helpers/stores/slow.ts', import.meta.url));
const megabyte = 1024 * 1024;

describe('the upgrade of a store', () => {
  const stores = new Stores();
  let folder: string;
  let database: Database;
  let told: UpgradeStep[];
  beforeEach(() => {
    folder = stores.folder();
    database = openWriting(join(folder, 'store.db'));
    told = [];
  });
  afterEach(async () => {
    database.close();
    await stores.tidy();
  });

  const first = { name: 'a', migrations: ['CREATE TABLE a_row (x)'] };
  const second = { name: 'b', migrations: ['CREATE TABLE b_row (x)'] };
  const more = {
    name: 'a',
    migrations: [...first.migrations, 'CREATE TABLE a_more (x)', 'CREATE INDEX a_x ON a_row (x)'],
  };
  const upgraded = (modules: Parameters<typeof upgrade>[1], used = 1000 * megabyte, free = 200 * megabyte): void =>
    upgrade(database, modules, {
      stateDir: folder,
      now: 0,
      tell: (step) => told.push(step),
      room: () => ({ used, free }),
    });
  const tables = () =>
    database
      .prepare("SELECT name FROM sqlite_master WHERE name LIKE 'a_%' OR name LIKE 'b_%'")
      .all()
      .map(({ name }) => name);

  it('tells each step of a store that has data, and nothing of one that is made or up to date', () => {
    upgraded([first, second]);
    upgraded([first, second]);
    expect(told).to.deep.equal([]);
    upgraded([more, second]);
    expect(told).to.deep.equal([
      { store: 'a', migration: 2, left: 2 },
      { store: 'a', migration: 3, left: 1 },
    ]);
    expect(tables()).to.have.members(['a_row', 'b_row', 'a_more', 'a_x']);
  });

  it('is refused, with nothing changed, when the disk has not a fifth of the store free', () => {
    upgraded([first]);
    expect(() => upgraded([more, second], 1000 * megabyte, 200 * megabyte - 1))
      .to.throw(ConfigError)
      .with.property('faults')
      .that.deep.equals([
        `the store in ${folder} needs an upgrade, and the upgrade needs 200 MB of free disk space; 200 MB are free. Nothing was changed`,
      ]);
    expect([tables(), told]).to.deep.equal([['a_row'], []]);
    upgraded([more, second], 1000 * megabyte, 200 * megabyte);
    expect(tables()).to.include('a_more');
  });

  it('asks nothing of the disk for a new store, a small one, or one that is up to date', () => {
    upgraded([first], 1000 * megabyte, 0);
    upgraded([first], 1000 * megabyte, 0);
    upgraded([more], 64 * megabyte - 1, 0);
    expect(tables()).to.include('a_more');
    expect(() => upgraded([more, second], 64 * megabyte, 0)).to.throw(ConfigError);
  });

  it('is told to the log of the server, step by step', async () => {
    const state = stores.folder();
    await (await stores.open(state)).close();
    const lines: string[] = [];
    const modules = [notesModule, { module: slow, file: slowFile }];
    await stores.open(state, { modules, log: createLog('info', (line) => lines.push(line)) });
    const [line, ...others] = lines.map((text) => JSON.parse(text) as object);
    expect(line).to.include({ msg: 'the store is upgraded', store: 'slow', migration: 1, left: 1 });
    expect(others).to.deep.equal([]);
  });
});
