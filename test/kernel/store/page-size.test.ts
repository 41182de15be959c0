import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { compactDatabase, openWriting } from '../../../kernel/store/sqlite/database.ts';
import { temporaryDir } from '../../plugins/receipts/harness.ts';

const sizeIn = (path: string): unknown => {
  const driver = new Driver(path, { readonly: true });
  const size = driver.pragma('page_size', { simple: true });
  driver.close();
  return size;
};

describe('the pages of a store', () => {
  const dir = temporaryDir();
  after(() => dir.remove());

  it('have 2 KiB in a new one', () => {
    const path = join(dir.path, 'new.db');
    const database = openWriting(path);
    database.execute('CREATE TABLE a (b TEXT)');
    database.close();
    expect(sizeIn(path)).to.equal(2048);
  });

  it('keep their size in an older one, which is served as it is, until it is compacted', () => {
    const path = join(dir.path, 'old.db');
    const made = new Driver(path);
    made.pragma('page_size = 4096');
    made.pragma('journal_mode = WAL');
    made.exec("CREATE TABLE a (b TEXT); INSERT INTO a VALUES ('kept')");
    made.close();
    const served = openWriting(path);
    served.execute("INSERT INTO a VALUES ('added')");
    served.close();
    expect(sizeIn(path)).to.equal(4096);
    compactDatabase(path);
    expect(sizeIn(path)).to.equal(2048);
    const again = openWriting(path);
    expect(again.prepare('SELECT b FROM a').all()).to.deep.equal([{ b: 'kept' }, { b: 'added' }]);
    expect(again.prepare('PRAGMA journal_mode').get()).to.deep.equal({ journal_mode: 'wal' });
    again.close();
  });
});
