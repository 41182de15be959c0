import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { readStoreAddress } from '../../../../plugins/postgres/connection/address.ts';
import { ReadFailed, StoreDamaged, viewStore } from '../../../../kernel/store/view/read-only.ts';
import { engineModule } from '../../../helpers/postgres.ts';

describe('a store that is opened for reading', () => {
  let stateDir: string;
  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'orb-view-'));
  });
  afterEach(() => rmSync(stateDir, { recursive: true }));
  const path = (): string => join(stateDir, 'store.db');

  it('says of a read that was not answered that it failed, and of a file that is damaged that it is', async () => {
    const driver = new Driver(path());
    driver.exec('CREATE TABLE notes (id TEXT PRIMARY KEY)');
    driver.close();
    const view = (await viewStore({ stateDir })) ?? expect.fail('no store');
    expect(view.prepare('SELECT id FROM notes').all()).to.deep.equal([]);
    expect(() => view.prepare('SELECT id FROM others')).to.throw(ReadFailed, 'no such table');
    view.close();
    writeFileSync(path(), 'this is no database, though it is as long as the head of one would be. '.repeat(4));
    const junk = (await viewStore({ stateDir })) ?? expect.fail('no store');
    expect(() => junk.prepare('SELECT id FROM notes').all()).to.throw(StoreDamaged);
    junk.close();
  });

  it('is no store that is absent when its file cannot be opened', async () => {
    expect(await viewStore({ stateDir })).to.equal(undefined);
    mkdirSync(path());
    expect(await viewStore({ stateDir }).catch((error: unknown) => error)).to.be.instanceOf(ReadFailed);
  });

  it('says of a database that is away that the read failed', async () => {
    const known = readStoreAddress('postgres://orb@127.0.0.1:1/none', { insecure: false, readFile: () => '' });
    const address = { ...known, module: engineModule };
    const view = (await viewStore({ stateDir, address })) ?? expect.fail('no view');
    expect(() => view.prepare('SELECT 1 AS one').get()).to.throw(ReadFailed, 'the database does not answer');
    expect(() => view.hold()).to.throw(ReadFailed);
    expect(() => view.hasTable('notes')).to.throw(ReadFailed);
    view.close();
  });
});
