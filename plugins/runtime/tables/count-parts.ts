import { dimensions, type CountRow } from './count-row.ts';
import { type Row, type WriterScope, rowWriter } from '../../../kernel/index.ts';

/**
 * The table of parts: what one batch counted, where the store is in a database. Each process adds rows of its own, and
 * some seconds later adds them to the counts: so none waits for the row of another, and no row is changed with each batch.
 */
export const partMigration = `
CREATE TABLE runtime_count_parts (
  made INTEGER NOT NULL, incarnation TEXT NOT NULL, number INTEGER NOT NULL, tenant TEXT NOT NULL, at INTEGER NOT NULL,
  what TEXT NOT NULL, orbiset_id TEXT NOT NULL, orb_id TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL,
  mode TEXT NOT NULL, le_ms INTEGER NOT NULL, n INTEGER NOT NULL, ms INTEGER NOT NULL,
  PRIMARY KEY (made, incarnation, number)
) WITHOUT ROWID;
`;

const counted = ['tenant', 'at', ...dimensions] as const;

/** The count of a minute that a part belongs to. */
export type PartRow = Omit<CountRow, 'step'>;

/** Makes the writes of parts. */
export function partWrites({ connection, node: { incarnation }, now }: WriterScope) {
  const insert = rowWriter(connection, 'runtime_count_parts', [
    ...(['made', 'incarnation', 'number'] as const),
    ...counted,
    ...(['n', 'ms'] as const),
  ]);
  const taking = (condition: string) =>
    connection.prepare(
      `DELETE FROM runtime_count_parts WHERE made >= ? AND made <= ?${condition} RETURNING ${counted.join(', ')}, n, ms`,
    );
  const takeOwn = taking(' AND incarnation = ?');
  const takeAll = taking('');
  let number = 0;
  return {
    put(row: PartRow): void {
      insert({ ...row, made: now(), incarnation, number: ++number });
    },
    /** Takes parts away, and returns their sums: a row for each count, in the order of their key. */
    async take({ from, own, to }: { from: number; to: number; own: boolean }): Promise<readonly PartRow[]> {
      // Only deleted rows are taken, so two processes never take the same parts.
      const rows = own ? await takeOwn.all(from, to, incarnation) : await takeAll.all(from, to);
      return sumsOf(rows);
    },
  };
}

// In one order everywhere, so that two processes that add to the same counts do not wait for each other in a circle.
function sumsOf(rows: readonly Row[]): readonly PartRow[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const id = counted.map((name) => String(row[name])).join('\n');
    const { n = 0, ms = 0 } = sums.get(id) ?? {};
    sums.set(id, { ...row, n: Number(n) + Number(row['n']), ms: Number(ms) + Number(row['ms']) });
  }
  // Its columns are texts and numbers.
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row as PartRow);
}
