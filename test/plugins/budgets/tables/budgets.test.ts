import { expect } from 'chai';
import budgetsStore from '../../../../plugins/budgets/store.ts';
import { storeChecks } from '../../../../plugins/kit/conformance/store-checks.ts';
import { postgresEngine, sqliteEngine, type Engine, type EngineStore } from '../../../helpers/stores/engines.ts';
import { needPostgres } from '../../../helpers/use-postgres.ts';
import { at, commit, counts, reserving, subjects, type Write } from './bench.ts';

const perDay = [{ scope: 'key', per: 'day', tokens: 100 }] as const;
const two = [...perDay, { scope: 'tenant', per: 'month', tokens: 150 }] as const;

const settling = (run_id: string, parts: readonly object[]): Write => ['settle', { run_id, parts }];

describe('the store of budgets', () => {
  for (const { title, run } of storeChecks(budgetsStore)) it(title, run);
});

for (const [name, start] of [
  ['SQLite', () => Promise.resolve(sqliteEngine())],
  ['PostgreSQL', postgresEngine],
] as const)
  describe(`budgets on ${name}`, function () {
    this.timeout(60_000);
    let engine: Engine;
    let store: EngineStore;
    before(async function () {
      if (name === 'PostgreSQL') needPostgres(this);
      engine = await start();
    });
    beforeEach(async () => void (store = await engine.open([budgetsStore])));
    afterEach(() => store?.close());
    after(() => engine?.stop());

    const idOf = async (): Promise<string> => String((await store.rows('SELECT id FROM budgets_windows'))[0]?.['id']);

    it('reserve until the limit, to the token, and refuse what does not fit', async () => {
      const codes = await commit(store, [
        [reserving('run_1', perDay, 60)],
        [reserving('run_2', perDay, 41)],
        [reserving('run_3', perDay, 40)],
        [reserving('run_4', perDay, 1)],
      ]);
      expect(codes).to.deep.equal([undefined, 'budget_exhausted', undefined, 'budget_exhausted']);
      expect(await counts(store)).to.deep.equal([{ spent: 0, assumed: 0, reserved: 100 }]);
    });

    it('refuse a call that is larger than the whole budget, of a new window too', async () => {
      expect(await commit(store, [[reserving('run_1', perDay, 101)]])).to.deep.equal(['budget_exhausted']);
      expect(await counts(store)).to.deep.equal([]);
    });

    it('refuse tokens per minute as a limit of rate', async () => {
      const perMinute = [{ scope: 'key', per: 'minute', tokens: 10 }] as const;
      const writes = ['run_1', 'run_2'].map((run) => [reserving(run, perMinute, 6)]);
      expect(await commit(store, writes)).to.deep.equal([undefined, 'rate_limited']);
    });

    it('reserve of all budgets or of none', async () => {
      const codes = await commit(store, [
        [reserving('run_1', two, 90)],
        [reserving('run_2', two, 61, { ...subjects, key: ['key_2'] })],
        [reserving('run_3', two, 60, { ...subjects, key: ['key_2'] })],
      ]);
      expect(codes).to.deep.equal([undefined, 'budget_exhausted', undefined]);
      // The window of key_1, that of key_2, and the month of the tenant.
      expect((await counts(store)).map(({ reserved }) => reserved)).to.deep.equal([90, 60, 150]);
      const rows = await store.rows('SELECT run_id FROM budgets_reservations ORDER BY run_id');
      expect(rows.map(({ run_id }) => run_id)).to.deep.equal(['run_1', 'run_3']);
    });

    it('turn reservations into what was spent or assumed, or free them, of many runs in one commit', async () => {
      await commit(
        store,
        [1, 2, 3].map((n) => [reserving(`run_${n}`, perDay, 30)]),
      );
      const id = await idOf();
      await commit(store, [
        [settling('run_1', [{ id, reserved: 30, spent: 12, assumed: 0 }])],
        [settling('run_2', [{ id, reserved: 30, spent: 0, assumed: 30 }])],
        [settling('run_3', [{ id, reserved: 30, spent: 0, assumed: 0 }])],
      ]);
      expect(await counts(store)).to.deep.equal([{ spent: 12, assumed: 30, reserved: 0 }]);
      expect(await store.rows('SELECT run_id FROM budgets_reservations')).to.deep.equal([]);
    });

    it('record usage above what was reserved in full, and refuse the next call', async () => {
      await commit(store, [[reserving('run_1', perDay, 30)]]);
      await commit(store, [[settling('run_1', [{ id: await idOf(), reserved: 30, spent: 130, assumed: 0 }])]]);
      expect(await commit(store, [[reserving('run_2', perDay, 1)]])).to.deep.equal(['budget_exhausted']);
      expect(await counts(store)).to.deep.equal([{ spent: 130, assumed: 0, reserved: 0 }]);
    });

    it('follow a limit that was changed', async () => {
      await commit(store, [[reserving('run_1', perDay, 90)]]);
      const raised = [{ scope: 'key', per: 'day', tokens: 200 }] as const;
      expect(await commit(store, [[reserving('run_2', raised, 90)]])).to.deep.equal([undefined]);
      expect(await commit(store, [[reserving('run_3', perDay, 1)]])).to.deep.equal(['budget_exhausted']);
    });

    it('take for assumed what nobody settled', async () => {
      await commit(store, [[reserving('run_1', perDay, 30)], [reserving('run_2', perDay, 30)]]);
      await commit(store, [[['lapse', { before: at, most: 10 }]]]);
      expect(await counts(store)).to.deep.equal([{ spent: 0, assumed: 0, reserved: 60 }]);
      await commit(store, [[['lapse', { before: at + 1, most: 10 }]]]);
      expect(await counts(store)).to.deep.equal([{ spent: 0, assumed: 60, reserved: 0 }]);
    });

    it('keep reservations over a restart, and erase windows that have ended', async () => {
      await commit(store, [[reserving('run_1', two, 30)]]);
      store = await store.reopen();
      expect((await counts(store)).length).to.equal(2);
      const before = String(Date.parse('2026-11-29T00:00:00Z') + 1).padStart(13, '0');
      await commit(store, [[['eraseWindows', { before, most: 10 }]]]);
      // The month goes on.
      expect((await counts(store)).map(({ reserved }) => reserved)).to.deep.equal([30]);
    });

    it('sum usage by day and names, of many runs in one commit', async () => {
      const row = {
        ...{ day: '2026-11-28', tenant: 'acme', orbiset_id: 'default', orb_id: 'llm.chat@1.0.0', principal: 'prn_1' },
        ...{ key_id: 'key_1', provider: 'one', model: 'fast', calls: 1, unknown_calls: 0, unpriced_calls: 0 },
        ...{ input_tokens: 10, cache_read_tokens: 1, cache_write_tokens: 2, output_tokens: 5, reasoning_tokens: 3 },
        cost_nanos: 240,
      };
      const use = (change: object = {}): readonly Write[] => [['use', { ...row, ...change }]];
      await commit(store, [use(), use({ model: 'slow' }), use()]);
      await commit(store, [use({ cost_nanos: 1 }), use({ day: '2026-11-27' })]);
      const found = await store.rows(
        'SELECT day, model, calls, input_tokens, cost_nanos FROM budgets_usage ORDER BY id',
      );
      expect(found.map((one) => Object.values(one).map(String).join(' '))).to.deep.equal([
        ...['2026-11-27 fast 1 10 240', '2026-11-28 fast 3 30 481', '2026-11-28 slow 1 10 240'],
      ]);
      await commit(store, [[['eraseUsage', { before: '2026-11-28', most: 10 }]]]);
      expect((await store.rows('SELECT id FROM budgets_usage')).length).to.equal(2);
    });
  });

