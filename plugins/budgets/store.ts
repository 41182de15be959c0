import {
  defineStore,
  queriesOf,
  type AwaitableReads,
  type Connection,
  type Row,
  type WriteContext,
  type WriterScope,
} from '../../kernel/index.ts';
import { countUsage, readUsage, usageTable, type UsageRow } from './tables/usage.ts';
import {
  countWindows,
  readWindows,
  windowColumns,
  windowTables,
  writeWindows,
  type Settling,
  type WindowRow,
} from './tables/windows.ts';

/** Budgets with what runs have reserved of them, and the usage of the runs that have ended. */
export default defineStore({
  name: 'budgets',
  migrations: [windowTables + usageTable],
  write: writing,
  read: reading,
});

/** Reads of budgets and usage. */
export type BudgetReads = AwaitableReads<ReturnType<typeof reading>>;

// Rows that many runs share are written once for all runs of a commit.
type Item = { readonly parts: readonly Settling[] } | { readonly usage: UsageRow };

function writing({ connection }: WriterScope) {
  const count = { windows: countWindows(connection), usage: countUsage(connection) };
  const forget = connection.prepare(
    'DELETE FROM budgets_usage WHERE id IN (SELECT id FROM budgets_usage WHERE id < ? ORDER BY id LIMIT ?)',
  );
  const defer = (write: WriteContext, item: Item): void => write.defer(item);
  return {
    operations: {
      ...writeWindows(connection, (write, parts) => defer(write, { parts })),
      /** Adds the usage of a run, in the commit of its receipt. */
      use: (usage: UsageRow, write: WriteContext): void => defer(write, { usage }),
      /** Erases usage of days before this one, at most so many rows; answers how many. */
      eraseUsage: ({ before, most }: { readonly before: string; readonly most: number }) => forget.run(before, most),
    },
    beforeCommit(items: readonly object[]): void {
      const deferred = items as readonly Item[];
      count.windows(deferred.flatMap((item) => ('parts' in item ? item.parts : [])));
      count.usage(deferred.flatMap((item) => ('usage' in item ? [item.usage] : [])));
    },
  };
}

/** What a list of windows is asked for. */
export interface WindowQuery {
  readonly tenant: string | undefined;
  readonly scope: string | undefined;
  readonly subject: string | undefined;
  /** Only windows with an id from this one on. */
  readonly from: string;
  readonly before: string | undefined;
  readonly limit: number;
}

function reading(connection: Connection) {
  const pages = queriesOf(connection).pages<WindowRow>({
    select: windowColumns.map((name) => `budgets_windows.${name}`).join(', '),
    ...{ table: 'budgets_windows', id: 'id', read: (row: Row) => row as unknown as WindowRow },
  });
  return {
    ...readWindows(connection),
    ...readUsage(connection),
    /** Lists windows, the one that ends last first. */
    windows({ tenant, scope, subject, ...rest }: WindowQuery) {
      const indexed = [{ where: 'budgets_windows.tenant = ?', values: tenant }];
      const tried = [
        { where: 'budgets_windows.scope = ?', values: scope },
        { where: 'budgets_windows.subject = ?', values: subject },
      ];
      return pages({ indexed, tried, ...rest });
    },
  };
}
