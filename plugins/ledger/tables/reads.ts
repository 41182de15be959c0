import { mappedRow, textColumn, type AwaitableReads, type Connection, type Row } from '../../../kernel/index.ts';
import type { Position } from '../../receipts/contract.ts';
import type { SnapshotRef, TierEvent } from '../contract.ts';
import type { DecidedAt } from '../projection/order.ts';
import type { SnapshotOrb } from '../projection/snapshot.ts';
import type { StoredState } from '../projection/state.ts';
import type { DayCounter, DayDelta, MinuteRange } from '../projection/tallies.ts';
import type { ProviderMinutes } from '../score/debt.ts';
import type { CallerDay } from '../score/totals.ts';

/** A stored snapshot. */
export interface KeptSnapshot extends SnapshotRef {
  /** Digest that this ledger computed, when it differs from the attested one. */
  readonly recomputed?: string;
}

/** What does not count in the score of an Orb, of one day. */
interface DayOthers {
  readonly day: number;
  readonly others: Readonly<Partial<Record<DayCounter, number>>>;
}

/** Counts of one day of an Orb. */
export interface DayCounts extends DayOthers, Omit<CallerDay, 'caller'> {
  readonly callers: number;
}

const withoutCallers = { callers: 0, ok: 0, fault: 0, broken: 0, fast: 0, slow: 0 } as const;

/** The reads of the ledger's tables as the thread that serves has them; days since the epoch. */
export type LedgerReads = AwaitableReads<ReturnType<typeof ledgerReads>>;

/** Prepares the reads on a connection. */
export function ledgerReads(connection: Connection) {
  const cursors = cursorReads(connection);
  const signatures = connection.prepare('SELECT orb_id, envelope FROM ledger_signatures');
  return {
    ...countReads(connection),
    ...snapshotReads(connection),
    state: stateRead(connection, cursors),
    cursors,
    signatures: (): ReadonlyMap<string, string> =>
      new Map(signatures.all().map(({ orb_id, envelope }) => [textColumn(orb_id), textColumn(envelope)])),
  };
}

/** How far one shard is folded. */
export interface CursorRow extends Position {
  /** Greatest id of a receipt that is folded. */
  readonly newest: string;
  /** Smallest id of those since the last snapshot; null: none. */
  readonly first: string | null;
}

/** The move of one shard by a batch; without `from` nothing of it was folded. */
export interface Move extends CursorRow {
  readonly from?: number;
}

/** How far each shard is folded; `before`: instead of rows, the one position that older versions kept. */
interface Cursors {
  readonly rows: readonly CursorRow[];
  readonly before?: Position;
}

function cursorReads(connection: Connection): () => Cursors {
  const all = connection.prepare('SELECT origin, idx, newest, first FROM ledger_cursors ORDER BY origin');
  const one = connection.prepare('SELECT origin, idx FROM ledger_cursor WHERE id = 1');
  const place = ({ idx, origin }: Row): Position => ({ origin: textColumn(origin), index: Number(idx) });
  return () => {
    const rows = all.all().map((row): CursorRow => {
      const { first, newest } = row;
      return { ...place(row), newest: textColumn(newest), first: first === null ? null : textColumn(first) };
    });
    const before = rows.length > 0 ? undefined : mappedRow(one.get(), place);
    return { rows, ...(before === undefined ? {} : { before }) };
  };
}

// PostgreSQL sums integers to another type.
const sum = (column: string): string => `CAST(SUM(${column}) AS BIGINT) AS ${column}`;

function countReads(connection: Connection) {
  const callerDays = connection.prepare(
    'SELECT day, caller, ok, fault, broken, fast, slow FROM ledger_caller_days WHERE orb_id = ? AND day BETWEEN ? AND ?',
  );
  const minutes = connection.prepare(
    `SELECT provider, ${sum('n')}, ${sum('fault')} FROM ledger_minutes
     WHERE orb_id = ? AND minute BETWEEN ? AND ? GROUP BY provider ORDER BY provider`,
  );
  const sums = connection.prepare(
    `SELECT day, COUNT(*) AS callers, ${['ok', 'fault', 'broken', 'fast', 'slow'].map(sum).join(', ')} FROM ledger_caller_days WHERE orb_id = ? AND day BETWEEN ? AND ? AND ok + fault > 0 GROUP BY day`,
  );
  const others = connection.prepare('SELECT day, name, n FROM ledger_days WHERE orb_id = ? AND day BETWEEN ? AND ?');
  const othersOf = (orbId: string, from: number, to: number): readonly DayOthers[] => {
    const rows = others.all(orbId, from, to) as unknown as readonly Omit<DayDelta, 'orb_id'>[];
    return [...Map.groupBy(rows, ({ day }) => day)].map(([day, counts]) => ({
      day,
      others: Object.fromEntries(counts.map(({ name, n }) => [name, n])),
    }));
  };
  const minutesIn = (orbId: string, from: number, to: number) =>
    minutes.all(orbId, from, to) as unknown as readonly ProviderMinutes[];
  return {
    // The columns are INTEGER in STRICT tables.
    callerDays: (orbId: string, from: number, to: number) =>
      callerDays.all(orbId, from, to) as unknown as readonly CallerDay[],
    minutes: minutesIn,
    /** Reads the counts of many ranges of minutes, in their order. */
    minutesOf: (ranges: readonly MinuteRange[]) => ranges.map(({ orb_id, from, to }) => minutesIn(orb_id, from, to)),
    /** Reads what does not count in a score, of the days with such counts. */
    othersOf,
    /** Reads the days with counts, oldest first. */
    dayCounts(orbId: string, from: number, to: number): readonly DayCounts[] {
      const days = new Map<number, DayCounts>();
      for (const row of sums.all(orbId, from, to) as unknown as Omit<DayCounts, 'others'>[])
        days.set(row.day, { ...row, others: {} });
      for (const one of othersOf(orbId, from, to))
        days.set(one.day, { ...(days.get(one.day) ?? withoutCallers), ...one });
      return [...days.values()].sort((a, b) => a.day - b.day);
    },
  };
}

