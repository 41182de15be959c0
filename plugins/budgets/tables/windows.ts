import {
  PlatformError,
  queriesOf,
  rowWriter,
  timestamp,
  type Awaitable,
  type Connection,
  type Row,
  type WriteConnection,
  type WriteContext,
} from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import type { Row as Window } from '../windows.ts';

/** The tables of budgets and of what runs have reserved. */
export const windowTables = `CREATE TABLE budgets_windows (
     id TEXT PRIMARY KEY, starts_at INTEGER NOT NULL, ends_at INTEGER NOT NULL, scope TEXT NOT NULL,
     subject TEXT NOT NULL, tenant TEXT NOT NULL, per TEXT NOT NULL, unit TEXT NOT NULL, most INTEGER NOT NULL,
     spent INTEGER NOT NULL, assumed INTEGER NOT NULL, reserved INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX budgets_windows_tenant ON budgets_windows (tenant, id);
   CREATE TABLE budgets_reservations (
     run_id TEXT PRIMARY KEY, at INTEGER NOT NULL, parts TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX budgets_reservations_at ON budgets_reservations (at);`;

/** Columns of a window. */
export const windowColumns = [
  ...(['id', 'starts_at', 'ends_at', 'scope', 'subject', 'tenant', 'per', 'unit', 'most'] as const),
  ...(['spent', 'assumed', 'reserved'] as const),
];

/** A window of a budget with its counts. */
export interface WindowRow extends Window {
  /** Empty: what it counts for belongs to no tenant. */
  readonly tenant: string;
  readonly spent: number;
  readonly assumed: number;
  readonly reserved: number;
}

/** What a run reserves of one budget. */
export interface Ask extends Window {
  readonly tenant: string;
  readonly ask: number;
}

/** A part of a reservation, as it is stored: the id of the window, and how much. */
export type Part = readonly [id: string, ask: number];

/** What a run takes of several budgets, all or nothing. */
export interface Reserving {
  readonly run_id: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Sorted by id. */
  readonly asks: readonly Ask[];
}

/** What becomes of a part of a reservation. */
export interface Settling {
  readonly id: string;
  /** How much was reserved, and is not any more. */
  readonly reserved: number;
  readonly spent: number;
  readonly assumed: number;
}

/** Takes what becomes of parts of reservations, for the end of the commit. */
type Settled = (write: WriteContext, parts: readonly Settling[]) => void;

/** Prepares the writes of reservations. */
export function writeWindows(connection: WriteConnection, settled: Settled) {
  const free = connection.prepare('DELETE FROM budgets_reservations WHERE run_id = ?');
  return {
    ...reserving(connection),
    ...tidying(connection, settled),
    /** Settles the reservation of a run, in the commit of its receipt. */
    settle(
      { run_id, parts }: { readonly run_id: string; readonly parts: readonly Settling[] },
      write: WriteContext,
    ): void {
      free.queue(run_id);
      settled(write, parts);
    },
  };
}

function reserving(connection: WriteConnection) {
  const columns = windowColumns.join(', ');
  // One statement compares and writes the row, so that parallel calls, of any node, never exceed the limit together.
  const take = connection.prepare(
    `INSERT INTO budgets_windows (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?)
     ON CONFLICT (id) DO UPDATE SET most = excluded.most, reserved = budgets_windows.reserved + excluded.reserved
     WHERE budgets_windows.spent + budgets_windows.assumed + budgets_windows.reserved + excluded.reserved <= excluded.most
     RETURNING reserved`,
  );
  const hold = rowWriter(connection, 'budgets_reservations', ['run_id', 'at', 'parts']);
  return {
    /** Reserves what a run may use, of each budget or of none. Throws 429 `budget_exhausted` or `rate_limited`. */
    async reserve({ run_id, at, asks }: Reserving): Promise<null> {
      for (const one of asks) {
        const { id, starts_at, ends_at, scope, subject, tenant, per, unit, most, ask } = one;
        if (ask > most) throw exhausted(one, at);
        const row = [id, starts_at, ends_at, scope, subject, tenant, per, unit, most, ask];
        if ((await take.get(...row)) === undefined) throw exhausted(one, at);
      }
      hold({ run_id, at, parts: asks.map(({ id, ask }): Part => [id, ask]) });
      return null;
    },
  };
}

