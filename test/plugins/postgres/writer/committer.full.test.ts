import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type pg from 'pg';
import { OwnerLost } from '../../../../kernel/store/committer.ts';
import type { Answer, Batch } from '../../../../kernel/store/message.ts';
import { PostgresCommitter } from '../../../../plugins/postgres/writer/committer.ts';
import { Refused, SessionLost, type Bound } from '../../../../plugins/postgres/connection/flush.ts';
import { Outgoing } from '../../../../plugins/postgres/writer/outgoing.ts';
import { openSession, type Session } from '../../../../plugins/postgres/connection/session.ts';
import { given } from '../../../../kernel/tools/given.ts';
import { until } from '../../../helpers/until.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { names, rowsModule, type Name } from './rows.ts';

const batch = (...writes: readonly (readonly [Name, unknown?])[]): Batch => ({
  kind: 'batch',
  at: 0,
  sizes: writes.map(() => 1),
  codes: writes.map(([name]) => names.indexOf(name)),
  args: writes.map(([, args]) => args),
});

const many = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => ['insert', from + i] as const);

describe('the committer on PostgreSQL', function () {
  const server = usePostgres();
  let admin: pg.Client;
  let log: string[];
  let sessions: Session[];
  /** Runs in place of each flush, which it is given. */
  let onFlush: (statements: readonly Bound[], flush: Session['flush']) => ReturnType<Session['flush']>;

  before(async () => {
    admin = await server.client('committer');
    await admin.query(`
      CREATE TABLE kernel_nodes (node text PRIMARY KEY, incarnation text, epoch bigint, state text);
      CREATE TABLE kernel_batches (node text, batch bigint, PRIMARY KEY (node, batch));
      CREATE TABLE rows_row (id bigint PRIMARY KEY);
      CREATE TABLE rows_keys (key text PRIMARY KEY, run bigint)`);
  });
  const empty = () => admin.query('TRUNCATE kernel_nodes, kernel_batches, rows_row, rows_keys');
  beforeEach(async () => {
    await empty();
    [log, sessions, onFlush] = [[], [], (statements, flush) => flush(statements)];
  });
  afterEach(() => Promise.all(sessions.map((session) => session.close().catch(() => undefined))));

  const open = async (): Promise<Session> => {
    const session = await openSession(server.address('committer'));
    sessions.push(session);
    return { ...session, flush: (statements) => onFlush(statements, session.flush) };
  };
  const create = async (node = 'a', limitMs?: number): Promise<PostgresCommitter> => {
    await admin.query(`INSERT INTO kernel_nodes VALUES ($1, 'i', 1, 'live')`, [node]);
    const outgoing = new Outgoing();
    const modules = [{ name: 'rows', writing: rowsModule(outgoing, log) }];
    const head = { node, incarnation: 'i', epoch: 1, batch: 0 };
    return new PostgresCommitter({ open, session: await open(), head, outgoing, modules, ...given({ limitMs }) });
  };
  const rows = async () =>
    (await admin.query<{ id: string }>('SELECT id FROM rows_row ORDER BY id')).rows.map(({ id }) => +id);
  const batches = async () => (await admin.query('SELECT batch FROM kernel_batches')).rowCount;
  const codes = ({ failures }: Answer) =>
    failures.map(([write, failure]) => [write, failure.kind === 'problem' ? failure.code : failure.kind]);

  it('sends writes that ask for nothing as one flush', async () => {
    const committer = await create();
    let flushes = 0;
    onFlush = (statements, flush) => (flushes++, flush(statements));
    const answer = await committer.commit(batch(...many(1, 5), ['append', 6]));
    expect(answer).to.deep.equal({
      kind: 'answer',
      results: [undefined, undefined, undefined, undefined, undefined, { id: 6, done: true }],
      failures: [],
    });
    expect([flushes, await batches(), log]).to.deep.equal([1, 1, ['before 1', 'committed']]);
    expect(await rows()).to.deep.equal([1, 2, 3, 4, 5, 6]);
  });

  it('gives a write that asks a transaction of its own, in its place', async () => {
    const committer = await create();
    for (const [from, expected] of [
      [0, 11],
      [20, 31],
    ] as const) {
      const answer = await committer.commit(batch(...many(from + 1, from + 10), ['next'], ['append', from + 12]));
      expect(answer.results.slice(10)).to.deep.equal([expected, { id: from + 12, done: true }]);
    }
    expect(await batches()).to.equal(6);
  });

  it('gives writes transactions of their own when the work before their commit asks', async () => {
    const committer = await create();
    for (const from of [1, 11]) {
      const answer = await committer.commit(
        batch(['insert', from], ['appendNext'], ['appendNext'], ['insert', from + 8]),
      );
      expect(answer.failures).to.deep.equal([]);
      expect(answer.results.slice(1, 3)).to.deep.equal([from + 1, from + 2].map((id) => ({ id, done: true })));
    }
    expect(await rows()).to.deep.equal([1, 2, 3, 9, 11, 12, 13, 19]);
  });

  it('keeps a write that fails out of its batch, wherever it stands', async () => {
    const committer = await create();
    for (const [at, bad] of [
      [0, ['refuse', 99]],
      [2, ['explode']],
      [1, ['impatient']],
      [1, ['insert', 7]],
      [3, ['refuse', 99]],
    ] as const) {
      await admin.query('DELETE FROM rows_row; INSERT INTO rows_row VALUES (7)');
      const writes = many(1, 3) as readonly (readonly [Name, unknown?])[];
      const answer = await committer.commit(batch(...writes.toSpliced(at, 0, bad)));
      expect(codes(answer)).to.deep.equal([[at, bad[0] === 'refuse' ? 'invalid_inputs' : 'defect']]);
      expect(await rows()).to.deep.equal([1, 2, 3, 7]);
    }
  });

  it('outlives an operation that does not wait for its statement', async () => {
    const committer = await create();
    const unheard: unknown[] = [];
    const hear = (error: unknown) => void unheard.push(error);
    process.on('unhandledRejection', hear);
    const answers: unknown[] = [];
    for (const id of [1, 4]) {
      // The second time the row is there.
      const answer = await committer.commit(batch(['insert', id], ['forget', 8], ['insert', id + 1]));
      answers.push(codes(answer));
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', hear);
    expect([answers, unheard]).to.deep.equal([[[], [[1, 'defect']]], []]);
    expect(await rows()).to.deep.equal([1, 2, 4, 5, 8]);
  });

  it('leaves no trace of a batch in which every write failed', async () => {
    const committer = await create();
    expect(codes(await committer.commit(batch(['refuse', 1], ['refuse', 2])))).to.have.length(2);
    expect([await rows(), await batches()]).to.deep.equal([[], 0]);
  });

  describe('when the connection is lost', () => {
    const lost = () => Promise.reject(new SessionLost('cut'));

    for (const [what, writes] of [
      ['a flush', [...many(1, 3), ['append', 4], ['claim', { key: 'k', run: 5 }]]],
      ['a transaction', [['next'], ['next'], ['next'], ['next'], ['next']]],
    ] as const) {
      it(`builds ${what} again when it was not committed, at whichever message it was lost`, async () => {
        for (let at = 1; at <= 8; at++) {
          await empty();
          const committer = await create();
          let left = at;
          onFlush = (statements, flush) => (--left === 0 ? lost() : flush(statements));
          const answer = await committer.commit(batch(...(writes as readonly (readonly [Name, unknown?])[])));
          expect(answer.failures, `lost at ${at}`).to.deep.equal([]);
          expect(await rows(), `lost at ${at}`).to.deep.equal([1, 2, 3, 4, 5]);
        }
      });

      it(`answers ${what} that was committed without being heard, and repeats nothing`, async () => {
        for (let at = 1; at <= 8; at++) {
          await empty();
          const committer = await create();
          let left = at;
          onFlush = async (statements, flush) => {
            const answers = await flush(statements);
            return --left === 0 ? lost() : answers;
          };
          const answer = await committer.commit(batch(...(writes as readonly (readonly [Name, unknown?])[])));
          expect(answer.failures, `unheard at ${at}`).to.deep.equal([]);
          expect(answer.results.at(-1), `unheard at ${at}`).to.equal(what === 'a flush' ? 'mine' : 5);
          expect(await rows(), `unheard at ${at}`).to.deep.equal([1, 2, 3, 4, 5]);
        }
      });
    }

    it('holds the writes while the database is away, and answers them once it is back', async () => {
      const committer = await create();
      let tries = 0;
      onFlush = () => (tries++, Promise.reject(new SessionLost('away')));
      const held = committer.commit(batch(['insert', 1]));
      await until(
        () => tries,
        (count) => count >= 3,
      );
      onFlush = (statements, flush) => flush(statements);
      const answer = await held;
      expect([answer.failures, answer.rejected, answer.faults?.length]).to.deep.equal([[], undefined, 1]);
      expect(await rows()).to.deep.equal([1]);
    });

    it('rejects the writes that it holds when nobody waits any more', async () => {
      const committer = await create();
      onFlush = () => Promise.reject(new SessionLost('away'));
      const held = committer.commit(batch(['insert', 1]));
      committer.end();
      expect((await held).rejected).to.equal(true);
      expect(await rows()).to.deep.equal([]);
    });
  });

  it('builds a batch again that another transaction disturbed', async () => {
    const committer = await create();
    for (const [index, code] of ['40001', '40P01', '55P03'].entries()) {
      let left = 3;
      onFlush = (statements, flush) =>
        left-- > 0 ? Promise.reject(new Refused('disturbed', code, 1)) : flush(statements);
      const answer = await committer.commit(batch(['insert', 10 * index + 10], ['next']));
      expect(answer.failures).to.deep.equal([]);
    }
    expect(await rows()).to.have.length(6);
  });

  it('gives an operation up that takes too long, and leaves nothing of it, then or later', async () => {
    const committer = await create('a', 100);
    const goOn = Promise.withResolvers<undefined>();
    const waits = { before: 7, after: 8, until: () => goOn.promise };
    expect(codes(await committer.commit(batch(...many(1, 2), ['forever', waits], ['insert', 3])))).to.deep.equal([
      [2, 'storage_unavailable'],
    ]);
    onFlush = async (statements, flush) => {
      // While a transaction of another operation is open.
      if (statements.some(({ text }) => text.includes('max(id)'))) {
        goOn.resolve(undefined);
        await until(
          () => log.includes('went on'),
          (went) => went,
        );
      }
      return flush(statements);
    };
    expect((await committer.commit(batch(['next'], ['insert', 5]))).failures).to.deep.equal([]);
    expect(await rows()).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('gives an operation up whose statements together take too long, however often it is tried', async () => {
    const committer = await create('a', 100);
    let tries = 0;
    onFlush = async (statements, flush) => {
      if (!statements.some(({ text }) => text.includes('max(id)'))) return flush(statements);
      tries++;
      await delay(60);
      throw new SessionLost('no answer');
    };
    expect(codes(await committer.commit(batch(['insert', 1], ['next'])))).to.deep.equal([[1, 'storage_unavailable']]);
    expect([await rows(), tries]).to.deep.equal([[1], 2]);
  });

  it('gives up, and leaves nothing, when another process has taken its place', async () => {
    for (const taken of [`epoch = 2`, `state = 'dead'`, `node = 'other'`])
      for (const writes of [[['insert', 1]], [['next']]] as const) {
        await admin.query('DELETE FROM kernel_nodes');
        const committer = await create();
        await admin.query(`UPDATE kernel_nodes SET ${taken}`);
        expect(await committer.commit(batch(...writes)).catch((error: unknown) => error)).to.be.instanceOf(OwnerLost);
        expect(await rows()).to.deep.equal([]);
      }
  });

  it('gives a key to one of two processes, and tells the other who has it', async () => {
    const [one, other] = [await create('a'), await create('b')];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        queued(index % 2 === 0 ? one : other, batch(['claim', { key: `k${index >> 1}`, run: index + 1 }])),
      ),
    );
    const won = answers.map((result, index) => (result === 'mine' ? index + 1 : 0)).filter((run) => run > 0);
    expect(won).to.have.length(20);
    expect(await rows()).to.deep.equal(won);
    answers.forEach((result, index) => {
      if (result !== 'mine')
        (expect(won).to.include(Number(result)), expect(Number(result)).to.equal(index % 2 === 0 ? index + 2 : index));
    });
  });
});

const turns = new WeakMap<PostgresCommitter, Promise<unknown>>();

/** Commits one batch after the other, as the writer thread does; answers the first result. */
function queued(committer: PostgresCommitter, one: Batch): Promise<unknown> {
  const turn = (turns.get(committer) ?? Promise.resolve()).then(() => committer.commit(one));
  turns.set(committer, turn);
  return turn.then(({ results }) => results[0]);
}
