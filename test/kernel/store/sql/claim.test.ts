import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { PlatformError, type Awaitable, type Claim, type Row, type WriteContext } from '../../../../kernel/index.ts';
import type { Taker } from '../../../../kernel/surface.ts';
import { claimStatement, claimTexts, claimValues } from '../../../../kernel/store/sql/claim.ts';
import { Committer } from '../../../../kernel/store/sqlite/committer.ts';
import { openWriting, type Database } from '../../../../kernel/store/sqlite/database.ts';
import { openIdentity, readHead } from '../../../../kernel/store/sqlite/head.ts';
import type { Answer } from '../../../../kernel/store/message.ts';
import { migrate } from '../../../../kernel/store/sqlite/migration.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { Stores } from '../../../helpers/stores/open.ts';

const keyClaim: Claim = {
  table: 'claims_keys',
  columns: ['caller', 'key', 'run', 'expires_at'],
  key: ['caller', 'key'],
  holder: 'run',
  givenUp: 'claims_keys.expires_at <= ? AND claims_keys.answer IS NOT NULL',
  dependents: [
    { table: 'claims_runs', columns: ['run', 'fact'] },
    { table: 'claims_notes', columns: ['run', 'note'] },
  ],
};
const lasting: Claim = { table: 'claims_names', columns: ['name', 'owner'], key: ['name'], holder: 'owner' };

const schema = `
  CREATE TABLE claims_keys (
    caller TEXT NOT NULL, key TEXT NOT NULL, run TEXT NOT NULL, expires_at BIGINT NOT NULL, answer TEXT,
    PRIMARY KEY (caller, key));
  CREATE TABLE claims_runs (run TEXT PRIMARY KEY, fact BYTES NOT NULL);
  CREATE TABLE claims_notes (run TEXT PRIMARY KEY, note TEXT);
  CREATE TABLE claims_names (name TEXT PRIMARY KEY, owner TEXT NOT NULL);`;

const now = (answer: Awaitable<Answer>): Answer => {
  if (answer instanceof Promise) throw new Error('the batch has an asynchronous operation');
  return answer;
};

const fact = new Uint8Array([1, 2, 3]);

const taker = (run: string, { now = 0, key = 'k' } = {}): Taker => ({
  row: { caller: 'c', key, run, expires_at: now + 10 },
  givenUp: [now],
  dependents: [{ run, fact }, { run }],
});

interface Asked {
  readonly run: string;
  readonly now?: number;
  /** The write fails after the claim. */
  readonly fails?: boolean;
}

