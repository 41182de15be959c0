import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type pg from 'pg';
import { ConfigError } from '../../../../kernel/error.ts';
import type { StoreAddress } from '../../../../kernel/surface.ts';
import type { PostgresAddress } from '../../../../plugins/postgres/connection/address.ts';
import type { Answer, Failure, WriterData } from '../../../../kernel/store/message.ts';
import { Pipeline } from '../../../../kernel/store/serving/pipeline.ts';
import { startWriter, type WriterEnd } from '../../../../kernel/store/serving/writer-link.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { rejection } from '../../../helpers/stores/open.ts';
import { until } from '../../../helpers/until.ts';

const list = new URL('../../../helpers/stores/shelf.ts', import.meta.url).href;
const clock = { now: () => Date.UTC(2026, 10, 20), monotonic: () => 0 };

/** A writer thread, with what it said. */
interface Opened {
  readonly installation: string;
  insert(id: number): Promise<unknown>;
  take(key: string, taker: number): Promise<unknown>;
  readonly answers: Answer[];
  readonly aways: Failure[];
  readonly ends: WriterEnd[];
  close(): Promise<void>;
}

describe('the writer thread on PostgreSQL', function () {
  const server = usePostgres();
  const opened: Opened[] = [];
  const masterKey = randomBytes(32);
  let databases = 0;
  let database: string;
  let admin: pg.Client;

  beforeEach(async () => {
    database = `writer_${++databases}`;
    admin = await server.client(database);
  });
  afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

  const open = async (given: Partial<WriterData> & { readonly name?: string } = {}): Promise<Opened> => {
    const { name = 'a', ...data } = given;
    const [answers, aways, ends]: [Answer[], Failure[], WriterEnd[]] = [[], [], []];
    const link = await startWriter({
      data: {
        ...{
          stateDir: '/nowhere',
          place: 'one',
          shared: false,
          masterKey,
          version: '1.0.0',
          at: clock.now(),
          modules: [{ name: 'shelf' }],
          list,
        },
        ...{ node: { name, incarnation: randomBytes(8).toString('hex') }, address: server.address(database) },
        ...data,
      },
      onEvent: (event) => void (event.kind === 'away' && aways.push(event.failure)),
      onAnswer(answer) {
        answers.push(answer);
        pipeline.answer(answer);
      },
      onEnd(end) {
        ends.push(end);
        pipeline.fail();
      },
    });
    const pipeline = new Pipeline({
      operations: link.operations,
      clock,
      log: silentLog,
      post: (one) => link.post(one),
    });
    const write = async (operation: string, args: unknown): Promise<unknown> =>
      (await pipeline.write([{ store: 'shelf', name: operation, args }]))[0];
    const one: Opened = {
      ...{ installation: link.installation, answers, aways, ends },
      insert: (id) => write('insert', id),
      take: (key, taker) => write('take', { key, taker }),
      close: () => (ends.length > 0 ? Promise.resolve() : link.close()),
    };
    opened.push(one);
    return one;
  };
  const ids = async (): Promise<readonly number[]> => {
    const { rows } = await admin.query<{ id: string }>('SELECT id FROM shelf_row ORDER BY id');
    return rows.map(({ id }) => Number(id));
  };

  it('makes the installation at the first start, and finds it and its rows after a restart', async () => {
    const first = await open();
    await Promise.all([1, 2, 3].map(first.insert));
    await first.close();
    const second = await open();
    expect(second.installation).to.equal(first.installation).and.match(/^ins_/);
    await second.insert(4);
    expect(await ids()).to.deep.equal([1, 2, 3, 4]);
  });

  it('lets the modules read what is committed before their first batch', async () => {
    const first = await open();
    await Promise.all([1, 2, 3].map(first.insert));
    await first.close();
    expect(await (await open()).insert(4)).to.deep.equal({ place: 4 });
  });

  it('makes one installation when several start at once on an empty database, and serves one after the other', async () => {
    const writers: number[] = [];
    const serve = async (index: number): Promise<string> => {
      const one = await open({ name: `n${index}`, place: `place-${index}` });
      writers.push(await Promise.all([one.take('k', index), one.insert(10 + index)]).then(([taker]) => Number(taker)));
      await one.close();
      return one.installation;
    };
    const all = await Promise.all([0, 1, 2].map(serve));
    expect(new Set(all).size).to.equal(1);
    const [winner] = writers;
    expect(writers, 'the first has the key').to.deep.equal([winner, winner, winner]);
    expect(await ids()).to.deep.equal([winner, 10, 11, 12]);
  });

  it('refuses another master key with a word, and changes nothing', async () => {
    await (await open()).insert(1);
    // The lease of the first goes on meanwhile.
    const state = async () =>
      (await admin.query('SELECT * FROM kernel_nodes, kernel_installation, kernel_migrations')).rows.map(
        (row: object) => ({ ...row, lease_until: undefined }),
      );
    const before = await state();
    const error = await rejection(open({ masterKey: randomBytes(32) }));
    expect(error).to.be.instanceOf(ConfigError);
    expect((error as Error).message).to.contain('is not the master key of this store');
    expect(await state()).to.deep.equal(before);
  });

  it('lets the later of two processes of one node write, and the former nothing more', async () => {
    const former = await open();
    await former.insert(1);
    const later = await open();
    expect(await rejection(former.insert(2))).to.include({ code: 'storage_unavailable' });
    await until(
      () => former.ends,
      (ends) => ends.length > 0,
    );
    expect(former.ends[0]?.reason).to.equal('another process took over from this one');
    await later.insert(3);
    expect(await ids()).to.deep.equal([1, 3]);
  });

  it('loses and doubles no write when the database is killed under them', async () => {
    const one = await open();
    let next = 0;
    const written: Promise<unknown>[] = [];
    const flow = setInterval(() => {
      for (let count = 0; count < 20; count++) written.push(one.insert(++next));
    }, 1);
    try {
      for (let kill = 0; kill < 3; kill++) {
        const from = one.answers.length;
        await until(
          () => one.answers.length,
          (count) => count > from + 5,
        );
        await server.restart();
      }
    } finally {
      clearInterval(flow);
    }
    await Promise.all(written);
    admin = await server.client(database);
    expect(await ids()).to.deep.equal(Array.from({ length: next }, (_, index) => index + 1));
    expect(one.answers.some(({ faults }) => faults !== undefined)).to.equal(true);
  });

  it('says when the database is away for long, and answers once it is back', async () => {
    const one = await open();
    await one.insert(1);
    let held: Promise<unknown> | undefined;
    await server.restart(async () => {
      held = one.insert(2);
      await until(
        () => one.aways,
        (aways) => aways.length > 0,
      );
    });
    expect(await held).to.deep.equal({ place: 2 });
    expect(one.aways).to.have.length(1);
  });

  it('closes while the database is away, and rejects what waits', async () => {
    const one = await open();
    await server.restart(async () => {
      const held = rejection(one.insert(1));
      await one.close();
      expect(await held).to.include({ code: 'storage_unavailable' });
    });
  });

  it('drops the numbers of older batches', async () => {
    const one = await open();
    for (let id = 1; id <= 200; id++) await one.insert(id);
    const { rows } = await admin.query<{ n: number; last: string }>(
      'SELECT count(*)::int AS n, max(batch) AS last FROM kernel_batches',
    );
    expect(rows[0]?.n).to.be.lessThan(130);
    // The store module opened in a transaction of its own.
    expect(Number(rows[0]?.last)).to.equal(201);
  });

  const password = `pw-${randomBytes(8).toString('hex')}`;
  const withPassword = (connect: Partial<PostgresAddress['connect']> = {}): StoreAddress & PostgresAddress => {
    const known = server.address(database);
    return { ...known, connect: { ...known.connect, password, ...connect } };
  };

  for (const [what, connect, fault] of [
    ['a database that is not there', { database: 'nowhere' }, /database "nowhere" does not exist/],
    ['a user that is not there', { user: 'nobody' }, /role "nobody" does not exist/],
    ['a server without TLS', { ssl: { rejectUnauthorized: true } }, /does not support SSL/],
  ] as const)
    it(`refuses ${what}, and does not show the password`, async () => {
      const error = await rejection(open({ address: withPassword(connect) }));
      expect(error).to.be.instanceOf(ConfigError);
      expect((error as Error).message)
        .to.match(/ORB_STORE_URL: postgres:\/\/\//)
        .and.match(fault);
      expect(`${(error as Error).stack} ${JSON.stringify(error)}`).not.to.contain(password);
    });

  it('shows the password in nothing that it says while the database is away', async () => {
    const one = await open({ address: withPassword() });
    await server.restart(async () => {
      void one.insert(1).catch(() => undefined);
      await until(
        () => one.aways,
        (aways) => aways.length > 0,
      );
    });
    await one.insert(2);
    expect(JSON.stringify([one.aways, one.answers])).not.to.contain(password);
  });

  it('refuses a database that would lose what it committed, or in another encoding', async () => {
    await admin.query(`ALTER DATABASE ${database} SET synchronous_commit = off`);
    expect(String(await rejection(open()))).to.contain('synchronous_commit');
    await admin.query(`CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`);
    expect(String(await rejection(open({ address: server.address('latin') })))).to.contain('createdb -E UTF8');
  });
});
