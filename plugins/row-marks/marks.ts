import { queriesOf, type Connection, type WriterScope } from '../../kernel/index.ts';

/** A table whose columns have marks; the values of these columns never change. */
export interface MarkedTable<C extends string = string> {
  readonly table: string;
  /** Its text key: a prefix of three letters, `_` and a ULID. */
  readonly id: string;
  readonly columns: readonly C[];
  /** The table of the marks. */
  readonly marks: string;
}

/** A row of a marked table, or a filter of its list: values by column. */
export type Values<C extends string> = { readonly [K in C]?: string | null | undefined };

// A slot begins with the prefix and seven characters of a ULID's time, which change every 32.8 seconds. The next character
// counts seconds: its values are in four groups, each named by its first one.
const wholeLength = 11;
const groups = [
  { first: '0', last: '7' },
  { first: '8', last: 'F' },
  { first: 'G', last: 'Q' },
  { first: 'R', last: 'Z' },
] as const;
// Above every id: ids are ASCII.
const aboveAll = '~';

const groupOf = (id: string) => groups.findLast(({ first }) => id.charAt(wholeLength) >= first) ?? groups[0];

/** Returns the slot of an id: 8.2 seconds. It is not above the ids of these seconds, and above all earlier ones. */
export const slotOf = (id: string): string => id.slice(0, wholeLength) + groupOf(id).first;

// The end of the slot of an id: above its ids, and below all later ones.
const endOf = (id: string): string => id.slice(0, wholeLength) + groupOf(id).last + aboveAll;

// Values with the same beginning share their marks: a mark says where a row may be.
const valueLength = 32;
const valueOf = (text: string): string => (text.length > valueLength ? text.slice(0, valueLength) : text);

/** Creates the table of marks, and marks the rows that are there: each is read once. */
export function markMigration({ columns, id, marks, table }: MarkedTable): string {
  const marksOf = (column: string): string =>
    `SELECT '${column}', substr(${column}, 1, ${valueLength}), slot, '' FROM seen WHERE ${column} IS NOT NULL`;
  const second = `substr(${id}, ${wholeLength + 1}, 1)`;
  const cases = groups.toReversed().map(({ first }) => `WHEN ${second} >= '${first}' THEN '${first}'`);
  const slot = `substr(${id}, 1, ${wholeLength}) || CASE ${cases.join(' ')} ELSE '${groups[0].first}' END`;
  return `
CREATE TABLE ${marks} (
  name TEXT NOT NULL, value TEXT NOT NULL, slot TEXT NOT NULL, node TEXT NOT NULL, PRIMARY KEY (name, value, slot, node)
) WITHOUT ROWID;
INSERT INTO ${marks} (name, value, slot, node)
  WITH seen AS MATERIALIZED (
    SELECT DISTINCT ${slot} AS slot, ${columns.join(', ')} FROM ${table})
  ${columns.map(marksOf).join('\n  UNION ')};
`;
}

// Most values whose slots are in memory, of each column.
const mostKnown = 10_000;

/**
 * Writes marks, in the commit of the rows that need them. Those that a batch wrote are known to the next one; `reset`
 * drops all, so that a batch that failed leaves none that is not stored.
 */
export class Marks<C extends string> {
  readonly #id: string;
  readonly #node: string;
  readonly #insert;
  readonly #columns: readonly { readonly name: C; readonly known: Map<string, string> }[];
  // The slot of the last row, and its end: ids grow, so the next row is most often in it.
  #slot = aboveAll;
  #end = aboveAll;

  constructor({ columns, id, marks }: MarkedTable<C>, { connection, node }: Pick<WriterScope, 'connection' | 'node'>) {
    this.#id = id;
    // A node has marks of its own, so that none waits for the commit of another.
    this.#node = node.name;
    this.#insert = connection.prepare(
      `INSERT INTO ${marks} (name, value, slot, node) VALUES (?, ?, ?, ?) ON CONFLICT (name, value, slot, node) DO NOTHING`,
    );
    this.#columns = columns.map((name) => ({ name, known: new Map() }));
  }

  /** Says whether a row needs a mark that is not known to be there. */
  lacks(row: Values<C>): boolean {
    const slot = this.#slotOf(row);
    for (const { known, name } of this.#columns) {
      const value = row[name];
      if (typeof value === 'string' && known.get(value) !== slot) return true;
    }
    return false;
  }

  /** Writes the marks that a row needs. Call it in `beforeCommit`: the row is written. */
  add(row: Values<C>): void {
    const slot = this.#slotOf(row);
    for (const { known, name } of this.#columns) {
      const value = row[name];
      if (typeof value !== 'string' || known.get(value) === slot) continue;
      this.#insert.queue(name, valueOf(value), slot, this.#node);
      if (known.size >= mostKnown) known.clear();
      known.set(value, slot);
    }
  }

  /** Drops everything in memory. */
  reset(): void {
    for (const { known } of this.#columns) known.clear();
  }

  #slotOf(row: Values<C>): string {
    const id = (row as Readonly<Record<string, string>>)[this.#id] ?? '';
    if (id < this.#slot || id > this.#end) {
      this.#slot = slotOf(id);
      this.#end = endOf(id);
    }
    return this.#slot;
  }
}

// Of two values that take turns, each step passes one slot: then the rows are walked.
const mostSteps = 50;

/**
 * Finds below which id the newest row can be that has all values of a filter; undefined: no row below `before` has
 * them. Columns without marks are no part of it.
 */
export type MarksBefore<C extends string> = (filter: Values<C>, before?: string) => string | undefined;

/** Prepares the read of the marks of a table. */
export function marksBefore<C extends string>(
  connection: Connection,
  { columns, marks }: MarkedTable<C>,
): MarksBefore<C> {
  // In one comparison: only the key has this order, so no database takes another index, whatever it has counted.
  const sql = `SELECT slot FROM ${marks} WHERE (name, value, slot) >= (?, ?, '') AND (name, value, slot) <= (?, ?, ?)
    ORDER BY name DESC, value DESC, slot DESC LIMIT 1`;
  let newest: ((...values: readonly string[]) => string | undefined) | undefined;
  return (filter, before = aboveAll) => {
    let top = before;
    for (let step = 0; step < mostSteps; step += 1) {
      let low = top;
      for (const name of columns) {
        const value = filter[name];
        if (typeof value !== 'string') continue;
        // Prepared at the first use, because commands read stores of older versions.
        newest ??= queriesOf(connection).find<string, readonly string[]>(sql, (row) => String(row['slot']));
        const prefix = valueOf(value);
        const slot = newest(name, prefix, name, prefix, slotOf(low));
        if (slot === undefined) return undefined;
        const end = endOf(slot);
        if (end < low) low = end;
      }
      if (low === top) return top;
      top = low;
    }
    return top;
  };
}
