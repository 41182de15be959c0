import { expect } from 'chai';
import type pg from 'pg';
import { flush, Refused, type Bound } from '../../../../plugins/postgres/connection/flush.ts';
import { openSession } from '../../../../plugins/postgres/connection/session.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';

const named = new Map<string, string>();

function bound(text: string, ...values: Bound['values']): Bound {
  if (!named.has(text)) named.set(text, `s${named.size}`);
  return { name: named.get(text) ?? '', text, values };
}

const insert = (id: string, n: number): Bound => bound('INSERT INTO notes (id, n) VALUES ($1, $2)', id, n);
const all = bound('SELECT id, n, bytes, share FROM notes ORDER BY id');

describe('a flush of statements to PostgreSQL', function () {
  const server = usePostgres();
  let client: pg.Client;

  before(async () => {
    client = await server.client('flush');
    await client.query('CREATE TABLE notes (id text PRIMARY KEY, n bigint, bytes bytea, share double precision)');
  });

  beforeEach(() => client.query('DELETE FROM notes'));

  const idsNow = async () => (await flush(client, [all]))[0]?.rows.map(({ id }) => id);

  it('runs its statements in order, and answers the rows and the counts of each', async () => {
    const answers = await flush(client, [
      insert('a', 1),
      bound('INSERT INTO notes (id, n, bytes, share) VALUES ($1, $2, $3, $4)', 'b', null, Buffer.from([0, 255]), 0.1),
      bound('UPDATE notes SET n = 7 WHERE n IS NOT NULL OR id = $1', 'b'),
      all,
      bound('DELETE FROM notes WHERE id = $1', 'none'),
    ]);
    expect(answers.map(({ changed }) => changed)).to.deep.equal([1, 1, 2, 2, 0]);
    expect(answers[3]?.rows).to.deep.equal([
      { id: 'a', n: 7, bytes: null, share: null },
      { id: 'b', n: 7, bytes: Buffer.from([0, 255]), share: 0.1 },
    ]);
  });

  it('leaves nothing behind when one of them is refused, wherever it stands, and says which', async () => {
    for (const at of [0, 1, 2, 3]) {
      const statements = [insert('a', 1), insert('b', 2), insert('c', 3)].toSpliced(
        at,
        0,
        bound('SELECT 1 / $1::int', 0),
      );
      const error = await flush(client, statements).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(Refused);
      expect(error).to.deep.include({ code: '22012', at });
      expect(await idsNow(), `refused at ${at}`).to.deep.equal([]);
    }
  });

  it('goes on after a statement that cannot be parsed, with those that were never sent before', async () => {
    const fresh = bound('SELECT count(*) AS n FROM notes');
    const wrong = bound('SELECT nothing FROM nowhere');
    for (const order of [
      [fresh, wrong],
      [wrong, fresh],
    ])
      expect(await flush(client, order).catch((error: unknown) => error)).to.include({ code: '42P01' });
    expect((await flush(client, [fresh]))[0]?.rows).to.deep.equal([{ n: 0 }]);
    expect((await flush(client, [fresh, fresh])).map(({ rows }) => rows[0]?.['n'])).to.deep.equal([0, 0]);
  });

  it('is rejected when the connection ends', async () => {
    const other = await server.client('flush');
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    other.on('error', () => undefined);
    const slow = flush(other, [bound('SELECT pg_sleep($1::float8)', 30)]).catch((error: unknown) => error);
    await client.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    expect(await slow)
      .to.be.instanceOf(Error)
      .that.is.not.instanceOf(Refused);
  });

  it('waits for those before it on a session, and that is not held against it', async () => {
    const session = await openSession(server.address('flush'));
    const slow = bound('SELECT pg_sleep($1::float8)', 1.6);
    // Longer together than a session waits for one answer.
    const all = await Promise.allSettled([slow, slow, slow].map((each) => session.flush([each])));
    expect(all.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'fulfilled']);
    await session.close();
  });

  for (const [purpose, isolation] of [
    ['write', 'serializable'],
    ['read', 'read committed'],
    ['lease', 'read committed'],
  ] as const)
    it(`to ${purpose} is ${isolation} in a database that is serializable`, async () => {
      await client.query('ALTER DATABASE flush SET default_transaction_isolation = serializable');
      const session = await openSession(server.address('flush'), purpose);
      const [shown] = await session.flush([bound('SHOW transaction_isolation')]);
      await session.close();
      await client.query('ALTER DATABASE flush RESET default_transaction_isolation');
      expect(shown?.rows).to.deep.equal([{ transaction_isolation: isolation }]);
    });
});