describe('budgets of two nodes on PostgreSQL', function () {
  this.timeout(120_000);
  let engine: Engine | undefined;
  before(async function () {
    needPostgres(this);
    engine = await postgresEngine();
  });
  after(() => engine?.stop());

  it('are never exceeded by parallel calls, which reserve and settle while others do', async () => {
    const first = await engine?.open([budgetsStore], { shared: true });
    const second = await first?.beside('b');
    if (first === undefined || second === undefined) throw new Error('there is no engine');
    const budgets = [
      { scope: 'key', per: 'day', tokens: 1000 },
      { scope: 'tenant', per: 'month', tokens: 2000 },
      { scope: 'model', per: 'day', tokens: 1500 },
    ] as const;
    const sums = 'SELECT most, spent + assumed + reserved AS sum FROM budgets_windows';
    const ids = new Set<string>();
    let granted = 0;
    const calls = async (store: EngineStore, node: string): Promise<void> => {
      for (let round = 0; round < 40; round++) {
        const runs = Array.from({ length: 8 }, (_, n) => `run_${node}_${round}_${n}`);
        const codes = await commit(
          store,
          runs.map((run) => [reserving(run, budgets, 10)]),
        );
        const taken = runs.filter((_, n) => codes[n] === undefined);
        expect(codes.filter((code) => code !== undefined && code !== 'budget_exhausted')).to.deep.equal([]);
        for (const { id } of await store.rows('SELECT id FROM budgets_windows')) ids.add(String(id));
        // One in four is free again, one is assumed, and the others used 9 of their 10.
        const parts = (n: number) =>
          [...ids].map((id) => ({ id, reserved: 10, spent: n % 4 < 2 ? 9 : 0, assumed: n % 4 === 2 ? 10 : 0 }));
        await commit(
          store,
          taken.map((run, n) => [settling(run, parts(n))]),
        );
        granted += taken.length;
        for (const row of await store.rows(sums)) expect(Number(row['sum'])).to.be.at.most(Number(row['most']));
      }
    };
    await Promise.all([calls(first, 'a'), calls(second, 'b')]);
    const rows = await first.rows('SELECT most, spent, assumed, reserved FROM budgets_windows ORDER BY most');
    for (const row of rows) {
      expect(Number(row['reserved'])).to.equal(0);
      expect(Number(row['spent']) + Number(row['assumed'])).to.be.at.most(1000);
    }
    // The smallest budget is full, but for less than a call.
    expect(Number(rows[0]?.['spent']) + Number(rows[0]?.['assumed'])).to.be.greaterThan(990);
    expect(granted).to.be.greaterThan(100);
    await second.close();
    await first.close();
  });
});
