import { expect } from 'chai';
import type pg from 'pg';
import type { Answer, Batch } from '../../../../kernel/store/message.ts';
import { PostgresCommitter } from '../../../../plugins/postgres/writer/committer.ts';
import { Outgoing } from '../../../../plugins/postgres/writer/outgoing.ts';
import { bind, openSession, type Session } from '../../../../plugins/postgres/connection/session.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { names, rowsModule, type Name } from './rows.ts';

const limitMs = 500;
/** How long the session waits for an answer, and how long the server lets a statement run. */
const patienceMs = 300;
const statementMs = 400;

describe('a statement on PostgreSQL that takes longer than its session waits', function () {
  const server = usePostgres();
  let admin: pg.Client;
  let committer: PostgresCommitter;
  let sessions: Session[];

  before(async () => {
    admin = await server.client('slow');
    await admin.query(`
      CREATE TABLE kernel_nodes (node text PRIMARY KEY, incarnation text, epoch bigint, state text);
      CREATE TABLE kernel_batches (node text, batch bigint, PRIMARY KEY (node, batch));
      CREATE TABLE rows_row (id bigint PRIMARY KEY);
      CREATE TABLE rows_keys (key text PRIMARY KEY, run bigint)`);
  });
  beforeEach(async () => {
    await admin.query('TRUNCATE kernel_nodes, kernel_batches, rows_row, rows_keys');
    await admin.query(`INSERT INTO kernel_nodes VALUES ('a', 'i', 1, 'live')`);
    sessions = [];
    const outgoing = new Outgoing();
    const modules = [{ name: 'rows', writing: rowsModule(outgoing, [], { readsAnew: true }) }];
    const head = { node: 'a', incarnation: 'i', epoch: 1, batch: 0 };
    committer = new PostgresCommitter({ open, session: await open(), head, outgoing, modules, limitMs });
  });
  afterEach(async () => {
    committer.end();
    await Promise.all(sessions.map((session) => session.close().catch(() => undefined)));
  });

  const open = async (): Promise<Session> => {
    const session = await openSession(server.address('slow'));
    sessions.push(session);
    await session.flush([bind(`SET statement_timeout = ${statementMs}`, [])]);
    const flush: Session['flush'] = async (statements) => {
      const timer = setTimeout(() => session.abandon(), patienceMs);
      return session.flush(statements).finally(() => clearTimeout(timer));
    };
    return { ...session, flush };
  };
  const commit = (...writes: readonly (readonly [Name, unknown?])[]): Promise<Answer> => {
    const batch: Batch = {
      ...{ kind: 'batch', at: 0, sizes: writes.map(() => 1) },
      codes: writes.map(([name]) => names.indexOf(name)),
      args: writes.map(([, args]) => args),
    };
    return committer.commit(batch);
  };
  const rows = async () =>
    (await admin.query<{ id: string }>('SELECT id FROM rows_row ORDER BY id')).rows.map(({ id }) => +id);
  const refusals = ({ failures }: Answer) =>
    failures.map(([write, failure]) => [write, failure.kind === 'problem' ? failure.code : failure.kind]);

  it('fails its write alone when an operation waits for it, and the writer goes on', async () => {
    const answer = await commit(['insert', 1], ['sleep', 1], ['insert', 2]);
    expect(refusals(answer)).to.deep.equal([[1, 'storage_unavailable']]);
    expect(await rows()).to.deep.equal([1, 2]);
    expect((await commit(['insert', 3])).failures).to.deep.equal([]);
    expect(await rows()).to.deep.equal([1, 2, 3]);
  });

  it('fails its write alone when it is the last of its transaction', async () => {
    const answer = await commit(['next'], ['nextSlowly', 1], ['next']);
    expect(refusals(answer)).to.deep.equal([[1, 'storage_unavailable']]);
    expect(await rows()).to.deep.equal([1, 2]);
  });

  it('fails its write alone when it went out with others', async () => {
    const answer = await commit(['insert', 1], ['insertSlowly', { id: 9, seconds: 1 }], ['insert', 2]);
    expect(refusals(answer)).to.deep.equal([[1, 'storage_unavailable']]);
    expect(await rows()).to.deep.equal([1, 2]);
    expect((await commit(['next'])).results).to.deep.equal([3]);
  });

  it('fails all writes of its flush when one after the other takes too long', async () => {
    const slow = [1, 2, 3, 4, 5].map((id) => ['insertSlowly', { id, seconds: 1 }] as const);
    const began = performance.now();
    const answer = await commit(...slow);
    expect(refusals(answer)).to.deep.equal(slow.map((_, index) => [index, 'storage_unavailable']));
    expect(performance.now() - began).to.be.lessThan(5 * slow.length * limitMs);
    expect((await commit(['next'])).results).to.deep.equal([1]);
  });
});