/** What is tidied: what is older, at most so many rows. */
interface Tidying<T> {
  readonly before: T;
  readonly most: number;
}

function tidying(connection: WriteConnection, settled: Settled) {
  const free = connection.prepare('DELETE FROM budgets_reservations WHERE run_id = ?');
  const old = connection.prepare('SELECT run_id, parts FROM budgets_reservations WHERE at < ? ORDER BY at LIMIT ?');
  const forget = connection.prepare(
    'DELETE FROM budgets_windows WHERE id IN (SELECT id FROM budgets_windows WHERE id < ? ORDER BY id LIMIT ?)',
  );
  return {
    /** Counts as assumed what runs have reserved that were never settled; answers how many they were. */
    async lapse({ before, most }: Tidying<number>, write: WriteContext): Promise<number> {
      write.guard('lapse');
      const rows = await old.all(before, most);
      for (const { run_id, parts } of rows) {
        free.queue(String(run_id));
        const held = partsOf(String(parts));
        settled(
          write,
          held.map(([id, ask]) => ({ id, reserved: ask, spent: 0, assumed: ask })),
        );
      }
      return rows.length;
    },
    /** Erases windows that have ended, at most so many; answers how many. */
    eraseWindows: ({ before, most }: Tidying<string>): Awaitable<number> => forget.run(before, most),
  };
}

/** Prepares the statement that adds to the counts of windows, of many settlements together. */
export function countWindows(connection: WriteConnection): (parts: readonly Settling[]) => void {
  const add = connection.prepare(
    `UPDATE budgets_windows SET reserved = budgets_windows.reserved - ?, spent = budgets_windows.spent + ?,
       assumed = budgets_windows.assumed + ? WHERE id = ?`,
  );
  return (parts) => {
    const sums = new Map<string, { reserved: number; spent: number; assumed: number }>();
    for (const { id, reserved, spent, assumed } of parts) {
      const sum = sums.get(id) ?? { reserved: 0, spent: 0, assumed: 0 };
      sums.set(id, { reserved: sum.reserved + reserved, spent: sum.spent + spent, assumed: sum.assumed + assumed });
    }
    // In one order on all nodes, so that no two commits wait for each other.
    const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [id, { reserved, spent, assumed }] of sorted) add.queue(reserved, spent, assumed, id);
  };
}

/** Prepares the reads of reservations. */
export function readWindows(connection: Connection) {
  const find = connection.prepare('SELECT parts FROM budgets_reservations WHERE run_id = ?');
  const { find: finding } = queriesOf(connection);
  return {
    /** Finds the counts of a window; undefined when no call has used it. */
    counts: finding('SELECT spent, assumed, reserved FROM budgets_windows WHERE id = ?', countsOf),
    /** Finds what a run has reserved; empty when it has reserved nothing. */
    reservation(runId: string): readonly Part[] {
      const row: Row | undefined = find.get(runId);
      return row === undefined ? [] : partsOf(String(row['parts']));
    },
  };
}

const countsOf = ({ spent, assumed, reserved }: Row): Pick<WindowRow, 'spent' | 'assumed' | 'reserved'> => ({
  spent: Number(spent),
  assumed: Number(assumed),
  reserved: Number(reserved),
});

// Only `reserve` writes them.
const partsOf = (parts: string): readonly Part[] => JSON.parse(parts) as readonly Part[];

const unitNames = { tokens: 'tokens', nanos: 'nano-dollars' } as const;

function exhausted({ scope, subject, per, unit, most, ask, ends_at: end }: Ask, at: number): PlatformError {
  const what = `the budget of ${most} ${unitNames[unit]} per ${per} of the ${scope} ${subject}`;
  const detail =
    ask > most
      ? `the call may use ${ask} ${unitNames[unit]}, and ${what} never allows that`
      : `${what} does not cover the ${ask} that the call may use; it resets at ${timestamp(end)}`;
  const retry_after = Math.max(1, Math.ceil((end - at) / 1000));
  // Tokens per minute are a limit of rate: clients wait for it and try again.
  return new PlatformError(per === 'minute' && ask <= most ? 'rate_limited' : problems.budget_exhausted, detail, {
    retry_after,
  });
}
