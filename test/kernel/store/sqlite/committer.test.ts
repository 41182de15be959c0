import { join } from 'node:path';
import { mock } from 'node:test';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { Operations, Statement, WriteContext, Writing } from '../../../../kernel/store/contract.ts';
import { OwnerLost } from '../../../../kernel/store/committer.ts';
import { Committer } from '../../../../kernel/store/sqlite/committer.ts';
import { openWriting, type Database } from '../../../../kernel/store/sqlite/database.ts';
import { migrate } from '../../../../kernel/store/sqlite/migration.ts';
import { openIdentity, readHead } from '../../../../kernel/store/sqlite/head.ts';
import type { Answer, Batch } from '../../../../kernel/store/message.ts';
import { rejection, Stores } from '../../../helpers/stores/open.ts';

const batch = (...args: readonly unknown[]): Batch => ({
  kind: 'batch',
  at: 0,
  sizes: args.map(() => 1),
  codes: args.map(() => 0),
  args,
});

const range = (from: number, to: number): string => Array.from({ length: to - from + 1 }, (_, i) => from + i).join();
const noDefer = {
  defer: () => undefined,
  claim: () => undefined,
  guard: () => undefined,
  tell: () => undefined,
  time: () => 0,
};

// Without asynchronous operations a batch is committed at once.
const immediately = (committer: Committer) => ({
  commit(one: Batch): Answer {
    const answer = committer.commit(one);
    if (answer instanceof Promise) throw new Error('the batch has an asynchronous operation');
    return answer;
  },
});

