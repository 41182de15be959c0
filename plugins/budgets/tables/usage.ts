import { queriesOf, type Connection, type WriteConnection, type Row } from '../../../kernel/index.ts';

/** The table of usage: one row for each day and combination of names. */
export const usageTable = `CREATE TABLE budgets_usage (
     id TEXT PRIMARY KEY, day TEXT NOT NULL, tenant TEXT NOT NULL, orbiset_id TEXT NOT NULL, orb_id TEXT NOT NULL,
     principal TEXT NOT NULL, key_id TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
     calls INTEGER NOT NULL, unknown_calls INTEGER NOT NULL, unpriced_calls INTEGER NOT NULL,
     input_tokens INTEGER NOT NULL, cache_read_tokens INTEGER NOT NULL, cache_write_tokens INTEGER NOT NULL,
     output_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL, cost_nanos INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX budgets_usage_tenant ON budgets_usage (tenant, id);`;

/** Names by which usage is grouped. */
export const usageNames = [
  'day',
  'tenant',
  'orbiset_id',
  'orb_id',
  'principal',
  'key_id',
  'provider',
  'model',
] as const;

/** Counts of usage. */
export const usageCounts = [
  ...(['calls', 'unknown_calls', 'unpriced_calls', 'input_tokens', 'cache_read_tokens', 'cache_write_tokens'] as const),
  ...(['output_tokens', 'reasoning_tokens', 'cost_nanos'] as const),
];

/** A name by which usage is grouped. */
export type UsageName = (typeof usageNames)[number];

/** The names of the usage of one call. */
export type UsageNames = Readonly<Record<UsageName, string>>;

/** The counts of usage of some calls. */
export type UsageCounts = Readonly<Record<(typeof usageCounts)[number], number>>;

/** The usage of some calls. */
export type UsageRow = UsageNames & UsageCounts;

// The alias comes last: it alone may hold a space.
const idOf = (row: UsageNames): string => usageNames.map((name) => row[name]).join(' ');

const none = Object.fromEntries(usageCounts.map((name) => [name, 0])) as UsageCounts;

function added(a: UsageCounts, b: UsageCounts): UsageCounts {
  return Object.fromEntries(usageCounts.map((name) => [name, a[name] + b[name]])) as UsageCounts;
}

/** Prepares the statement that adds usage, of many calls together. */
export function countUsage(connection: WriteConnection): (rows: readonly UsageRow[]) => void {
  const columns = ['id', ...usageNames, ...usageCounts];
  const more = usageCounts.map((name) => `${name} = budgets_usage.${name} + excluded.${name}`).join(', ');
  const add = connection.prepare(
    `INSERT INTO budgets_usage (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     ON CONFLICT (id) DO UPDATE SET ${more}`,
  );
  return (rows) => {
    const sums = new Map<string, UsageNames & Record<keyof UsageCounts, number>>();
    for (const row of rows) {
      const id = idOf(row);
      const sum = sums.get(id);
      if (sum === undefined) sums.set(id, { ...row });
      else for (const name of usageCounts) sum[name] += row[name];
    }
    // In one order on all nodes, so that no two commits wait for each other.
    const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [id, row] of sorted)
      add.queue(id, ...usageNames.map((name) => row[name]), ...usageCounts.map((name) => row[name]));
  };
}

/** What usage is asked for. */
export interface UsageQuery {
  readonly tenant: string | undefined;
  /** Days: from this one on, and before that one. */
  readonly from: string;
  readonly to: string;
  readonly by: readonly UsageName[];
  /** Only rows with these names. */
  readonly only: Partial<UsageNames>;
}

/** A sum of usage, with the names by which it is grouped. */
export type UsageSum = Partial<UsageNames> & UsageCounts;

/** Most rows that one question visits. */
export const mostUsageRows = 50_000;

const pageSize = 1000;

/** Prepares the reads of usage. */
export function readUsage(connection: Connection) {
  const pages = queriesOf(connection).pages<UsageRow>({
    select: [...usageNames, ...usageCounts].map((name) => `budgets_usage.${name}`).join(', '),
    ...{ table: 'budgets_usage', id: 'id', read: (row: Row) => row as unknown as UsageRow },
  });
  return {
    /** Sums usage by names, sorted by them; undefined when there are more rows than one question visits. */
    usage({ tenant, from, to, by, only }: UsageQuery): readonly UsageSum[] | undefined {
      const sums = new Map<string, UsageSum>();
      const tried = usageNames.map((name) => ({ where: `budgets_usage.${name} = ?`, values: only[name] }));
      let before: string | undefined;
      for (let visited = 0; visited < mostUsageRows; visited += pageSize) {
        const indexed = [{ where: 'budgets_usage.tenant = ?', values: tenant }];
        const page = pages({ indexed, tried, from, to, before, limit: pageSize, budget: pageSize });
        for (const row of page.items) {
          const names = Object.fromEntries(by.map((name) => [name, row[name]]));
          const key = by.map((name) => row[name]).join('\n');
          sums.set(key, { ...names, ...added(sums.get(key) ?? none, row) });
        }
        before = page.next;
        if (before === undefined) return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
      }
      return undefined;
    },
  };
}
