import Driver from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import { firstIdAt } from '../../../kernel/index.ts';
import { markMigration, Marks, marksBefore, slotOf, type MarkedTable } from '../../../plugins/row-marks/contract.ts';
import { connectionOf } from '../../helpers/stores/memory.ts';

const marked: MarkedTable<'a' | 'b'> = { table: 'x_rows', id: 'id', columns: ['a', 'b'], marks: 'x_marks' };
const start = Date.UTC(2026, 10, 29);

interface Line {
  readonly id: string;
  readonly a: string | null;
  readonly b: string | null;
}

function openTable() {
  const driver = new Driver(':memory:');
  driver.exec('CREATE TABLE x_rows (id TEXT PRIMARY KEY, a TEXT, b TEXT)');
  const connection = connectionOf(driver);
  const insert = driver.prepare('INSERT INTO x_rows (id, a, b) VALUES (@id, @a, @b)');
  const writerOf = (name: string) => new Marks(marked, { connection, node: { name, incarnation: '' } });
  const marks = () => driver.prepare('SELECT DISTINCT name, value, slot FROM x_marks ORDER BY 1, 2, 3').all();
  return { driver, connection, insert, writerOf, marks };
}

// Rows of a minute and a half: ids of one batch are not in order, and some are late.
const line = fc.record({
  id: fc.nat(90_000).map((ms) => firstIdAt('row', start + ms)),
  a: fc.constantFrom('x', 'y', `sha256:${'a'.repeat(63)}1`, `sha256:${'a'.repeat(63)}2`, null),
  b: fc.constantFrom('p', 'p', 'p', 'rare', null),
});
const batches = fc.array(
  fc.record({ node: fc.nat(1), fails: fc.nat(4).map((one) => one === 0), rows: fc.array(line, { maxLength: 5 }) }),
  { maxLength: 12 },
);
const filters = ['x', 'y', 'none', undefined].flatMap((a) => ['p', 'rare', 'none', undefined].map((b) => ({ a, b })));

describe('the marks of a table', () => {
  it('lead to the newest row that a filter fits, whatever was late, failed or written by another node', () => {
    fc.assert(
      fc.property(batches, fc.option(fc.nat(90_000), { nil: undefined }), (all, at) => {
        const { connection, driver, insert, marks, writerOf } = openTable();
        driver.exec(markMigration(marked));
        const writers = [writerOf('a'), writerOf('b')];
        const rows: Line[] = [];
        const given = new Set<string>();
        for (const { fails, node, rows: wanted } of all) {
          const writer = writers[node];
          driver.exec('BEGIN');
          for (const row of wanted) {
            if (given.has(row.id)) continue;
            given.add(row.id);
            insert.run(row);
            writer?.add(row);
            expect(writer?.lacks(row)).to.equal(false);
            if (!fails) rows.push(row);
          }
          driver.exec(fails ? 'ROLLBACK' : 'COMMIT');
          if (fails) writer?.reset();
        }
        const topOf = marksBefore(connection, marked);
        const before = at === undefined ? undefined : firstIdAt('row', start + at);
        for (const { a, b } of filters) {
          const newest = rows
            .filter((row) => (a ?? row.a) === row.a && (b ?? row.b) === row.b && row.id < (before ?? '~'))
            .reduce((last, { id }) => (id > last ? id : last), '');
          const top = topOf({ a, b }, before);
          if (top === undefined) expect(newest, JSON.stringify({ a, b })).to.equal('');
          else expect(newest < top && top <= (before ?? '~'), JSON.stringify({ a, b, newest, top })).to.equal(true);
          if (newest !== '' && before === undefined && (a === undefined) !== (b === undefined))
            expect(slotOf(top ?? ''), 'the end of the very slot').to.equal(slotOf(newest));
        }
        const written = marks();
        driver.exec(`DROP TABLE x_marks; ${markMigration(marked)}`);
        expect(marks(), 'a migration of the same rows').to.deep.equal(written);
        driver.close();
      }),
    );
  });

  it('are of slots of some seconds, in the order of their ids', () => {
    const slots = new Set<string>();
    for (let ms = 0; ms < 131_072; ms += 64) slots.add(slotOf(firstIdAt('row', start + ms)));
    expect([...slots]).to.deep.equal([...slots].sort());
    expect(slots.size).to.be.within(16, 17);
  });

  it('are written once for each value in a slot', () => {
    const { driver, writerOf } = openTable();
    driver.exec(markMigration(marked));
    const writer = writerOf('a');
    const add = (ms: number, a: string, b: string | null): void =>
      writer.add({ id: firstIdAt('row', start + ms), a, b } as Line);
    const count = (): unknown => driver.prepare('SELECT count(*) FROM x_marks').pluck().get();
    for (let number = 0; number < 100; number += 1) add(number, 'x', null);
    expect(count()).to.equal(1);
    add(9000, 'x', 'p');
    expect(count()).to.equal(3);
    driver.close();
  });
});
