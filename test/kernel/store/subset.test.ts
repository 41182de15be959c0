import { expect } from 'chai';
import type pg from 'pg';
import { builtinStores } from '../../../plugins/stores.ts';
import { claimStatement } from '../../../kernel/store/sql/claim.ts';
import { keyOf, schemaOf } from '../../../plugins/postgres/tables/schema.ts';
import { forbiddenForms, outsideSubset } from '../../../plugins/kit/conformance/sql-subset.ts';
import { usePostgres } from '../../helpers/use-postgres.ts';
import { eachShippedDatabase, shippedStatements, type Prepared } from '../../helpers/stores/statements.ts';

// One sample of each form that is refused, in the order of the table.
const samples: readonly (readonly string[])[] = [
  [
    'INSERT OR REPLACE INTO t (a) VALUES (?)',
    'INSERT OR IGNORE INTO t (a) VALUES (?)',
    'REPLACE INTO t (a) VALUES (?)',
  ],
  [
    'INSERT INTO t (a) VALUES (?) ON CONFLICT DO NOTHING',
    'INSERT INTO t (a) VALUES (?)\n  ON CONFLICT DO UPDATE SET a = 1',
  ],
  [
    'INSERT INTO t (a, n) VALUES (?, ?) ON CONFLICT (a) DO UPDATE SET n = n + excluded.n',
    'INSERT INTO t (a, n) VALUES (?, ?) ON CONFLICT (a) DO UPDATE SET n = excluded.n WHERE n < excluded.n',
  ],
  ['SELECT rowid FROM t', 'SELECT a FROM t AS r ORDER BY r.rowid'],
  ["SELECT record ->> 'a' FROM t", "SELECT json_extract(record, '$.a') FROM t"],
  ['SELECT CAST(payload AS TEXT) FROM t'],
  ['SELECT sum(n) AS n FROM t', 'SELECT a, AVG(n) FROM t GROUP BY a'],
  ['SELECT a AS theFirst FROM t'],
  ['SELECT max(a, ?) FROM t', 'UPDATE t SET a = min(coalesce(a, 1), ?)', 'SELECT max(a, coalesce(b, c)) FROM t'],
  ["UPDATE t SET a = x''", "SELECT a FROM t WHERE a <> X'00'"],
  ['SELECT a FROM t WHERE a IS ?', 'SELECT a FROM t WHERE a IS NOT b'],
  ['SELECT a.n FROM a CROSS JOIN b ON b.n = a.n', 'SELECT x.n FROM a AS x CROSS JOIN b AS y ON y.n = x.n'],
  ['SELECT count(n) FROM (SELECT n FROM t)', 'SELECT n FROM (SELECT max(n) AS n FROM t) WHERE n > 1'],
  ['SELECT * FROM t', 'SELECT a, t.* FROM t', 'SELECT DISTINCT * FROM t'],
  ['INSERT INTO t VALUES (?)', 'INSERT INTO t SELECT a FROM u'],
  ['SELECT a FROM t NOT INDEXED', 'SELECT a FROM t INDEXED BY i WHERE a = ?', 'SELECT a FROM t WHERE unlikely(a)'],
  ['SELECT a FROM t LIMIT -1', 'SELECT a FROM t LIMIT 5, 10'],
  ['SELECT a FROM t WHERE a = ?1', 'SELECT a FROM t WHERE a = :a', 'SELECT a::text FROM t'],
  ['SELECT ifnull(a, 1) FROM t', "SELECT a FROM t WHERE a GLOB 'x*'", 'SELECT a FROM t WHERE a == 1', 'SELECT now()'],
  ['PRAGMA user_version', 'BEGIN IMMEDIATE', 'SELECT name FROM sqlite_schema', "SELECT nextval('s')"],
];