describe('a claim', () => {
  const stores = new Stores();
  let database: Database;
  let committer: Committer;
  // 0: claim a key; 1: claim a name, which is never given up; 2: a claim that is not listed.
  const commit = (code: number, ...args: readonly unknown[]) =>
    now(committer.commit({ kind: 'batch', at: 0, sizes: args.map(() => 1), codes: args.map(() => code), args }));
  const claimAll = (...asked: readonly Asked[]) => commit(0, ...asked);
  const holders = (results: readonly unknown[]) => results.map((row) => (row as Row | undefined)?.['run']);
  const stored = (table: string, column = 'run') =>
    database
      .prepare(`SELECT ${column} FROM ${table} ORDER BY ${column}`)
      .all()
      .map((row) => row[column]);

  beforeEach(() => {
    database = openWriting(join(stores.folder(), 'store.db'));
    openIdentity(database, {
      ...{ masterKey: Buffer.alloc(32), now: 0, newInstallation: () => 'ins_1' },
      migrate: (kernel) => migrate(database, kernel, 0),
    });
    database.execute(schema.replaceAll('BYTES', 'BLOB'));
    const operations = {
      claim({ run, now = 0, fails = false }: Asked, write: WriteContext) {
        const found = write.claim(keyClaim, taker(run, { now }));
        if (fails) throw new PlatformError('internal');
        return found;
      },
      name: (owner: string, write: WriteContext) => write.claim(lasting, { row: { name: 'n', owner } }),
      unlisted: (_: unknown, write: WriteContext) => write.claim({ ...lasting }, { row: {} }),
    };
    committer = new Committer(database, readHead(database), [
      { name: 'claims', writing: { operations }, claims: [keyClaim, lasting] },
    ]);
  });
  afterEach(async () => {
    database.close();
    await stores.tidy();
  });

  it('gives the key to the first taker, with the rows that depend on it', () => {
    expect(claimAll({ run: 'a' }).results).to.deep.equal([undefined]);
    expect(['claims_keys', 'claims_runs', 'claims_notes'].map((table) => stored(table))).to.deep.equal([
      ['a'],
      ['a'],
      ['a'],
    ]);
    expect(database.prepare('SELECT fact FROM claims_runs').get()).to.deep.equal({ fact: Buffer.from(fact) });
  });

  it('tells every other taker who has it, in the same batch and later, and leaves nothing of them', () => {
    expect(holders(claimAll({ run: 'a' }, { run: 'b' }, { run: 'c' }).results)).to.deep.equal([undefined, 'a', 'a']);
    const { results } = claimAll({ run: 'd' });
    expect(results).to.deep.equal([{ caller: 'c', key: 'k', run: 'a', expires_at: 10 }]);
    expect([stored('claims_keys'), stored('claims_runs')]).to.deep.equal([['a'], ['a']]);
  });

  it('answers its holder the same again, and adds nothing', () => {
    claimAll({ run: 'a' });
    expect(claimAll({ run: 'a' }).results).to.deep.equal([undefined]);
    expect(stored('claims_runs')).to.deep.equal(['a']);
  });

  it('takes a row over that is given up, and no other', () => {
    claimAll({ run: 'a' });
    expect(holders(claimAll({ run: 'b', now: 11 }).results)).to.deep.equal(['a']);
    database.execute("UPDATE claims_keys SET answer = 'done'");
    expect(holders(claimAll({ run: 'b', now: 9 }).results)).to.deep.equal(['a']);
    expect(holders(claimAll({ run: 'b', now: 10 }, { run: 'c', now: 10 }).results)).to.deep.equal([undefined, 'b']);
    expect(stored('claims_runs')).to.deep.equal(['a', 'b']);
  });

  it('gives a key without such a condition up to nobody', () => {
    commit(1, 'one');
    expect(commit(1, 'other', 'one').results).to.deep.equal([{ name: 'n', owner: 'one' }, undefined]);
  });

  it('leaves nothing of a write that fails after it: the next taker gets the key', () => {
    const { results, failures } = claimAll({ run: 'a', fails: true }, { run: 'b' });
    expect(failures.map(([write]) => write)).to.deep.equal([0]);
    expect(results).to.deep.equal([undefined, undefined]);
    expect([stored('claims_keys'), stored('claims_runs')]).to.deep.equal([['b'], ['b']]);
  });

  it('is refused when its store does not list it', () => {
    expect(commit(2, null).failures).to.have.length(1);
  });

  describe('as one statement of PostgreSQL', () => {
    const server = usePostgres();
    let clients: [pg.Client, pg.Client];
    before(async () => {
      clients = [await server.client('claims'), await server.client('claims')];
      await clients[0].query(schema.replaceAll('BYTES', 'bytea'));
    });
    beforeEach(() => clients[0].query('TRUNCATE claims_keys, claims_runs, claims_notes'));

    const text = (sql: string): string => {
      let place = 0;
      return sql.replaceAll('?', () => `$${++place}`);
    };
    // A database that is serializable refuses the second of two; it is tried again, as the committer does.
    const again = async <T>(ask: () => Promise<T>): Promise<T> => {
      try {
        return await ask();
      } catch (error) {
        if ((error as { readonly code?: string }).code !== '40001') throw error;
        return ask();
      }
    };
    const take = async (client: pg.Client, run: string, now = 0): Promise<unknown> => {
      const values = claimValues(keyClaim, taker(run, { now }));
      const all = [...values.take, ...values.dependents.flat()];
      const won = await again(() => client.query(text(claimStatement(keyClaim)), all));
      if (won.rowCount === 1) return undefined;
      const { rows } = await client.query(text(claimTexts(keyClaim).found), ['c', 'k']);
      return (rows as Row[])[0]?.['run'];
    };
    const runs = async () =>
      (await clients[0].query<Row>('SELECT run FROM claims_runs ORDER BY run')).rows.map((row) => row['run']);

    it('lets the second taker wait for the first, who commits', async () => {
      const [one, other] = clients;
      await one.query('BEGIN');
      expect(await take(one, 'a')).to.equal(undefined);
      const second = take(other, 'b');
      await one.query('COMMIT');
      expect([await second, await runs()]).to.deep.equal(['a', ['a']]);
    });

    it('lets the second taker win when the first rolls back', async () => {
      const [one, other] = clients;
      await one.query('BEGIN');
      await take(one, 'a');
      const second = take(other, 'b');
      await one.query('ROLLBACK');
      expect([await second, await runs()]).to.deep.equal([undefined, ['b']]);
    });

    it('takes a row over that is given up, once', async () => {
      const [one, other] = clients;
      await take(one, 'a');
      await one.query("UPDATE claims_keys SET answer = 'done'");
      expect(await take(other, 'b', 9)).to.equal('a');
      await one.query('BEGIN');
      expect(await take(one, 'b', 10)).to.equal(undefined);
      const second = take(other, 'c', 10);
      await one.query('COMMIT');
      expect([await second, await runs()]).to.deep.equal(['b', ['a', 'b']]);
    });
  });
});