describe('the committer', () => {
  const stores = new Stores();
  let database: Database;
  /** Runs in place of COMMIT, which it is given. */
  let onCommit: (commit: Statement) => number;
  let calls: string[];
  let writing: Writing<Operations>;

  const create = () => {
    const watched: Database = {
      ...database,
      prepare(sql) {
        const statement = database.prepare(sql);
        return sql === 'COMMIT' ? { ...statement, run: () => onCommit(statement) } : statement;
      },
    };
    return immediately(new Committer(watched, readHead(database), [{ name: 'rows', writing }]));
  };
  const rows = () => database.prepare('SELECT id FROM rows_row ORDER BY id').all();

  beforeEach(() => {
    database = openWriting(join(stores.folder(), 'store.db'));
    openIdentity(database, {
      ...{ masterKey: Buffer.alloc(32), now: 0, newInstallation: () => 'ins_1' },
      migrate: (kernel) => migrate(database, kernel, 0),
    });
    database.execute('CREATE TABLE rows_row (id INTEGER PRIMARY KEY) STRICT');
    const insert = database.prepare('INSERT INTO rows_row VALUES (?)');
    onCommit = (commit) => commit.run();
    calls = [];
    writing = {
      operations: { insert: (id: number) => insert.run(id) },
      beforeCommit: () => void calls.push('beforeCommit'),
      committed: () => void calls.push('committed'),
      reload: () => void calls.push('reload'),
    };
  });
  afterEach(async () => {
    database.close();
    await stores.tidy();
  });

  it('answers success when a failing commit turns out to be durable', () => {
    onCommit = (commit) => {
      commit.run();
      throw new Error('the answer of the disk was lost');
    };
    const answer = create().commit(batch(1, 2));
    expect(answer.results).to.deep.equal([1, 1]);
    expect(answer.rejected).to.equal(undefined);
    expect(answer.faults).to.have.length(1);
    expect(calls).to.deep.equal(['reload']);
    expect(rows()).to.have.length(2);
  });

  it('goes on with the right head after such a commit', () => {
    const committer = create();
    onCommit = (commit) => {
      onCommit = (next) => next.run();
      commit.run();
      throw new Error('the answer of the disk was lost');
    };
    committer.commit(batch(1));
    expect(committer.commit(batch(2)).faults).to.equal(undefined);
    expect(readHead(database)).to.deep.equal({ epoch: 1, batch: 2 });
  });

  it('rejects the batch when the commit fails twice', () => {
    onCommit = () => {
      throw new Error('no space');
    };
    const answer = create().commit(batch(1));
    expect(answer.rejected).to.equal(true);
    expect(answer.faults).to.have.length(2);
    expect(calls).to.deep.equal(['reload', 'reload']);
    expect(rows()).to.deep.equal([]);
  });

  it('rejects the whole batch when the disk is full, and goes on when there is space again', () => {
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    database.execute(`PRAGMA max_page_count = ${pages}`);
    const fill = database.prepare(`INSERT INTO rows_row SELECT value FROM json_each('[${range(2, 5000)}]')`);
    const { insert } = writing.operations;
    writing = { ...writing, operations: { insert: (id: never) => (id === 0 ? fill.run() : insert?.(id, noDefer)) } };
    const committer = create();
    expect(committer.commit(batch(1, 0)).rejected).to.equal(true);
    expect(rows()).to.deep.equal([]);
    database.execute('PRAGMA max_page_count = 1000000');
    expect(committer.commit(batch(1, 0)).failures).to.deep.equal([]);
    expect(rows()).to.have.length(5000);
  });

  it('writes with full durability and leaves the file open to readers', () => {
    const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(pragma('journal_mode')).to.equal('wal');
    expect(pragma('synchronous')).to.equal(2);
    expect(pragma('foreign_keys')).to.equal(1);
    expect(pragma('locking_mode')).to.equal('normal');
    expect(pragma('busy_timeout')).to.be.greaterThan(0);
  });

  it('reads the memory of the modules again when one of them failed after the commit', () => {
    const failing = {
      ...writing,
      committed: () => {
        throw new Error('out of step');
      },
    };
    writing = failing;
    const committer = create();
    expect(committer.commit(batch(1)).results).to.deep.equal([1]);
    expect(calls).to.deep.equal([]);
    committer.commit(batch(2));
    expect(calls).to.deep.equal(['reload']);
    expect(rows()).to.have.length(2);
  });

  it('does not call beforeCommit without items', () => {
    create().commit(batch(1));
    expect(calls).to.deep.equal(['committed']);
  });

  it('leaves no batch behind when all its writes failed', () => {
    const committer = create();
    committer.commit(batch(1));
    const answer = committer.commit(batch(1, 1));
    expect(answer.failures.map(([index]) => index)).to.deep.equal([0, 1]);
    expect(readHead(database)).to.deep.equal({ epoch: 1, batch: 1 });
  });

  it('gives up when the head is not the one it knows', () => {
    const committer = create();
    database.execute('UPDATE kernel_head SET epoch = epoch + 1');
    expect(() => committer.commit(batch(1))).to.throw(OwnerLost);
    database.execute('UPDATE kernel_head SET epoch = epoch - 1, batch = batch + 7');
    expect(() => committer.commit(batch(1))).to.throw('at batch 7');
    expect(rows()).to.deep.equal([]);
  });

  it('tells only the modules that took part in a batch that it was committed', () => {
    const other = { operations: { nothing: () => undefined }, committed: () => void calls.push('other committed') };
    const both = [
      { name: 'rows', writing },
      { name: 'other', writing: other },
    ];
    const committer = immediately(new Committer(database, readHead(database), both));
    committer.commit(batch(1));
    committer.commit({ ...batch(undefined), codes: [1] });
    expect(calls).to.deep.equal(['committed', 'other committed']);
  });

  it('answers nothing of a write that failed in the middle', () => {
    const answer = create().commit({ ...batch(1, 1, 2), sizes: [2, 1] });
    expect(answer.results).to.deep.equal([undefined, undefined, 1]);
    expect(answer.failures.map(([write]) => write)).to.deep.equal([0]);
    expect(rows()).to.deep.equal([{ id: 2 }]);
  });

  it('moves the row of a guard with each write that takes it and commits, each module its own', () => {
    const guarding = {
      operations: {
        guard(fails: boolean, write: WriteContext): void {
          write.guard('last');
          if (fails) throw new Error('refused');
        },
      },
    };
    const both = ['one', 'other'].map((name) => ({ name, writing: guarding }));
    const committer = immediately(new Committer(database, readHead(database), both));
    committer.commit({ ...batch(false, true, false, false), codes: [0, 0, 0, 1] });
    expect(database.prepare('SELECT name, guard FROM kernel_guards ORDER BY name').all()).to.deep.equal([
      { name: 'one last', guard: 2 },
      { name: 'other last', guard: 1 },
    ]);
  });

  describe('with asynchronous operations', () => {
    const later = async (id: number): Promise<number> => {
      await Promise.resolve();
      if (id === 0) throw new Error('refused');
      return insert(id);
    };
    const insert = (id: number): number => database.prepare('INSERT INTO rows_row VALUES (?)').run(id);
    const commit = async (...args: readonly number[]): Promise<Answer> => {
      writing = { ...writing, operations: { insert: (id: number) => (id < 10 ? later(id) : insert(id)) } };
      return new Committer(database, readHead(database), [{ name: 'rows', writing }]).commit(batch(...args));
    };

    it('waits for each before the next one begins, in one commit', async () => {
      expect((await commit(1, 10, 2, 11)).results).to.deep.equal([1, 1, 1, 1]);
      expect(rows().map(({ id }) => id)).to.deep.equal([1, 2, 10, 11]);
      expect(readHead(database)).to.deep.equal({ epoch: 1, batch: 1 });
    });

    it('undoes one that fails, and no other', async () => {
      const { failures } = await commit(10, 0, 1);
      expect(failures.map(([write]) => write)).to.deep.equal([1]);
      expect(rows().map(({ id }) => id)).to.deep.equal([1, 10]);
    });

    it('waits for beforeCommit and reload', async () => {
      let failing = true;
      writing = {
        ...writing,
        async beforeCommit() {
          await Promise.resolve();
          if (failing) throw new Error('not now');
          insert(99);
        },
        async reload() {
          await Promise.resolve();
          failing = false;
        },
      };
      const operations = { insert: (id: number, write: WriteContext) => write.defer({ id }) };
      writing = { ...writing, operations };
      const committer = new Committer(database, readHead(database), [{ name: 'rows', writing }]);
      expect((await committer.commit(batch(1))).faults).to.have.length(1);
      expect(rows().map(({ id }) => id)).to.deep.equal([99]);
    });

    it('gives up when one waits for more than its statements', async () => {
      mock.timers.enable({ apis: ['setTimeout'] });
      try {
        writing = { ...writing, operations: { insert: () => new Promise(() => undefined) } };
        const going = new Committer(database, readHead(database), [{ name: 'rows', writing }]).commit(batch(1));
        mock.timers.tick(10_000);
        expect(String(await rejection(Promise.resolve(going)))).to.contain('more than its statements');
      } finally {
        mock.timers.reset();
      }
    });
  });

  it('rejects the whole batch by a fault of the disk, also when another write has failed before', () => {
    const { insert } = writing.operations;
    let full = true;
    const faulty = (id: never): unknown => {
      if (id === 7 && full) throw new Driver.SqliteError('no space', 'SQLITE_FULL');
      return insert?.(id, noDefer);
    };
    writing = { ...writing, operations: { insert: faulty } };
    const committer = create();
    expect(committer.commit(batch(1, 1, 7)).rejected).to.equal(true);
    expect(rows()).to.deep.equal([]);
    full = false;
    expect(committer.commit(batch(1, 1, 7)).failures.map(([write]) => write)).to.deep.equal([1]);
  });
});
