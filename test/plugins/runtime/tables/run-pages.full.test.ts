import { expect } from 'chai';
import { runMarks, runPages, type RunFilter } from '../../../../plugins/runtime/tables/run-pages.ts';
import runtimeStore from '../../../../plugins/runtime/store.ts';
import { openBridge } from '../../../../plugins/postgres/reader/bridge.ts';
import type { EngineView } from '../../../../kernel/engine.ts';
import { statementsOf } from '../../../../plugins/postgres/tables/migration.ts';
import { baselineOf, laterMigration } from '../../../../plugins/postgres/tables/schema.ts';
import { rowBudget } from '../../../../kernel/store/sql/page.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { fillRuns } from '../run/list/many-runs.ts';

const total = 12 * rowBudget;
// A statement is planned for its values some times, and then for any.
const untilPlanned = 7;
const mostOfRare = 20;

describe('the pages of runs on PostgreSQL', function () {
  this.timeout(120_000);
  const server = usePostgres();

  const few = { above: 'few.', below: 'few/' };
  const many = { above: 'many.', below: 'many/' };
  const filters: readonly Partial<RunFilter>[] = [
    { statuses: ['failed', 'denied'] },
    { statuses: ['completed', 'failed'] },
    { orbs: few },
    { orbs: many },
    { orbs: { above: 'none.', below: 'none/' } },
    { orbs: few, statuses: ['failed', 'denied'] },
    { orbs: few, statuses: ['completed', 'denied'] },
    { orbs: many, statuses: ['failed', 'completed'], tenant: 'b' },
  ];
  // Of the oldest run alone.
  const rare = ['orbiset_id', 'provider', 'key_id'] as const;

  it('visit a bounded number of rows, whatever the database knows of the table', async () => {
    const client = await server.client('runs');
    for (const text of baselineOf(runtimeStore)) await client.query(text);
    const inserts: Promise<unknown>[] = [];
    fillRuns(total, (columns, rows) => {
      const values = columns.map((_, at) => rows.map((row) => row[at]));
      const types = columns.map((name, at) => `$${at + 1}::${name === 'execution_ms' ? 'bigint' : 'text'}[]`);
      const sql = `INSERT INTO runtime_runs (${columns.join(', ')}) SELECT * FROM unnest(${types.join(', ')})`;
      inserts.push(client.query(sql, values));
    });
    await Promise.all(inserts);
    const set = rare.map((name) => `${name} = 'rare'`).join(', ');
    await client.query(`UPDATE runtime_runs SET ${set} WHERE run_id = (SELECT min(run_id) FROM runtime_runs)`);
    // As it finds a store that was filled before.
    await client.query('DROP TABLE runtime_marks');
    for (const text of statementsOf(laterMigration(runMarks))) await client.query(text);
    for (const analyzed of [false, true]) {
      if (analyzed) await client.query('ANALYZE');
      const bridge = openBridge(server.address('runs'));
      bridge.hold();
      const list = runPages(bridge);
      for (const filter of filters) {
        const asked = { tenant: undefined, ...filter, limit: 20 };
        for (let time = 1; time < untilPlanned; time++) list(asked);
        const before = visited(bridge);
        list(asked);
        const most = rowBudget * (3 + Object.keys(filter).length);
        expect(visited(bridge) - before, JSON.stringify({ filter, analyzed })).to.be.at.most(most);
      }
      for (const name of rare) {
        const asked = { tenant: undefined, [name]: 'rare', limit: 20 };
        for (let time = 1; time < untilPlanned; time++) list(asked);
        const before = visited(bridge);
        expect(list(asked).items, name).to.have.length(1);
        expect(visited(bridge) - before, JSON.stringify({ name, analyzed })).to.be.at.most(mostOfRare);
      }
      bridge.close();
    }
  });
});

function visited(bridge: EngineView): number {
  const counted = 'coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)';
  const row = bridge.prepare(`SELECT sum(${counted})::bigint AS rows FROM pg_stat_xact_user_tables`).get();
  return Number(row?.['rows']);
}
