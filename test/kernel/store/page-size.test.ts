import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { ConfigError } from '../../../kernel/error.ts';
import { openReading, openWriting } from '../../../kernel/store/sqlite/database.ts';
import { compactStore } from '../../../plugins/operate/store/whole-file.ts';
import { temporaryDir } from '../../plugins/receipts/harness.ts';

const sizeIn = (path: string): unknown => {
  const driver = new Driver(path, { readonly: true });
  const size = driver.pragma('page_size', { simple: true });
  driver.close();
  return size;
};

// Only of a database that is whole.
const rowsOf = (path: string): unknown => {
  const database = openWriting(path);
  expect(database.prepare('PRAGMA integrity_check').get()).to.deep.equal({ integrity_check: 'ok' });
  const counted = database.prepare('SELECT count(*) AS rows FROM a').get()?.['rows'];
  database.close();
  return counted;
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
    compactStore(path);
    expect(sizeIn(path)).to.equal(2048);
    const again = openWriting(path);
    expect(again.prepare('SELECT b FROM a').all()).to.deep.equal([{ b: 'kept' }, { b: 'added' }]);
    expect(again.prepare('PRAGMA journal_mode').get()).to.deep.equal({ journal_mode: 'wal' });
    again.close();
  });

  // A log that stayed beside the new file would be read into it: the database would be malformed.
  it('stay as they are while another process reads the store', () => {
    const path = join(dir.path, 'read.db');
    const made = openWriting(path);
    made.execute(`CREATE TABLE a (b TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO a SELECT hex(randomblob(500)) FROM n;
      DELETE FROM a WHERE rowid % 2 = 0`);
    made.close();
    const changed = openWriting(path);
    changed.execute("CREATE INDEX x ON a (b); INSERT INTO a VALUES ('added')");
    const reader = openReading(path);
    reader.execute('BEGIN; SELECT count(*) FROM a');
    changed.close();
    const before = statSync(path).ino;
    expect(() => compactStore(path)).to.throw(ConfigError, 'wait until that has ended');
    reader.close();
    expect(statSync(path).ino, 'the same file').to.equal(before);
    expect(rowsOf(path)).to.equal(1001);
    compactStore(path);
    expect(readdirSync(dir.path).filter((name) => name.startsWith('read.db'))).to.deep.equal(['read.db']);
    expect(rowsOf(path)).to.equal(1001);
  });
});
