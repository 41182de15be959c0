import { expect } from 'chai';
import { defineStore, type Row } from '../../../kernel/index.ts';
import { immediate } from '../../../kernel/surface.ts';
import { builtinStores } from '../../../plugins/stores.ts';
import { openScratch } from '../../../kernel/store/sqlite/database.ts';
import type { Answer, Batch } from '../../../kernel/store/message.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import { postgresEngine, sqliteEngine, type Engine, type TestedModule } from '../../helpers/stores/engines.ts';
import { deferring, kernelWrites, type ShippedWrite } from '../../helpers/stores/kernel-writes.ts';
import { pluginWrites } from '../../helpers/stores/plugin-writes.ts';

const shippedWrites = [...kernelWrites, ...pluginWrites];

// The receipts have random keys, and a test of their own on both engines.
const modules: readonly TestedModule[] = builtinStores.filter(({ name }) => name !== 'receipts');

function tables({ migrations, name }: TestedModule): readonly string[] {
  const database = openScratch();
  for (const migration of migrations) database.execute(migration);
  const found = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  database.close();
  return found.map((row) => String(row['name'])).filter((table) => table.startsWith(`${name}_`));
}

/** Names of all operations, in the order of their codes. */
const named: readonly string[] = modules.flatMap((module) => {
  const connection = openScratch();
  for (const migration of module.migrations) connection.execute(migration);
  const scope = { connection, sealer: {}, now: () => 0, node: {} };
  const names = Object.keys(module.write(scope as never).operations).map((name) => `${module.name} ${name}`);
  connection.close();
  return names;
});

const batchOf = (writes: readonly ShippedWrite[]): Batch => ({
  ...{ kind: 'batch', at: 0, sizes: writes.map(() => 1) },
  codes: writes.map(([store, operation]) => named.indexOf(`${store} ${operation}`)),
  args: writes.map(([, , args]) => args),
});

const bare = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (_, member: unknown) =>
      member !== null && typeof member === 'object' && 'type' in member && member.type === 'Buffer'
        ? Buffer.from((member as unknown as { data: number[] }).data).toString('hex')
        : member instanceof Uint8Array
          ? Buffer.from(member).toString('hex')
          : member,
    ),
  );

// Only nodes beside each other need to know whose series of events is whose.
const comparable = (table: string, { node, ...row }: Row): Row =>
  table === 'runtime_event_counter' || node === undefined ? row : { ...row, node };

/** What an engine answers to batches, and what it holds afterwards. */
async function outcome(engine: Engine, batches: readonly Batch[]) {
  const store = await engine.open(modules);
  const answers: unknown[] = [];
  for (const batch of batches) {
    const { results, failures, rejected }: Answer = await store.commit(batch);
    const codes = failures.map(([write, failure]) => [write, failure.kind === 'problem' ? failure.code : failure.kind]);
    answers.push({ results: results.map(bare), failures: codes, rejected });
  }
  const held: Record<string, readonly string[]> = {};
  for (const table of modules.flatMap(tables)) {
    const rows = await store.rows(`SELECT * FROM ${table}`);
    held[table] = rows.map((row) => JSON.stringify(Object.entries(comparable(table, row)).sort())).sort();
  }
  await store.close();
  return { answers, held };
}

describe('the operations of the shipped stores', () => {
  let engines: { readonly sqlite: Engine; readonly postgres: Engine };
  before(async function () {
    needPostgres(this);
    engines = { sqlite: sqliteEngine(), postgres: await postgresEngine() };
  });
  after(() => Promise.all(Object.values(engines ?? {}).map((engine) => engine.stop())));

  for (const [how, cut] of [
    // What is deferred is written before the commit: other writes of the batch see it on no engine alike.
    [
      'in one batch after what defers',
      (writes: readonly ShippedWrite[]) => [writes.slice(0, deferring), writes.slice(deferring)].map(batchOf),
    ],
    ['each in a batch of its own', (writes: readonly ShippedWrite[]) => writes.map((one) => batchOf([one]))],
  ] as const)
    it(`answer and write the same on both engines, ${how}`, async () => {
      const batches = cut(shippedWrites);
      const [one, other] = [await outcome(engines.sqlite, batches), await outcome(engines.postgres, batches)];
      expect(other.answers).to.deep.equal(one.answers);
      expect(other.held).to.deep.equal(one.held);
    });

  it('are refused where a module needs an engine that answers at once', async () => {
    const hasty = defineStore({
      ...{ name: 'hasty', migrations: [], read: () => ({}) },
      write: (scope) => ({ operations: { ask: () => immediate(scope).connection.prepare('SELECT 1 AS one').get() } }),
    });
    const store = await engines.postgres.open([hasty]);
    const { failures } = await store.commit({ kind: 'batch', at: 0, sizes: [1], codes: [0], args: [undefined] });
    const refusal = JSON.stringify(failures);
    await store.close();
    expect(String(refusal)).to.contain('needs an engine that answers at once');
  });

  it('are each among these writes', () => {
    const tried = new Set(shippedWrites.map(([store, operation]) => `${store} ${operation}`));
    const stores = new Set(shippedWrites.map(([store]) => store));
    const known = named.filter((name) => stores.has(name.split(' ')[0] ?? ''));
    expect([...tried].sort()).to.deep.equal([...known].sort());
  });
});
