import { expect } from 'chai';
import { openScratch, withOnePlan, type Database } from '../../../../kernel/store/sqlite/database.ts';

describe('a statement on SQLite', () => {
  let database: Database;
  before(() => {
    database = openScratch();
    database.execute(`CREATE TABLE t (log INTEGER, idx INTEGER, name TEXT, PRIMARY KEY (log, idx)) WITHOUT ROWID;
      INSERT INTO t (log, idx, name) VALUES (1, 1, 'a?'), (1, 2, 'b')`);
  });
  after(() => database.close());

  // The driver makes rows by a function, which it compiles again when SQLite has prepared the statement again.
  const compiled = (work: () => void): number => {
    const { Function: real } = globalThis;
    let times = 0;
    globalThis.Function = new Proxy(real, {
      apply: (target, self, values) => (times++, Reflect.apply(target, self, values) as unknown),
    });
    try {
      work();
    } finally {
      globalThis.Function = real;
    }
    return times;
  };

  for (const { name, sql, values } of [
    {
      name: 'in order',
      sql: 'SELECT idx FROM t WHERE log = ? AND idx >= ? AND idx < ? ORDER BY idx',
      values: [1, 1, 3],
    },
    { name: 'with a limit', sql: 'SELECT idx FROM t WHERE log = ? LIMIT ?', values: [1, 2] },
  ])
    it(`is prepared once, however often it is used: ${name}`, () => {
      const statement = database.prepare(sql);
      const used = compiled(() => {
        for (let time = 0; time < 5; time++) expect(statement.all(...values)).to.have.length(2);
      });
      expect(used).to.equal(1);
    });

  for (const { sql, one } of [
    { sql: 'SELECT a FROM t WHERE a = ? LIMIT ?', one: 'SELECT a FROM t WHERE a = +? LIMIT +?' },
    { sql: `SELECT '?', "a?" FROM t -- ?\nWHERE a < ?`, one: `SELECT '?', "a?" FROM t -- ?\nWHERE a < +?` },
    { sql: `SELECT 'it''s ?', ?`, one: `SELECT 'it''s ?', +?` },
  ])
    it(`has no place that hints at a plan: ${JSON.stringify(sql)}`, () => expect(withOnePlan(sql)).to.equal(one));

  it('takes a value as it is', () => {
    const [row] = database
      .prepare('SELECT typeof(?) AS a, typeof(?) AS b, typeof(?) AS c, typeof(?) AS d')
      .all('1', 2n, null, Buffer.of(1));
    expect(row).to.deep.equal({ a: 'text', b: 'integer', c: 'null', d: 'blob' });
    expect(database.prepare('SELECT idx FROM t WHERE name = ?').get('a?')).to.deep.equal({ idx: 1 });
  });
});
