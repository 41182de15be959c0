import { expect } from 'chai';
import { defineStore, PlatformError, type Claim, type WriteContext } from '../../../kernel/index.ts';
import type { Answer, Batch } from '../../../kernel/store/message.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import { postgresEngine, sqliteEngine, type Engine, type EngineStore } from '../../helpers/stores/engines.ts';

const key: Claim = {
  ...{ table: 'tested_keys', columns: ['name', 'taker', 'until'], key: ['name'], holder: 'taker' },
  givenUp: 'tested_keys.until <= ?',
  dependents: [{ table: 'tested_row', columns: ['id'] }],
};

const names = [
  'insert',
  'refuse',
  'break',
  'next',
  'one',
  'refuseLate',
  'append',
  'claim',
  'must',
  'late',
  'many',
] as const;
type Name = (typeof names)[number];

let reloads = 0;

const tested = defineStore({
  name: 'tested',
  migrations: [
    `CREATE TABLE tested_row (id INTEGER PRIMARY KEY) STRICT;
     CREATE TABLE tested_keys (name TEXT PRIMARY KEY, taker INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
     CREATE TABLE tested_values (id INTEGER PRIMARY KEY, note TEXT, bytes BLOB, size REAL) STRICT;`,
  ],
  claims: [key],
  write({ connection }) {
    const insert = connection.prepare('INSERT INTO tested_row (id) VALUES (?)');
    const drop = connection.prepare('DELETE FROM tested_row WHERE id = ?');
    const largest = connection.prepare('SELECT max(id) AS id FROM tested_row');
    const value = connection.prepare('INSERT INTO tested_values (id, note, bytes, size) VALUES (?, ?, ?, ?)');
    return {
      operations: {
        insert: (id: number) => insert.queue(id),
        refuse(id: number): never {
          insert.queue(id);
          throw new PlatformError('invalid_inputs', `no ${id}`);
        },
        break: (_: unknown) => value.queue(1, null, null, 'no number'),
        /** The next number, from the rows and what was queued before. */
        async next(_: unknown, write: WriteContext): Promise<number> {
          write.guard('numbers');
          const id = Number((await largest.get())?.['id'] ?? 0) + 1;
          insert.queue(id);
          return id;
        },
        /** Takes one row away, or fails: a guard by a count. */
        async one(id: number): Promise<number> {
          insert.queue(id + 1000);
          if ((await drop.run(id)) !== 1) throw new PlatformError('invalid_inputs', `${id} is not there`);
          return id;
        },
        async refuseLate(id: number): Promise<never> {
          insert.queue(id);
          throw new PlatformError('invalid_inputs', `${String((await largest.get())?.['id'])} is seen`);
        },
        append(id: number, write: WriteContext): object {
          const item = { id };
          write.defer(item);
          return item;
        },
        async claim({ name, taker, now = 0 }: { name: string; taker: number; now?: number }, write: WriteContext) {
          const row = { name, taker, until: now + 10 };
          return (await write.claim(key, { row, givenUp: [now], dependents: [{ id: taker }] }))?.['taker'] ?? 'mine';
        },
        must: (id: number) => drop.must(id),
        /** Goes on after the answer of its claim, or after nothing: to be refused, or to a row that the answer names. */
        async late({ claims, refuses, taker }: { taker: number; claims?: true; refuses?: true }, write: WriteContext) {
          insert.queue(taker);
          const row = { name: 'late', taker: taker + 100, until: 10 };
          if (claims === true) await write.claim(key, { row, givenUp: [0], dependents: [{ id: taker + 100 }] });
          if (refuses === true) throw new PlatformError('invalid_inputs', `no ${taker}`);
          insert.queue(taker + 200);
        },
        many(values: readonly [number, string, Uint8Array, number][]): void {
          for (const one of values) value.queue(...one);
        },
      },
      beforeCommit(items) {
        for (const item of items as { id: number; place?: number }[]) {
          item.place = items.indexOf(item);
          insert.queue(item.id);
        }
      },
      reload: () => void reloads++,
    };
  },
  read: () => ({}),
});

type Write = readonly (readonly [Name, unknown?])[];

const batch = (...writes: readonly Write[]): Batch => ({
  ...{ kind: 'batch', at: 0, sizes: writes.map(({ length }) => length) },
  codes: writes.flat().map(([name]) => names.indexOf(name)),
  args: writes.flat().map(([, args]) => args),
});
const inserts = (from: number, to: number): Write[] =>
  Array.from({ length: to - from + 1 }, (_, index) => [['insert', from + index]]);
const failed = ({ failures }: Answer) =>
  failures.map(([write, failure]) => [write, failure.kind === 'problem' ? failure.detail : failure.kind]);

const engines: readonly (readonly [string, () => Engine | Promise<Engine>])[] = [
  ['SQLite', sqliteEngine],
  ['PostgreSQL', () => postgresEngine()],
  // What an operator may have set, and what other engines of its protocol only have.
  ['PostgreSQL, serializable', () => postgresEngine({ isolation: 'serializable' })],
];

