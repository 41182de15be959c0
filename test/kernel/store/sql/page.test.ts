import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { firstIdAt, mergePages, queriesOf, timesBetween, type Page } from '../../../../kernel/index.ts';
import { rowBudget, type PageQuery } from '../../../../kernel/store/sql/page.ts';
import { connectionOf } from '../../../helpers/stores/memory.ts';

const total = 3 * rowBudget - 10;
const idOf = (number: number): string => `t_${String(number).padStart(6, '0')}`;
const numberOf = (id: string): number => Number(id.slice(2));

describe('the pages of a list', () => {
  const driver = new Driver(':memory:');
  driver.exec(`CREATE TABLE t (id TEXT PRIMARY KEY, kind TEXT NOT NULL, owner TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX t_kind ON t (kind, id); CREATE INDEX t_owner ON t (owner, id);
    CREATE TABLE tag (name TEXT NOT NULL, t_id TEXT NOT NULL, PRIMARY KEY (name, t_id)) WITHOUT ROWID;`);
  const insert = driver.prepare('INSERT INTO t VALUES (?, ?, ?)');
  // The kind `rare` is that of the oldest three, the owner `few` has every thousandth.
  driver.transaction(() => {
    for (let number = 0; number < total; number++)
      insert.run(idOf(number), number < 3 ? 'rare' : 'usual', number % 1000 === 0 ? 'few' : 'most');
    driver.prepare("INSERT INTO tag VALUES ('x', ?), ('x', ?), ('y', ?)").run(idOf(1), idOf(4000), idOf(5));
  })();
  after(() => driver.close());

  const list = queriesOf(connectionOf(driver)).pages({
    ...{ select: 'kind, owner', table: 't', id: 'id' },
    read: ({ kind, owner }) => `${String(kind)} ${String(owner)}`,
  });
  const ids = queriesOf(connectionOf(driver)).pages({
    ...{ select: 't.id', table: 't', id: 'id', read: ({ id }) => numberOf(String(id)) },
  });
  const through = (query: PageQuery): { readonly found: readonly number[]; readonly pages: number } => {
    const found: number[] = [];
    let page: Page<number> = ids(query);
    let pages = 1;
    for (; page.next !== undefined; pages++) {
      found.push(...page.items);
      page = ids({ ...query, before: page.next });
    }
    return { found: [...found, ...page.items], pages };
  };
  const rare = { where: 'kind = ?', values: 'rare' };
  const few = { where: 'owner = ?', values: 'few' };
  const tagged = (name: string) => ({
    where: 'EXISTS (SELECT 1 FROM tag WHERE tag.name = ? AND tag.t_id = t.id)',
    values: name,
    by: { table: 'tag', where: 'tag.name = ?', id: 't_id' },
  });

  it('hold the newest rows, and say below which id the list goes on unless it ends', () => {
    expect(ids({ limit: 2 })).to.deep.equal({ items: [total - 1, total - 2], next: idOf(total - 2) });
    expect(ids({ before: idOf(2), limit: 2 })).to.deep.equal({ items: [1, 0] });
    expect(ids({ from: idOf(7), to: idOf(9), limit: 5 })).to.deep.equal({ items: [8, 7] });
    expect(ids({ before: idOf(9), to: idOf(8), limit: 1 })).to.deep.equal({ items: [7], next: idOf(7) });
    expect(ids({ before: idOf(7), to: idOf(9), limit: 1 })).to.deep.equal({ items: [6], next: idOf(6) });
    expect(list({ limit: 1 }).items).to.deep.equal(['usual most']);
  });

  const rows: readonly { name: string; query: Omit<PageQuery, 'limit'>; found: readonly number[]; pages: number }[] = [
    { name: 'an indexed condition finds the oldest at once', query: { indexed: [rare] }, found: [2, 1, 0], pages: 1 },
    { name: 'a tried one goes on page by page', query: { tried: [rare] }, found: [2, 1, 0], pages: 3 },
    {
      name: 'of two indexes it takes the one that reaches further',
      query: { indexed: [few, rare] },
      found: [0],
      pages: 1,
    },
    { name: 'in whatever order they are named', query: { indexed: [rare, few] }, found: [0], pages: 1 },
    {
      name: 'a condition without a value is left out',
      query: { indexed: [{ ...few, values: undefined }, rare] },
      found: [2, 1, 0],
      pages: 1,
    },
    { name: 'through another table', query: { indexed: [tagged('x')] }, found: [4000, 1], pages: 1 },
    {
      name: 'through another table, with a condition',
      query: { indexed: [tagged('x')], tried: [rare] },
      found: [1],
      pages: 1,
    },
    { name: 'with another table as the condition', query: { indexed: [rare, tagged('x')] }, found: [1], pages: 1 },
    { name: 'two of another table', query: { indexed: [tagged('x'), tagged('y')] }, found: [], pages: 1 },
    {
      name: 'a condition without values',
      query: { tried: [{ where: "kind = 'rare'", values: [] }], to: idOf(100) },
      found: [2, 1, 0],
      pages: 1,
    },
    {
      name: 'a condition with several',
      query: { tried: [{ where: 'kind IN (?, ?)', values: ['rare', 'x'] }], to: idOf(100) },
      found: [2, 1, 0],
      pages: 1,
    },
  ];
  for (const { name, query, found, pages } of rows)
    it(`are followed to the end: ${name}`, () => {
      expect(through({ ...query, limit: 5 })).to.deep.equal({ found, pages });
    });

  it('are short, even empty, when few of the visited rows belong: the next goes on where it stopped', () => {
    const page = ids({ tried: [rare], limit: 5 });
    expect(page).to.deep.equal({ items: [], next: idOf(total - rowBudget) });
    expect(ids({ tried: [rare], limit: 2, before: idOf(100) })).to.deep.equal({ items: [2, 1], next: idOf(1) });
  });

  it('of two lists are merged down to where both are known', () => {
    const same = (item: string): string => item;
    const merge = (...pages: Page<string>[]): Page<string> => mergePages(pages, 3, same);
    expect(merge({ items: ['e', 'c'] }, { items: ['d'] })).to.deep.equal({ items: ['e', 'd', 'c'] });
    expect(merge({ items: ['e', 'c'] }, { items: ['d', 'b'] })).to.deep.equal({ items: ['e', 'd', 'c'], next: 'c' });
    expect(merge({ items: ['e', 'a'] }, { items: ['d'], next: 'c' })).to.deep.equal({ items: ['e', 'd'], next: 'c' });
    expect(merge({ items: ['e', 'c'], next: 'c' }, { items: [], next: 'b' })).to.deep.equal({
      items: ['e', 'c'],
      next: 'c',
    });
  });

  it('of a time are bounded by ids: none of it is left out, though its id is made some seconds later', () => {
    const { from, to, tried } = timesBetween('t', 'at', {
      from: '2026-11-21T01:00:00+01:00',
      to: '2026-11-22T00:00:00Z',
    });
    expect([from, to]).to.deep.equal([
      firstIdAt('t', Date.UTC(2026, 10, 21)),
      firstIdAt('t', Date.UTC(2026, 10, 22) + 10_000),
    ]);
    expect(tried.map(({ values }) => values)).to.deep.equal(['2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z']);
    const open = timesBetween('t', 'at', {});
    expect([open.from, open.to, ...open.tried.map(({ values }) => values)]).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
