import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { rowBudget } from '../../../kernel/store/sql/page.ts';
import receiptsStore from '../../../plugins/receipts/store.ts';
import { fillTables, lists, rareFilters, subsets, type Filters, type FullList } from '../../helpers/stores/lists.ts';
import { connectionOf } from '../../helpers/stores/memory.ts';
import { migrated } from '../../helpers/stores/statements.ts';

// Counts the rows that are visited.
let rows = 0;

function openFull(full: FullList) {
  const driver = new Driver(':memory:');
  driver.function('counted', () => ++rows);
  fillTables(full, driver);
  const list = full.open(connectionOf(driver, (sql) => sql.replaceAll('WHERE ', 'WHERE counted() > 0 AND ')));
  return { driver, list };
}

describe('the lists of a full store visit a bounded number of rows', () => {
  for (const full of lists)
    it(`${full.name}, by every combination of their filters`, () => {
      const { driver, list } = openFull(full);
      const worst = [...subsets(full.rare), ...subsets(full.usual)].map((filters) => {
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

const few = 20;

describe('a filter that one row of many fits shows it on the first page, and reads few others', () => {
  for (const full of lists.filter(({ name }) => name in rareFilters))
    it(`of ${full.name}`, () => {
      const { driver, list } = openFull(full);
      const read = (filters: Filters) => {
        rows = 0;
        return { ...list(filters), rows };
      };
      for (const name of rareFilters[full.name] ?? []) {
        const found = read({ [name]: full.rare[name] ?? 'rare' });
        expect(found.items, name).to.have.length(1);
        expect(found.rows, name).to.be.at.most(few);
        if (name === 'allow') continue;
        const none = read({ [name]: 'none' });
        expect([none.items, none.next], name).to.deep.equal([[], undefined]);
        expect(none.rows, name).to.be.at.most(few);
      }
      driver.close();
    }).timeout(60_000);
});
