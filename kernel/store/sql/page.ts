import { timestamp } from '../../tools/clock.ts';
import { firstIdAt } from '../../tools/id.ts';
import type { Connection, Row, Statement, Value } from '../contract.ts';

/** Most rows that one page visits: a few milliseconds of reading, however large the table is. */
export const rowBudget = 2000;

/** One page of a list, newest first; `next`: the list goes on below this id. A page may be shorter than its limit. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

/** The list of a table: `id` is its text key, which grows with time. */
export interface PagedTable<T> {
  readonly select: string;
  readonly table: string;
  readonly id: string;
  readonly read: (row: Row) => T;
}

/** A condition of a list and its values; an undefined value leaves the condition out. */
export interface PageFilter {
  readonly where: string;
  readonly values: Value | readonly Value[] | undefined;
  /** The rows of the table are found by another one: its name, the condition on it, and its column with the id. */
  readonly by?: { readonly table: string; readonly where: string; readonly id: string };
}

/** What a page is asked for. */
export interface PageQuery {
  /** Conditions for which an index holds the rows in the order of their ids. */
  readonly indexed?: readonly PageFilter[];
  /** Conditions that are tried on one row after the other. */
  readonly tried?: readonly PageFilter[];
  /** Only rows below this id. */
  readonly before?: string | undefined;
  /** Only rows from this id on, and below that one. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit: number;
  /** Most rows to visit, at least 1; default: `rowBudget`. */
  readonly budget?: number;
}

type Given = PageFilter & { readonly values: Value | readonly Value[] };

// Rows visited through one index, and the id at which the budget is used up; undefined: the list ends before.
interface Walk {
  readonly along: Given | undefined;
  readonly floor: string | undefined;
}

// Above every id: ids are ASCII.
const aboveAll = '~';

