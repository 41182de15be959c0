import type { Connection, Row } from '../../../kernel/index.ts';
import type { Position } from '../../receipts/contract.ts';
import type { NamespaceGrant, SnapshotRef, TierEvent } from '../contract.ts';
import type { OrbState } from '../projection/orb.ts';
import { newState, type Refused, type State } from '../projection/projection.ts';
import type { SnapshotOrb } from '../projection/snapshot.ts';
import type { DayCounter, Tallies } from '../projection/tallies.ts';
import type { Incident } from '../score/debt.ts';
import type { CallerDay } from '../score/totals.ts';

/** A snapshot as it is kept. */
export interface KeptSnapshot extends SnapshotRef {
  /** Digest that this ledger computed, when it is another than the attested one. */
  readonly recomputed?: string;
}

/** Counts of one day of an Orb. */
export interface DayCounts {
  readonly day: number;
  readonly callers: number;
  readonly ok: number;
  readonly fault: number;
  readonly broken: number;
  readonly fast: number;
  readonly slow: number;
  readonly others: Readonly<Partial<Record<DayCounter, number>>>;
}

/** What is read of the ledger's tables; days since the epoch. */
export interface LedgerReads extends Tallies {
  cursor(): Position | undefined;
  state(): State;
  signatures(): ReadonlyMap<string, string>;
  /** The last snapshot; undefined before the first. */
  lastSnapshot(): KeptSnapshot | undefined;
  snapshot(day: string): KeptSnapshot | undefined;
  /** After a day (`''`: from the first on), oldest first. */
  snapshotsAfter(day: string, limit: number): readonly KeptSnapshot[];
  /** Rows of the Orbs in the snapshot of a day. */
  snapshotOrbs(day: string): readonly SnapshotOrb[];
  /** Rows of one Orb, oldest first; days as text, both ends included. */
  history(orbId: string, from: string, to: string): readonly { readonly day: string; readonly row: SnapshotOrb }[];
  events(orbId: string): readonly TierEvent[];
  /** Days with counts, oldest first. */
  dayCounts(orbId: string, from: number, to: number): readonly DayCounts[];
  /** Snapshots whose digest this ledger computes otherwise. */
  mismatches(): readonly string[];
}

/** Prepares the reads on a connection. */
export function ledgerReads(connection: Connection): LedgerReads {
  const cursor = connection.prepare('SELECT origin, idx FROM ledger_cursor WHERE id = 1');
  const signatures = connection.prepare('SELECT orb_id, envelope FROM ledger_signatures');
  return {
    ...countReads(connection),
    ...snapshotReads(connection),
    state: stateRead(connection),
    cursor() {
      const row = cursor.get();
      return row === undefined ? undefined : { origin: text(row, 'origin'), index: Number(row['idx']) };
    },
    signatures: () => new Map(signatures.all().map((row) => [text(row, 'orb_id'), text(row, 'envelope')])),
  };
}

function countReads(connection: Connection) {
  const callerDays = connection.prepare(
    'SELECT day, caller, ok, fault, broken, fast, slow FROM ledger_caller_days WHERE orb_id = ? AND day BETWEEN ? AND ?',
  );
  const minutes = connection.prepare(
    `SELECT provider, SUM(n) AS n, SUM(fault) AS fault FROM ledger_minutes
     WHERE orb_id = ? AND minute BETWEEN ? AND ? GROUP BY provider ORDER BY provider`,
  );
  const sums = connection.prepare(
    `SELECT day, COUNT(*) AS callers, SUM(ok) AS ok, SUM(fault) AS fault, SUM(broken) AS broken, SUM(fast) AS fast,
       SUM(slow) AS slow FROM ledger_caller_days WHERE orb_id = ? AND day BETWEEN ? AND ? AND ok + fault > 0 GROUP BY day`,
  );
  const others = connection.prepare('SELECT day, name, n FROM ledger_days WHERE orb_id = ? AND day BETWEEN ? AND ?');
  return {
    // The columns are INTEGER in STRICT tables.
    callerDays: (orbId: string, from: number, to: number) =>
      callerDays.all(orbId, from, to) as unknown as readonly CallerDay[],
    minutes: (orbId: string, from: number, to: number) =>
      minutes.all(orbId, from, to) as unknown as ReturnType<Tallies['minutes']>,
    dayCounts(orbId: string, from: number, to: number): readonly DayCounts[] {
      const days = new Map<number, DayCounts>();
      for (const row of sums.all(orbId, from, to) as unknown as Omit<DayCounts, 'others'>[])
        days.set(row.day, { ...row, others: {} });
      for (const { day, name, n } of others.all(orbId, from, to) as unknown as {
        day: number;
        name: DayCounter;
        n: number;
      }[]) {
        const known = days.get(day) ?? { day, callers: 0, ok: 0, fault: 0, broken: 0, fast: 0, slow: 0, others: {} };
        days.set(day, { ...known, others: { ...known.others, [name]: n } });
      }
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
    'SELECT day, body FROM ledger_snapshot_orbs WHERE orb_id = ? AND day BETWEEN ? AND ? ORDER BY day',
  );
  const events = connection.prepare('SELECT body FROM ledger_events WHERE orb_id = ? ORDER BY number');
  const wrong = connection.prepare(
    "SELECT day FROM ledger_snapshots WHERE json_extract(body, '$.recomputed') IS NOT NULL ORDER BY day",
  );
  const optional = (row: Row | undefined) => (row === undefined ? undefined : parsed<KeptSnapshot>(row));
  return {
    lastSnapshot: () => optional(last.get()),
    snapshot: (day: string) => optional(one.get(day)),
    snapshotsAfter: (day: string, limit: number) => after.all(day, limit).map((row) => parsed<KeptSnapshot>(row)),
    snapshotOrbs: (day: string) => orbs.all(day).map((row) => parsed<SnapshotOrb>(row)),
    history: (orbId: string, from: string, to: string) =>
      history.all(orbId, from, to).map((row) => ({ day: text(row, 'day'), row: parsed<SnapshotOrb>(row) })),
    events: (orbId: string) => events.all(orbId).map((row) => parsed<TierEvent>(row)),
    mismatches: () => wrong.all().map((row) => text(row, 'day')),
  };
}

function stateRead(connection: Connection): () => State {
  const documents = connection.prepare('SELECT kind, body FROM ledger_documents');
  return () => {
    const state = newState();
    for (const row of documents.all()) {
      switch (row['kind']) {
        case 'orb': {
          const orb = parsed<OrbState>(row);
          state.orbs.set(orb.orb_id, orb);
          break;
        }
        case 'incident': {
          const incident = parsed<Incident>(row);
          state.incidents.set(incident.incident_id, incident);
          break;
        }
        case 'namespace': {
          const grant = parsed<NamespaceGrant>(row);
          state.namespaces.set(grant.namespace, grant);
          break;
        }
        default: {
          const refused = parsed<Refused>(row);
          state.refused.set(refused.receipt_id, refused);
        }
      }
    }
    return state;
  };
}

// Written by this store alone, from values of these types.
function parsed<T>(row: Row): T {
  return JSON.parse(text(row, 'body')) as T;
}

function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`ledger: the column ${column} must be text`);
  return value;
}
