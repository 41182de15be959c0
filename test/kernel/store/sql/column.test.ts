import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { rowReader, rowWriter, type RowOf } from '../../../../kernel/index.ts';
import { connectionOf } from '../../../helpers/stores/memory.ts';

const schema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string' },
    size: { type: 'integer' },
    test: { type: 'boolean' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    kind: { enum: ['a', 'b'] },
    note: { type: 'string' },
  },
} as const;

const read = rowReader<RowOf<typeof schema, 'note'>>(schema);

describe('rows by schema', () => {
  it('reads what was written, without columns that the schema does not name', () => {
    const database = new Driver(':memory:');
    database.exec('CREATE TABLE t (id TEXT PRIMARY KEY, size, test, labels, kind, note, secret)');
    const connection = connectionOf(database);
    const columns = ['id', 'size', 'test', 'labels', 'kind', 'note', 'secret'] as const;
    const insert = rowWriter(connection, 't', columns, 'ON CONFLICT (id) DO UPDATE SET size = excluded.size');
    const row = { id: 'x', size: 3, test: true, labels: { a: 'b' }, kind: 'a' as const };
    insert({ ...row, secret: 's' });
    const stored = { ...connection.prepare('SELECT * FROM t').get() };
    expect(stored).to.deep.include({ test: 1, labels: '{"a":"b"}', note: null, secret: 's' });
    expect(read(stored)).to.deep.equal(row);
    insert({ id: 'x', size: 4 });
    expect(read({ ...connection.prepare('SELECT * FROM t').get() }).size).to.equal(4);
    database.close();
  });
});