function snapshotReads(connection: Connection) {
  const last = connection.prepare('SELECT body FROM ledger_snapshots ORDER BY day DESC LIMIT 1');
  const one = connection.prepare('SELECT body FROM ledger_snapshots WHERE day = ?');
  const after = connection.prepare('SELECT body FROM ledger_snapshots WHERE day > ? ORDER BY day LIMIT ?');
  const orbs = connection.prepare('SELECT body FROM ledger_snapshot_orbs WHERE day = ? ORDER BY orb_id');
  const history = connection.prepare(
    `SELECT o.day, o.body, s.body AS snapshot FROM ledger_snapshot_orbs o JOIN ledger_snapshots s ON s.day = o.day
     WHERE o.orb_id = ? AND o.day BETWEEN ? AND ? ORDER BY o.day`,
  );
  const events = connection.prepare('SELECT body FROM ledger_events WHERE orb_id = ? ORDER BY number');
  const wrong = connection.prepare(
    `SELECT day, body FROM ledger_snapshots WHERE body LIKE '%"recomputed":%' ORDER BY day`,
  );
  return {
    lastSnapshot: () => mappedRow(last.get(), parsed<KeptSnapshot>),
    snapshot: (day: string) => mappedRow(one.get(day), parsed<KeptSnapshot>),
    /** Reads the snapshots after a day (`''`: all), oldest first. */
    snapshotsAfter: (day: string, limit: number) => after.all(day, limit).map((row) => parsed<KeptSnapshot>(row)),
    /** Reads the rows of the Orbs in the snapshot of a day. */
    snapshotOrbs: (day: string) => orbs.all(day).map((row) => parsed<SnapshotOrb>(row)),
    /** Reads the rows of one Orb with the digests of their snapshots, oldest first; days as text, both ends included. */
    history: (orbId: string, from: string, to: string) =>
      history.all(orbId, from, to).map((row) => ({
        day: textColumn(row['day']),
        row: parsed<SnapshotOrb>(row),
        digest: parsed<KeptSnapshot>(row, 'snapshot').digest,
      })),
    events: (orbId: string) => events.all(orbId).map((row) => parsed<TierEvent>(row)),
    /** Reads the days of snapshots for which this ledger computed a different digest. */
    mismatches: () =>
      wrong
        .all()
        .filter((row) => parsed<KeptSnapshot>(row).recomputed !== undefined)
        .map(({ day }) => textColumn(day)),
  };
}

function stateRead(connection: Connection, cursors: () => Cursors): () => StoredState {
  const documents = connection.prepare('SELECT kind, body FROM ledger_documents');
  const deciders = connection.prepare('SELECT kind, id, origin, idx, receipt_id FROM ledger_deciders');
  return () => {
    const all = Map.groupBy(documents.all(), ({ kind }) => textColumn(kind));
    const read = <T>(kind: string): readonly T[] => (all.get(kind) ?? []).map((row) => parsed<T>(row));
    return {
      deciders: deciders.all().map(decidedAt),
      spans: cursors().rows.flatMap(({ first, ...row }) => (first === null ? [] : [{ ...row, first }])),
      waiting: read('waiting'),
      revoked: read('revoked'),
      orbs: read('orb'),
      incidents: read('incident'),
      namespaces: read('namespace'),
      refused: read('refused'),
    };
  };
}

function decidedAt({ idx, ...row }: Row): DecidedAt {
  // Only this store writes these rows, from values of these types.
  return { ...row, index: Number(idx) } as unknown as DecidedAt;
}

// Only this store writes these rows, from values of these types.
function parsed<T>(row: Row, column: 'body' | 'snapshot' = 'body'): T {
  return JSON.parse(textColumn(row[column])) as T;
}
