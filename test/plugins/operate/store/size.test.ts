import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { checkRoom } from '../../../../plugins/operate/store/compact.ts';
import { progress, size } from '../../../../plugins/operate/store/size.ts';
import { filesIn } from '../../../../plugins/operate/store/files.ts';
import { measureStore, type StoreSize } from '../../../../plugins/operate/store/tables.ts';
import { viewStore } from '../../../../kernel/store/view/read-only.ts';

const mib = 1024 ** 2;
const rows = 5000;

describe('the measure of a store', () => {
  let folder: string;
  let found: StoreSize;
  const told: number[] = [];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orb-size-'));
    const driver = new Driver(join(folder, 'store.db'));
    driver.exec(
      `CREATE TABLE plain (id TEXT PRIMARY KEY, body TEXT); CREATE INDEX plain_body ON plain (body);
       CREATE TABLE keyed (id TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID; CREATE TABLE empty (id TEXT); CREATE TABLE gone (body);
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
         INSERT INTO plain SELECT i, hex(randomblob(50)) FROM n;
       INSERT INTO keyed SELECT * FROM plain; INSERT INTO gone SELECT body FROM plain; DELETE FROM gone;`,
    );
    driver.close();
    const view = await viewStore({ stateDir: folder });
    if (view === undefined) throw new Error('there is a store');
    found = measureStore(view, (bytes) => void told.push(bytes));
    view.close();
  });
  after(() => rmSync(folder, { recursive: true }));

  const table = (name: string) => found.tables.find((one) => one.name === name);

  it('counts the rows of tables of both kinds', () => {
    expect(['plain', 'keyed', 'empty'].map((name) => table(name)?.rows)).to.deep.equal([rows, rows, 0]);
  });

  it('counts indexes with their table, beside its own pages', () => {
    const { bytes = 0, index_bytes = 0, indexes = [], row_bytes } = table('plain') ?? {};
    expect(indexes.map(({ name }) => name)).to.have.members(['plain_body', 'sqlite_autoindex_plain_1']);
    expect(index_bytes).to.equal(indexes.reduce((sum, index) => sum + index.bytes, 0));
    expect(index_bytes).to.be.greaterThan(0).and.lessThan(bytes);
    expect(row_bytes).to.equal(Math.round(bytes / rows));
    expect(table('keyed')).to.deep.include({ index_bytes: 0, indexes: [] });
    expect(table('empty')).to.include({ row_bytes: 0 });
  });

  it('counts the unused bytes of pages, and free pages', () => {
    const { bytes = 0, unused_bytes = 0 } = table('empty') ?? {};
    expect(unused_bytes)
      .to.be.greaterThan(bytes * 0.99)
      .and.lessThan(bytes);
    expect(found.free_bytes).to.be.greaterThan(100 * rows);
    expect(found.tables.reduce((sum, one) => sum + one.bytes, found.free_bytes)).to.equal(found.bytes);
  });

  it('tells how far it has read', () => {
    expect(told).to.deep.equal(told.toSorted((one, other) => one - other));
    expect(told.at(-1)).to.equal(found.bytes - found.free_bytes);
  });

  it('adds up folders, and passes over what is gone', () => {
    const dir = join(folder, 'dir');
    mkdirSync(join(dir, 'mails/deep'), { recursive: true });
    for (const name of ['one', 'mails/two', 'mails/deep/three']) writeFileSync(join(dir, name), name);
    expect(filesIn(dir)).to.deep.equal([
      { name: 'mails', files: 2, bytes: 25 },
      { name: 'one', files: 1, bytes: 3 },
    ]);
    expect(filesIn(join(dir, 'nowhere'))).to.deep.equal([]);
  });
});

describe('the progress of a measure', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-size-'));
    mock.timers.enable({ apis: ['Date'] });
  });
  afterEach(() => {
    mock.timers.reset();
    rmSync(folder, { recursive: true });
  });
  const begin = (bytes: number) => {
    const said: string[] = [];
    writeFileSync(join(folder, 'store.db'), '');
    truncateSync(join(folder, 'store.db'), bytes);
    return { said, read: progress({ stateDir: folder, note: (text) => void said.push(text) }) };
  };

  it('is told at once of a large store, then once a second', () => {
    const { said, read } = begin(256 * mib);
    read(16 * mib);
    mock.timers.tick(1000);
    read(64 * mib);
    read(128 * mib);
    mock.timers.tick(1000);
    read(192 * mib);
    expect(said).to.deep.equal([
      'reading all of store.db, 256.0 MiB; this can take a minute',
      '25 % read',
      '75 % read',
    ]);
  });

  it('is not told of a small store that takes no second', () => {
    const { said, read } = begin(256 * mib - 1);
    mock.timers.tick(999);
    read(mib);
    expect(said).to.deep.equal([]);
  });
});

describe('a number of bytes for people', () => {
  for (const [bytes, text] of [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1.5 * mib, '1.5 MiB'],
    [6.4 * 1024 ** 3, '6.4 GiB'],
    [1024 ** 5, '1024.0 TiB'],
  ] as const)
    it(`${bytes} is ${text}`, () => expect(size(bytes)).to.equal(text));
});

describe('the room for a copy of a store', () => {
  for (const [used, free, enough] of [
    [0, 64 * mib, true],
    [0, 64 * mib - 1, false],
    [100 * mib, 164 * mib, true],
    [100 * mib, 164 * mib - 1, false],
  ] as const)
    it(`${used} bytes ${enough ? 'fit' : 'do not fit'} into ${free}`, () => {
      const check = (): void => checkRoom('/state', used, free);
      if (enough) check();
      else expect(check).to.throw('nothing was changed');
    });
});