for (const [name, start] of engines)
  describe(`a store on ${name}`, () => {
    let engine: Engine | undefined;
    let store: EngineStore;
    before(async function () {
      if (name !== 'SQLite') needPostgres(this);
      engine = await start();
    });
    after(() => engine?.stop());
    beforeEach(async () => {
      reloads = 0;
      store = (await engine?.open([tested])) ?? expect.fail('no engine');
    });
    afterEach(() => store.close());
    const ids = async () => (await store.rows('SELECT id FROM tested_row ORDER BY id')).map((row) => row['id']);

    for (const place of [0, 2, 4]) {
      const among = (write: Write): Write[] => [...inserts(1, place), write, ...inserts(place + 1, 4)];

      for (const [what, write, says] of [
        [
          'is refused',
          [
            ['insert', 10],
            ['refuse', 11],
          ],
          'no 11',
        ],
        ['has a value that no column takes', [['insert', 10], ['break']], 'defect'],
        [
          'breaks a key',
          [
            ['insert', 10],
            ['insert', 10],
          ],
          'defect',
        ],
        [
          'is refused after it has asked',
          [
            ['refuseLate', 10],
            ['insert', 11],
          ],
          '10 is seen',
        ],
        [
          'changes a row that is not there',
          [
            ['insert', 10],
            ['one', 99],
          ],
          '99 is not there',
        ],
        [
          'must change a row that is not there',
          [
            ['insert', 10],
            ['must', 99],
          ],
          'another write came first; send the request again',
        ],
        ['is refused after the answer of its claim', [['late', { taker: 10, claims: true, refuses: true }]], 'no 10'],
        [
          'is refused by a promise',
          [
            ['insert', 11],
            ['late', { taker: 10, refuses: true }],
          ],
          'no 10',
        ],
      ] as const satisfies readonly (readonly [string, Write, string])[])
        it(`undoes a write at place ${place} that ${what}, and no other`, async () => {
          expect(failed(await store.commit(batch(...among(write))))).to.deep.equal([[place, says]]);
          expect(await ids()).to.deep.equal([1, 2, 3, 4]);
        });
    }

    it('answers an item that the work before the commit completed', async () => {
      const { results } = await store.commit(batch([['append', 7]], [['append', 8]]));
      expect(results).to.deep.equal([
        { id: 7, place: 0 },
        { id: 8, place: 1 },
      ]);
    });

    it('sees what was queued before, in the same write and in earlier ones', async () => {
      const { results } = await store.commit(batch([['insert', 5]], [['next'], ['insert', 9], ['next']]));
      expect(results.filter((result) => typeof result === 'number')).to.include.members([6, 10]);
    });

    for (const [kind, writes] of [
      ['that only queue', inserts(1, 5)],
      ['where one asks', [[['next']]]],
      ['that claim', [[['claim', { name: 'k', taker: 1 }]]]],
    ] as const satisfies readonly (readonly [string, readonly Write[]])[]) {
      it(`builds writes ${kind} again when the commit fails, from the committed rows`, async () => {
        store.faults.push('fails');
        const { failures, faults, rejected } = await store.commit(batch(...writes));
        expect([failures, rejected, faults?.length]).to.deep.equal([[], undefined, 1]);
        expect(await ids()).to.deep.equal(kind === 'that only queue' ? [1, 2, 3, 4, 5] : [1]);
        expect(reloads).to.equal(1);
      });

      it(`commits writes ${kind} once when nobody hears of the commit`, async () => {
        store.faults.push('unheard');
        const { failures, results, rejected } = await store.commit(batch(...writes));
        expect([failures, rejected]).to.deep.equal([[], undefined]);
        if (kind === 'where one asks') expect(results).to.deep.equal([1]);
        if (kind === 'that claim') expect(results).to.deep.equal(['mine']);
        expect(await ids()).to.deep.equal(kind === 'that only queue' ? [1, 2, 3, 4, 5] : [1]);
      });
    }

    it('goes on after a failure and after a commit that nobody heard of', async () => {
      for (const fault of ['fails', 'unheard'] as const) {
        store.faults.push(fault);
        await store.commit(batch([['next']], [['next']]));
      }
      expect((await store.commit(batch([['next']]))).results).to.deep.equal([5]);
      expect(await ids()).to.deep.equal([1, 2, 3, 4, 5]);
    });

    it('gives a key to one of the writes of a batch, and answers the same when asked again', async () => {
      const claim = (taker: number, now = 0): Write => [['claim', { name: 'k', taker, now }]];
      const claims = batch(claim(1), claim(2), claim(1), claim(3, 5));
      expect((await store.commit(claims)).results).to.deep.equal(['mine', 1, 'mine', 1]);
      expect((await store.commit(claims)).results).to.deep.equal(['mine', 1, 'mine', 1]);
      expect((await store.commit(batch(claim(4, 10), claim(5, 10)))).results).to.deep.equal(['mine', 4]);
      expect(await ids()).to.deep.equal([1, 4]);
    });

    it('keeps what is written after the answer of a claim, and by a promise', async () => {
      for (const taker of [1, 2]) {
        const writes: Write[] = [
          [['insert', taker + 50]],
          [['late', { taker, claims: taker === 1 }]],
          [['insert', taker + 60]],
        ];
        expect((await store.commit(batch(...writes))).failures).to.deep.equal([]);
      }
      expect(await ids()).to.deep.equal([1, 2, 51, 52, 61, 62, 101, 201, 202]);
    });

    it('keeps texts in the order of their bytes, large numbers and bytes', async () => {
      const texts = ['b', 'B', 'a', 'é', 'Z', '\ufffd', '𝒳', 'ab', ''];
      const values = texts.map(
        (text, index) => [2 ** 53 - 1 - index, text, new Uint8Array([0, 255, index]), 0.1 + index] as const,
      );
      await store.commit(batch([['many', values]]));
      const rows = await store.rows('SELECT id, note, bytes, size FROM tested_values ORDER BY note');
      const byBytes = [...texts].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      expect(rows.map(({ note }) => note)).to.deep.equal(byBytes);
      expect(rows.find(({ note }) => note === 'B')).to.deep.equal({
        ...{ id: 2 ** 53 - 2, note: 'B', bytes: '00ff01', size: 1.1 },
      });
    });
  });
