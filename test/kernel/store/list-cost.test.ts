import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { rowBudget } from '../../../kernel/store/sql/page.ts';
import receiptsStore from '../../../plugins/receipts/store.ts';
import { lists, subsets } from '../../helpers/stores/lists.ts';
import { connectionOf } from '../../helpers/stores/memory.ts';
import { migrated } from '../../helpers/stores/statements.ts';

describe('the lists of a full store visit a bounded number of rows', () => {
  for (const { name, open, fill, store, rare, usual } of lists)
    it(`${name}, by every combination of their filters`, () => {
      const driver = new Driver(':memory:');
      driver.pragma('foreign_keys = OFF');
      let rows = 0;
      driver.function('counted', () => ++rows);
      for (const migration of store.migrations) driver.exec(migration);
      const list = open(connectionOf(driver, (sql) => sql.replaceAll('WHERE ', 'WHERE counted() > 0 AND ')));
      fill(driver);
      const worst = [...subsets(rare), ...subsets(usual)].map((filters) => {
        rows = 0;
        list(filters);
        // Each index is looked into once, and each condition on a row may look into one more table.
        const most = rowBudget * (2 + Object.keys(filters).length);
        expect(rows, JSON.stringify(filters)).to.be.at.most(most);
        return rows;
      });
      expect(Math.max(...worst), 'the budget is what bounds them').to.be.greaterThan(20);
      driver.close();
    }).timeout(60_000);

  it('an export, by every combination of its filters', () => {
    const driver = migrated(receiptsStore);
    let rows = 0;
    driver.function('counted', () => ++rows);
    const watched = connectionOf(driver, (sql) => sql.replaceAll('WHERE ', 'WHERE counted() > 0 AND '));
    const { exportRows } = receiptsStore.read(watched);
    const { fill, rare, usual } = lists.find(({ name }) => name === 'receipts') ?? expect.fail('no list of receipts');
    fill(driver);
    const visited = [...subsets(rare), ...subsets(usual)].map((filter) => {
      rows = 0;
      exportRows(1, filter, { from: 100, to: 2100, limit: 32 });
      return rows;
    });
    expect(Math.max(...visited)).to.be.within(33, 2000);
    driver.close();
  });
});
