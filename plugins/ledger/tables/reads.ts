import { given, queriesOf, textColumn, type AwaitableReads, type Connection, type Row } from '../../../kernel/index.ts';
import type { Position } from '../../receipts/contract.ts';
import type { SnapshotRef, TierEvent } from '../contract.ts';
import type { DecidedAt } from '../projection/order.ts';
import type { SnapshotOrb } from '../projection/snapshot.ts';
import type { StoredState } from '../projection/state.ts';
import { callerCounts, type DayCounter, type DayDelta, type MinuteRange } from '../projection/tallies.ts';
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
  const signatures = queriesOf(connection).list<[string, string], []>(
    'SELECT orb_id, envelope FROM ledger_signatures',
    ({ orb_id, envelope }) => [textColumn(orb_id), textColumn(envelope)],
  );
  return {
    ...countReads(connection),
    ...snapshotReads(connection),
    state: stateRead(connection, cursors),
    cursors,
    signatures: (): ReadonlyMap<string, string> => new Map(signatures()),
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
  const { find, list } = queriesOf(connection);
  const rows = list<CursorRow, []>('SELECT origin, idx, newest, first FROM ledger_cursors ORDER BY origin', indexed);
  const one = find<Position, []>('SELECT origin, idx FROM ledger_cursor WHERE id = 1', indexed);
  return () => {
    const found = rows();
    return { rows: found, ...given({ before: found.length > 0 ? undefined : one() }) };
  };
}

// PostgreSQL sums integers to another type.
const sum = (column: string): string => `CAST(SUM(${column}) AS BIGINT) AS ${column}`;

type Days = readonly [orbId: string, from: number, to: number];

function countReads(connection: Connection) {
  const { list } = queriesOf(connection);
  const ofDays = 'FROM ledger_caller_days WHERE orb_id = ? AND day BETWEEN ? AND ?';
  const minutes = list<ProviderMinutes, Days>(
    `SELECT provider, ${sum('n')}, ${sum('fault')} FROM ledger_minutes
     WHERE orb_id = ? AND minute BETWEEN ? AND ? GROUP BY provider ORDER BY provider`,
    asIs,
  );
  const sums = list<Omit<DayCounts, 'others'>, Days>(
    `SELECT day, COUNT(*) AS callers, ${callerCounts.map(sum).join(', ')} ${ofDays} AND ok + fault > 0 GROUP BY day`,
    asIs,
  );
  const others = list<Omit<DayDelta, 'orb_id'>, Days>(
    'SELECT day, name, n FROM ledger_days WHERE orb_id = ? AND day BETWEEN ? AND ?',
    asIs,
  );
  const othersOf = (...days: Days): readonly DayOthers[] =>
    [...Map.groupBy(others(...days), ({ day }) => day)].map(([day, counts]) => ({
      day,
      others: Object.fromEntries(counts.map(({ name, n }) => [name, n])),
    }));
  return {
    callerDays: list<CallerDay, Days>(`SELECT day, caller, ${callerCounts.join(', ')} ${ofDays}`, asIs),
    minutes,
    /** Reads the counts of many ranges of minutes, in their order. */
    minutesOf: (ranges: readonly MinuteRange[]): readonly (readonly ProviderMinutes[])[] =>
      ranges.map(({ orb_id, from, to }) => minutes(orb_id, from, to)),
    /** Reads what does not count in a score, of the days with such counts. */
    othersOf,
    /** Reads the days with counts, oldest first. */
    dayCounts(...range: Days): readonly DayCounts[] {
      const days = new Map(sums(...range).map((row): [number, DayCounts] => [row.day, { ...row, others: {} }]));
      for (const one of othersOf(...range)) days.set(one.day, { ...(days.get(one.day) ?? withoutCallers), ...one });
      return [...days.values()].sort((a, b) => a.day - b.day);
    },
  };
}

function snapshotReads(connection: Connection) {
  const { find, list } = queriesOf(connection);
  const wrong = list<KeptSnapshot, []>(
    `SELECT body FROM ledger_snapshots WHERE body LIKE '%"recomputed":%' ORDER BY day`,
    body,
  );
  return {
    lastSnapshot: find<KeptSnapshot, []>('SELECT body FROM ledger_snapshots ORDER BY day DESC LIMIT 1', body),
    snapshot: find<KeptSnapshot>('SELECT body FROM ledger_snapshots WHERE day = ?', body),
    /** Reads the snapshots after a day (`''`: all), oldest first. */
    snapshotsAfter: list<KeptSnapshot, [day: string, limit: number]>(
      'SELECT body FROM ledger_snapshots WHERE day > ? ORDER BY day LIMIT ?',
      body,
    ),
    /** Reads the rows of the Orbs in the snapshot of a day. */
    snapshotOrbs: list<SnapshotOrb>('SELECT body FROM ledger_snapshot_orbs WHERE day = ? ORDER BY orb_id', body),
    /** Reads the rows of one Orb with the digests of their snapshots, oldest first; days as text, both ends included. */
    history: list<
      Readonly<{ day: string; row: SnapshotOrb; digest: string }>,
      [orbId: string, from: string, to: string]
    >(
      `SELECT o.day, o.body, s.body AS snapshot FROM ledger_snapshot_orbs o JOIN ledger_snapshots s ON s.day = o.day
       WHERE o.orb_id = ? AND o.day BETWEEN ? AND ? ORDER BY o.day`,
      ({ day, snapshot, ...row }) => ({
        day: textColumn(day),
        row: body(row),
        digest: body<KeptSnapshot>({ body: snapshot ?? null }).digest,
      }),
    ),
    events: list<TierEvent>('SELECT body FROM ledger_events WHERE orb_id = ? ORDER BY number', body),
    /** Reads the days of snapshots for which this ledger computed a different digest. */
    mismatches: () => wrong().flatMap(({ day, recomputed }) => (recomputed === undefined ? [] : [day])),
  };
}

function stateRead(connection: Connection, cursors: () => Cursors): () => StoredState {
  const { list } = queriesOf(connection);
  const documents = list<Row, []>('SELECT kind, body FROM ledger_documents', asIs);
  const deciders = list<DecidedAt, []>('SELECT kind, id, origin, idx, receipt_id FROM ledger_deciders', indexed);
  return () => {
    const all = Map.groupBy(documents(), ({ kind }) => textColumn(kind));
    const read = <T>(kind: string): readonly T[] => (all.get(kind) ?? []).map(body<T>);
    return {
      deciders: deciders(),
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

// Only this store writes these rows, from values of these types; the columns of its tables have their types.
function asIs<T>(row: Row): T {
  return row as unknown as T;
}

function indexed<T>({ idx, ...row }: Row): T {
  return { ...row, index: Number(idx) } as unknown as T;
}

function body<T>({ body: text }: Row): T {
  return JSON.parse(textColumn(text)) as T;
}
