import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type pg from 'pg';
import { openBridge } from '../../../../plugins/postgres/reader/bridge.ts';
import type { EngineView } from '../../../../kernel/engine.ts';
import { baselineOf } from '../../../../plugins/postgres/tables/schema.ts';
import { rowBudget } from '../../../../kernel/store/sql/page.ts';
import { entryReads } from '../../../../plugins/receipts/log/rows/entry-reads.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { fillTables, lists, rareFilters, subsets, type Filters, type FullList } from '../../../helpers/stores/lists.ts';

// A statement is planned for its values some times, and then for any.
const untilPlanned = 7;
const mostOfRare = 20;
const rowsAtOnce = 4000;

describe('the lists of a full store on PostgreSQL', function () {
  this.timeout(120_000);
  const server = usePostgres();

  // In full with STORE_SOAK=1. The same lists on a file: test/kernel/store/list-cost.test.ts.
  const isWhole = process.env['STORE_SOAK'] === '1';
  for (const list of lists.filter((_, at) => isWhole || at % 3 === 0))
    it(`visit a bounded number of rows, whatever the database knows of the table: ${list.name}`, async () => {
      const client = await server.client(list.name);
      for (const text of baselineOf(list.store)) await client.query(text);
      await copy(list, client);
      for (const analyzed of [false, true]) {
        if (analyzed) await client.query('ANALYZE');
        const bridge = openBridge(server.address(list.name));
        bridge.hold();
        const pages = list.open(bridge);
        for (const filters of [...few(list.rare), ...few(list.usual)]) {
          for (let time = 1; time < untilPlanned; time++) pages(filters);
          const before = visited(bridge);
          pages(filters);
          const most = rowBudget * (2 + Object.keys(filters).length);
          expect(visited(bridge) - before, JSON.stringify({ filters, analyzed })).to.be.at.most(most);
        }
        for (const name of rareFilters[list.name] ?? []) {
          const filters = { [name]: list.rare[name] ?? 'rare' };
          for (let time = 1; time < untilPlanned; time++) pages(filters);
          const before = visited(bridge);
          expect(pages(filters).items, name).to.have.length(1);
          expect(visited(bridge) - before, JSON.stringify({ name, analyzed })).to.be.at.most(mostOfRare);
        }
        bridge.close();
      }
    });

  it('and the log: who follows it from an entry on visits none before', async () => {
    const client = await server.client('entries');
    const list = lists.find(({ name }) => name === 'receipts') ?? expect.fail('no list of receipts');
    for (const text of baselineOf(list.store)) await client.query(text);
    await copy(list, client);
    await client.query("INSERT INTO receipts_entries (log, idx, entry) SELECT 1, idx, '' FROM receipts_receipts");
    for (const analyzed of [false, true]) {
      if (analyzed) await client.query('ANALYZE');
      const bridge = openBridge(server.address('entries'));
      bridge.hold();
      const { entryRows } = entryReads(bridge);
      for (let time = 1; time < untilPlanned; time++) entryRows(1, 0, 1);
      const before = visited(bridge);
      expect(entryRows(1, 23_900, 32)).to.have.length(32);
      expect(visited(bridge) - before, JSON.stringify({ analyzed })).to.be.at.most(200);
      bridge.close();
    }
  });
});

// Each filter, each two of them, and all.
function few(filters: Filters): readonly Filters[] {
  const all = Object.keys(filters).length;
  return subsets(filters).filter((some) => [0, 1, 2, all].includes(Object.keys(some).length));
}

function visited(bridge: EngineView): number {
  const counted = 'coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)';
  const row = bridge.prepare(`SELECT sum(${counted})::bigint AS rows FROM pg_stat_xact_user_tables`).get();
  return Number(row?.['rows']);
}

/** Copies the rows with which a list fills tables of SQLite. */
async function copy(list: FullList, client: pg.Client): Promise<void> {
  const driver = new Driver(':memory:');
  fillTables(list, driver);
  const tables = driver
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  for (const { name } of tables) {
    const rows = driver.prepare<[], Filters>(`SELECT * FROM ${name}`).all();
    await client.query(`DELETE FROM ${name}`);
    for (let at = 0; at < rows.length; at += rowsAtOnce) {
      const some = JSON.stringify(rows.slice(at, at + rowsAtOnce), (_, value: unknown) => bytesAsText(value));
      await client.query(`INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1)`, [some]);
    }
  }
  driver.close();
}

// As JSON sees bytes.
function bytesAsText(value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
  return isBytes ? `\\x${Buffer.from((value as unknown as { data: number[] }).data).toString('hex')}` : value;
}
