import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { firstIdAt } from '../../../../kernel/tools/id.ts';
import { runPages, type RunFilter } from '../../../../plugins/runtime/tables/run-pages.ts';
import runtimeStore from '../../../../plugins/runtime/store.ts';
import { rowBudget } from '../../../../kernel/store/sql/page.ts';
import { connectionOf } from '../../../helpers/stores/memory.ts';
import { fillRuns, orbOf, runStatuses } from '../run/list/many-runs.ts';

const total = 12 * rowBudget;

describe('the pages of runs', () => {
  let driver: Driver.Database;
  let rows = 0;
  before(() => {
    driver = new Driver(':memory:');
    driver.function('counted', () => ++rows);
    for (const migration of runtimeStore.migrations) driver.exec(migration);
    fillRuns(total, (columns, values) => {
      const insert = driver.prepare(
        `INSERT INTO runtime_runs (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      );
      driver.transaction(() => values.forEach((row) => insert.run(...row)))();
    });
  });
  after(() => driver.close());

  const pages = () => runPages(connectionOf(driver, (sql) => sql.replaceAll('WHERE ', 'WHERE counted() > 0 AND ')));
  const few = { above: 'few.', below: 'few/' };
  const many = { above: 'many.', below: 'many/' };

  const filters: readonly (readonly [name: string, filter: Partial<RunFilter>])[] = [
    ['rare statuses', { statuses: ['failed', 'denied'] }],
    ['a usual status among them', { statuses: ['completed', 'failed'] }],
    ['a namespace of few Orbs', { orbs: few }],
    ['a namespace of many Orbs', { orbs: many }],
    ['a namespace without runs', { orbs: { above: 'none.', below: 'none/' } }],
    ['few Orbs and rare statuses', { orbs: few, statuses: ['failed', 'denied'] }],
    ['few Orbs and a usual status', { orbs: few, statuses: ['completed', 'denied'] }],
    ['many Orbs and statuses', { orbs: many, statuses: ['failed', 'completed'] }],
    ['a tenant and few Orbs', { orbs: few, tenant: 'b' }],
    ['a tenant, a principal and statuses', { tenant: 'b', principal: 'prn_b', statuses: ['failed', 'denied'] }],
    ['one status and a namespace', { status: 'failed', orbs: many }],
  ];
  for (const [name, filter] of filters)
    it(`by ${name} hold each run once, newest first, and visit a bounded number of rows`, () => {
      const list = pages();
      const seen: string[] = [];
      for (let before: string | undefined, more = true; more;) {
        rows = 0;
        const page = list({ tenant: undefined, ...filter, before, limit: 100 });
        expect(rows, JSON.stringify(filter)).to.be.at.most(rowBudget * (3 + Object.keys(filter).length));
        seen.push(...page.items.map(({ run_id }) => run_id));
        more = page.next !== undefined;
        before = page.next;
      }
      expect(seen).to.deep.equal(expected(filter));
    }).timeout(60_000);

  function expected({ tenant, principal, status, statuses, orbs }: Partial<RunFilter>): readonly string[] {
    const found: string[] = [];
    for (let number = total - 1; number >= 0; number--) {
      const orb = orbOf(number);
      const is = runStatuses(number);
      if (tenant !== undefined && tenant !== (number % 3 === 0 ? 'b' : 'a')) continue;
      if (principal !== undefined && principal !== (number % 3 === 0 ? 'prn_b' : 'prn_a')) continue;
      if (status !== undefined && status !== is) continue;
      if (statuses !== undefined && !statuses.includes(is)) continue;
      if (orbs !== undefined && !(orb > orbs.above && orb < orbs.below)) continue;
      found.push(firstIdAt('run', Date.UTC(2026, 0, 1) + number * 1000));
    }
    return found;
  }
});