// What looks like one of the forms.
const allowed = [
  'INSERT INTO t (a, n) VALUES (?, ?) ON CONFLICT (a) DO UPDATE SET n = t.n + excluded.n, b = excluded.b',
  'INSERT INTO t (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET a = CASE WHEN t.a < excluded.a THEN excluded.a ELSE t.a END',
  'INSERT INTO t (a) VALUES (?) ON CONFLICT (a) DO NOTHING RETURNING a',
  "SELECT max(coalesce(a, '')), min(a), count(*), a * 2 FROM t WHERE a IS NOT NULL AND b IS NOT DISTINCT FROM ?",
  'SELECT CAST(SUM(n) AS BIGINT) AS n FROM t GROUP BY a',
  'SELECT count(*) AS n FROM (SELECT 1 FROM t LIMIT 5) AS first WHERE length(b) > 0',
  'SELECT a.n FROM a CROSS JOIN b LEFT JOIN c ON c.n = b.n WHERE b.n = a.n ORDER BY a.n LIMIT ? OFFSET 5',
  "UPDATE t SET a = 'SELECT * -> rowid' WHERE +b = ?",
];

describe('the statements of the stores', () => {
  let statements: readonly Prepared[];
  before(async () => {
    statements = await shippedStatements();
  });

  it('use no form that only one engine takes', () => {
    const refused = statements.map((one) => ({ ...one, reasons: outsideSubset(one.sql) }));
    expect(refused.filter(({ reasons }) => reasons.length > 0)).to.deep.equal([]);
    expect(statements).to.have.length.greaterThan(2000);
  });

  it('insert a row with its whole key: no engine makes a number', () => {
    const keys = new Map<string, readonly string[]>();
    eachShippedDatabase((database) => {
      const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      for (const { name } of tables) keys.set(String(name), keyOf(database, String(name)));
    });
    const incomplete = statements.filter(({ sql }) => {
      const [, table = '', columns = ''] = /^\s*INSERT INTO (\w+) \(([^)]*)\)/.exec(sql) ?? [];
      const named = columns.split(/,\s*/);
      return keys.get(table)?.some((column) => !named.includes(column));
    });
    expect(incomplete).to.deep.equal([]);
  });

  describe('on PostgreSQL', () => {
    const server = usePostgres();
    let client: pg.Client;
    before(async () => {
      client = await server.client('subset');
      const schema: string[] = [];
      eachShippedDatabase((database) => schema.push(...schemaOf(database, () => true)));
      for (const text of schema) await client.query(text);
    });

    it('are each understood', async () => {
      const refused: (Prepared & { readonly error: string })[] = [];
      const claims = builtinStores.flatMap(({ name, claims: own = [] }) =>
        own.map((claim) => ({ store: name, sql: claimStatement(claim) })),
      );
      for (const one of [...statements, ...claims]) {
        const error = await refusalOf(client, one.sql);
        if (error !== undefined) refused.push({ ...one, error });
      }
      expect(refused).to.deep.equal([]);
    });
  });
});

// Of a statement that PostgreSQL cannot prepare: what it says.
async function refusalOf(client: pg.Client, sql: string): Promise<string | undefined> {
  let places = 0;
  const text = sql.replaceAll('?', () => `$${++places}`).replace(/;\s*$/, '');
  try {
    await client.query(`PREPARE one AS ${text}`);
  } catch (error) {
    return (error as Error).message;
  }
  await client.query('DEALLOCATE one');
  return undefined;
}

describe('the subset of SQL', () => {
  forbiddenForms.forEach(({ reason, used }, index) =>
    it(`has no ${reason}`, () => {
      expect(samples[index]).to.have.length.greaterThan(0);
      for (const sample of samples[index] ?? []) {
        expect(outsideSubset(sample), sample).to.include(reason);
        expect(used(sample.replace(/'[^']*'/g, "''")), sample).to.equal(true);
      }
    }),
  );

  for (const text of allowed) it(`has: ${text}`, () => expect(outsideSubset(text)).to.deep.equal([]));
});