/** Prepares the pages of a list. A page goes along the best index, and visits at most `rowBudget` rows. */
export function pagesOf<T>(connection: Connection, table: PagedTable<T>): (query: PageQuery) => Page<T> {
  const prepared = new Map<string, Statement>();
  const prepare = (sql: string): Statement => {
    const statement = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  return ({ indexed = [], tried = [], before: cursor = aboveAll, from = '', to = aboveAll, ...query }) => {
    const { limit, budget = rowBudget } = query;
    const before = cursor < to ? cursor : to;
    const ways = indexed.filter(isGiven);
    const others = tried.filter(isGiven);
    const floorOf = (along: Given | undefined): Walk => {
      const floor = prepare(floorText(table, along, budget)).get(...insideOf(table, along, before, from))?.['id'];
      return { along, floor: floor === undefined ? undefined : String(floor) };
    };
    // When all conditions have one index, each visited row is on the page.
    const plain = ways.length + others.length - Math.min(1, ways.length) === 0;
    const { along, floor } = plain ? { along: ways[0], floor: undefined } : furthest(wayList(ways).map(floorOf));
    const rest = [...ways, ...others].filter((one) => one !== along);
    const statement = prepare(pageText(table, along, rest));
    const values = [...insideOf(table, along, before, floor ?? from), ...rest.flatMap(valuesOf)];
    const rows = statement.all(...values, limit + 1);
    const last = rows.length > limit ? rows[limit - 1]?.[pageId] : floor;
    const items = rows.slice(0, limit).map(({ [pageId]: _, ...row }) => table.read(row));
    return last === undefined ? { items } : { items, next: String(last) };
  };
}

// The selected columns may rename the one of the id.
const pageId = 'page_id';

const isGiven = (filter: PageFilter): filter is Given => filter.values !== undefined;

const wayList = (ways: readonly Given[]): readonly (Given | undefined)[] => (ways.length === 0 ? [undefined] : ways);

function furthest(walks: readonly Walk[]): Walk {
  const key = ({ floor }: Walk): string => floor ?? '';
  return walks.reduce((best, walk) => (key(walk) < key(best) ? walk : best));
}

function valuesOf(filter: Given | undefined): readonly Value[] {
  if (filter === undefined) return [];
  return isList(filter.values) ? filter.values : [filter.values];
}

function isList(values: Value | readonly Value[]): values is readonly Value[] {
  return Array.isArray(values);
}

function wayOf({ table, id }: PagedTable<unknown>, along: Given | undefined) {
  if (along === undefined) return { table, id: `${table}.${id}`, where: 'TRUE' };
  const { where, by } = along;
  return by === undefined ? { table, id: `${table}.${id}`, where } : { ...by, id: `${by.table}.${by.id}` };
}

// A condition that begins with `column = ?`: the column, and the rest of the condition.
function columnOf(way: ReturnType<typeof wayOf>): { readonly column: string; readonly beside: string } | undefined {
  const [, column, beside = ''] = /^([\w.]+) = \?(.*)$/.exec(way.where) ?? [];
  return column === undefined ? undefined : { column, beside };
}

// The rows of a way within the bounds. A database that believes nearly all rows to have one value would go along the
// ids alone, and visit all rows: value and id in one comparison have an order that only the index of both has.
function insideText(way: ReturnType<typeof wayOf>): { readonly inside: string; readonly order: string } {
  const { id, where } = way;
  const found = columnOf(way);
  if (found === undefined) return { inside: `${where} AND ${id} < ? AND ${id} >= ?`, order: `${id} DESC` };
  const { beside, column } = found;
  const inside = `(${column}, ${id}) < (?, ?) AND (${column}, ${id}) >= (?, ?)${beside}`;
  return { inside, order: `${column} DESC, ${id} DESC` };
}

function insideOf(of: PagedTable<unknown>, along: Given | undefined, before: string, from: string): readonly Value[] {
  const [first, ...beside] = valuesOf(along);
  if (first === undefined) return [before, from];
  return columnOf(wayOf(of, along)) === undefined
    ? [first, ...beside, before, from]
    : [first, before, first, from, ...beside];
}

function floorText(of: PagedTable<unknown>, along: Given | undefined, budget: number): string {
  const way = wayOf(of, along);
  const { table, id } = way;
  const { inside, order } = insideText(way);
  return `SELECT ${id} AS id FROM ${table} WHERE ${inside} ORDER BY ${order} LIMIT 1 OFFSET ${budget - 1}`;
}

function pageText(of: PagedTable<unknown>, along: Given | undefined, rest: readonly Given[]): string {
  const way = wayOf(of, along);
  const { table, id } = way;
  const joined = table === of.table ? '' : ` CROSS JOIN ${of.table}`;
  const same = table === of.table ? '' : ` AND ${of.table}.${of.id} = ${id}`;
  // Inside CASE no condition can lead the engine to another index, which would visit rows without limit.
  const tried = rest.map((one) => ` AND CASE WHEN ${one.where} THEN 1 ELSE 0 END = 1`).join('');
  const { inside, order } = insideText(way);
  return `SELECT ${id} AS ${pageId}, ${of.select} FROM ${table}${joined} WHERE ${inside}${same}${tried} ORDER BY ${order} LIMIT ?`;
}

// What is recorded is known before the record gets its id; a run that waits for the store needs seconds for it.
const longestWaitMs = 10_000;

/** Selects the records of a time: bounds of their ids, which sort by time, and conditions on the times in `column`. */
export function timesBetween(
  prefix: string,
  column: string,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
): Pick<PageQuery, 'from' | 'to'> & { readonly tried: readonly PageFilter[] } {
  const stored = (time: string | undefined) => time && timestamp(Date.parse(time));
  return {
    from: from && firstIdAt(prefix, Date.parse(from)),
    to: to && firstIdAt(prefix, Date.parse(to) + longestWaitMs),
    tried: [
      { where: `${column} >= ?`, values: stored(from) },
      { where: `${column} < ?`, values: stored(to) },
    ],
  };
}

/** Merges the pages of two lists with the same ids into one. */
export function mergePages<T>(pages: readonly Page<T>[], limit: number, idOf: (item: T) => string): Page<T> {
  // Below the highest end, one of the lists may have more.
  const horizon = pages.flatMap(({ next }) => next ?? []).reduce((high, next) => (next > high ? next : high), '');
  const known = pages.flatMap(({ items }) => items).filter((item) => idOf(item) >= horizon);
  const items = known.sort((a, b) => (idOf(a) < idOf(b) ? 1 : -1)).slice(0, limit);
  const last = items.at(-1);
  if (known.length > limit && last !== undefined) return { items, next: idOf(last) };
  return horizon === '' ? { items } : { items, next: horizon };
}
