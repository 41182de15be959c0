import Driver from 'better-sqlite3';
import { expect } from 'chai';
import runtimeStore from '../../../../plugins/runtime/store.ts';
import { connectionOf } from '../../../helpers/stores/memory.ts';

const most = 40_000;
const minutes = most + 20_000;

describe('counts of runs by value, where there are many', () => {
  let driver: Driver.Database;
  before(() => {
    driver = new Driver(':memory:');
    for (const migration of runtimeStore.migrations) driver.exec(migration);
    driver.exec(`
      INSERT INTO runtime_counts (tenant, step, at, what, orbiset_id, orb_id, name, status, mode, le_ms, n, ms)
      WITH RECURSIVE minutes (m) AS (SELECT 1 UNION ALL SELECT m + 1 FROM minutes WHERE m < ${minutes})
      SELECT 't', 60, m * 60, 'runs', 'default', 'a.b@1.0.0', 'p', 'completed', 'live', 5, 2, 10 FROM minutes;
      INSERT INTO runtime_counts VALUES ('t', 86400, 0, 'runs', 'old', 'a.b@1.0.0', 'p', 'failed', 'live', 5, 7, 10);
      INSERT INTO runtime_counts VALUES ('', 60, ${minutes * 60}, 'webhooks', '', '', 's', 'done', 'live', 0, 3, 0)`);
  });
  after(() => driver.close());

  const count = (more: object) =>
    runtimeStore.read(connectionOf(driver)).countRuns({ tenant: 't', from: 0, to: 2 ** 40, ...more });

  it('visit a bounded number of rows, the newest first, and say since when they count', () => {
    const { from, values } = count({});
    expect(from).to.equal((minutes - most + 2) * 60);
    expect(values.status).to.deep.equal([{ value: 'completed', runs: most * 2 }]);
  });

  it('count all where the rows are few enough', () => {
    const begin = (minutes - 999) * 60;
    const { from, values } = count({ from: begin });
    expect([from, values.provider]).to.deep.equal([begin, [{ value: 'p', runs: 2000 }]]);
    expect(count({ to: 86_400 }).values.orbiset_id).to.deep.equal([
      { value: 'default', runs: 2 * (86_400 / 60 - 1) },
      { value: 'old', runs: 7 },
    ]);
  });

  it('leave out what is no run, and what another tenant ran', () => {
    const { values } = count({ tenant: undefined, from: minutes * 60 });
    expect(values.status).to.deep.equal([{ value: 'completed', runs: 2 }]);
    expect(count({ tenant: 'u' }).values.status).to.deep.equal([]);
  });
});
