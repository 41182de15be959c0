import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { queriesOf, rowReader, type Connection } from '../../../../kernel/index.ts';
import type { Asked } from '../../../../kernel/store/sql/query.ts';

interface Item {
  readonly id: string;
  readonly kind?: string;
}

describe('the queries of a connection', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(
    "CREATE TABLE t (id TEXT PRIMARY KEY, kind TEXT); INSERT INTO t VALUES ('a', 'x'), ('b', 'y'), ('c', 'x')",
  );
  const prepared: string[] = [];
  // The driver's statements do what those of a Connection do.
  const connection = { prepare: (sql: string) => (prepared.push(sql), database.prepare(sql)) } as unknown as Connection;
  const read = rowReader<Item>({ properties: { id: {}, kind: {} } });
  const { find, list, filter } = queriesOf(connection);
  after(() => database.close());

  it('find one row or none, and list rows by the values of the statement', () => {
    const named = find('SELECT * FROM t WHERE id = ?', read);
    expect(named('b')).to.deep.equal({ id: 'b', kind: 'y' });
    expect(named('z')).to.equal(undefined);
    const between = list<Item, [from: string, to: string]>('SELECT id FROM t WHERE id > ? AND id < ?', read);
    expect(between('a', 'c')).to.deep.equal([{ id: 'b' }]);
  });

  const x: Asked = ['kind = ?', 'x'];
  const rows: readonly { name: string; asked: readonly Asked[]; limit?: number; ids: string }[] = [
    { name: 'no condition', asked: [], ids: 'cba' },
    { name: 'one that is not asked for', asked: [['kind = ?', undefined]], ids: 'cba' },
    { name: 'one', asked: [x], ids: 'ca' },
    { name: 'two, and each must hold', asked: [['id < ?', 'c'], x], ids: 'a' },
    { name: 'a limit', asked: [x], limit: 1, ids: 'c' },
  ];
  const newest = filter('SELECT id FROM t', 'id DESC', read);
  for (const { name, asked, limit, ids } of rows)
    it(`filter rows by the conditions that are asked for: ${name}`, () => {
      expect(newest(asked, limit).map(({ id }) => id)).to.deep.equal([...ids]);
    });

  it('prepare a statement once for each combination of conditions', () => {
    const before = prepared.length;
    newest([x]);
    newest([['kind = ?', 'y']]);
    newest([
      ['kind = ?', undefined],
      ['id < ?', 'b'],
    ]);
    newest([['id < ?', 'c']]);
    expect(prepared.length - before).to.be.at.most(1);
  });

  it('read the rows of many keys of several columns in statements of a few sizes', () => {
    const many = Array.from({ length: 130 }, (_, number) => [`m${number}`, number % 2 === 0 ? 'even' : 'odd'] as const);
    const insert = database.prepare('INSERT INTO t VALUES (?, ?)');
    for (const [id, kind] of many) insert.run(id, kind);
    const { each } = queriesOf(connection);
    const all = each<Item, readonly [id: string, kind: string]>('SELECT id FROM t WHERE id = ? AND kind = ?', read);
    const before = prepared.length;
    for (const size of [0, 1, 2, 10, 11, 50, 51, 130]) {
      const found = all([...many.slice(0, size), ['m0', 'odd']]).map(({ id }) => id);
      expect(found).to.deep.equal(many.slice(0, size).map(([id]) => id));
    }
    expect(prepared.length).to.equal(before);
  });
});
