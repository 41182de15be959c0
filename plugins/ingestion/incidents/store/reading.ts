import {
  queriesOf,
  rowReader,
  textColumn,
  timestamp,
  type AwaitableReads,
  type Connection,
  type PageFilter,
  type Row,
} from '../../../../kernel/index.ts';
import type { Subject } from '../../contract.ts';
import type { Act, Attested, IncidentRecord, IncidentRow } from '../model/record.ts';
import { placeOf, type AlertEvent, type DeliveryRef, type Place } from '../model/event.ts';
import type { IncidentQuery, Maintenance, Note } from '../model/schema.ts';
import { groupReading } from '../model/group.ts';
import { lastWordReads } from './alert-changes.ts';
import type { changes } from '../../fact.ts';

/** One attested change of an incident. */
export interface ChangeRow {
  readonly incident_id: string;
  readonly change_number: number;
  readonly at: string;
  readonly receipt_id: string;
  readonly change: (typeof changes)[number];
  readonly facts: Attested;
  readonly deliveries: readonly DeliveryRef[];
}

/** Reads of incidents. */
export type IncidentReads = AwaitableReads<ReturnType<typeof incidentReading>>;

/** Prepares the reads of incidents. */
export function incidentReading(connection: Connection) {
  const parts = {
    ...eventReads(connection),
    ...incidentReads(connection),
    ...incidentLists(connection),
    ...aroundReads(connection),
    ...lastWordReads(connection),
  };
  const noted = (row: IncidentRow): NotedIncident => ({ row, notes: parts.notes(row.incident_id) });
  return {
    ...parts,
    /** Reads all that the fold of a key needs. */
    group: groupReading(parts),
    noted: (id: string): NotedIncident | undefined => {
      const row = parts.incident(id);
      return row === undefined ? undefined : noted(row);
    },
    openNoted: () => parts.open().map(noted),
    /** Lists the incidents of a time, with notes; with `subjects` only those about one of them. Oldest first. */
    betweenNoted(from: string, to: string, subjects?: readonly Subject[]): readonly NotedIncident[] {
      if (subjects === undefined) return parts.between(from, to).map(noted);
      const found = subjects.flatMap((subject) => parts.between(from, to, subject));
      const each = [...new Map(found.map((row) => [row.incident_id, row])).values()];
      return each.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)).map(noted);
    },
    /** Lists what concerned each of some subjects in a time, in their order, and all windows of that time. */
    history: (subjects: readonly Subject[], from: string, to: string) => ({
      incidents: subjects.map((subject) => parts.between(from, to, subject)),
      windows: parts.windows(from, to),
    }),
    /** Finds the newest event of each alert of a key. */
    newestOf: (key: string): readonly AlertEvent[] =>
      parts.fingerprints(key).flatMap((fingerprint) => newest(parts.events(fingerprint)) ?? []),
    eventsWith: (ids: readonly string[]) => ids.flatMap((id) => parts.event(id) ?? []),
    /** Lists events of alerts at times, each once. */
    eventsAt: (places: readonly Place[]): readonly AlertEvent[] => {
      const each = new Map(places.map((place) => [placeOf(place), place]));
      return parts.eventsOfPlaces([...each.values()].map(({ fingerprint, occurred_ms }) => [fingerprint, occurred_ms]));
    },
    keysOfEach: (fingerprints: readonly string[]) => fingerprints.flatMap((fingerprint) => parts.keysOf(fingerprint)),
  };
}

// As SQL orders them.
function orderOf({ facts, incident_id }: IncidentRow): string {
  return `${facts.starts_at} ${incident_id}`;
}

/** Finds the newest of an alert's events. */
export function newest(events: readonly AlertEvent[]): AlertEvent | undefined {
  return [...events].sort((a, b) => a.occurred_ms - b.occurred_ms).at(-1);
}

/** An incident with its notes. */
export type NotedIncident = { readonly row: IncidentRow; readonly notes: readonly Note[] };

// Events from before the column was: their deliveries say when they were seen.
const came = `CASE WHEN seen_ms IS NULL
  THEN (SELECT last_seen_at FROM ingestion_deliveries d WHERE d.delivery_id = ingestion_incident_events.delivery_id) END`;
const events = `SELECT record, incident_id, act_id, seen_ms, ${came} AS came_at FROM ingestion_incident_events WHERE`;
// What one alert can say of one moment: its states with their severities, and a few changes of its source.
const mostSaid = 50;
const ofPlace = `SELECT record, incident_id, act_id, seen_ms, came_at
  FROM (${events} fingerprint = ? AND occurred_ms = ? LIMIT ${mostSaid}) AS said`;
const alerts = 'SELECT DISTINCT fingerprint FROM ingestion_incident_events WHERE';

function eventReads(connection: Connection) {
  const { each, find, list } = queriesOf(connection);
  const fingerprintOf = ({ fingerprint }: Row): string => textColumn(fingerprint);
  return {
    keys: list<DueKey, []>('SELECT key, due_ms FROM ingestion_incident_keys', keyOf),
    fingerprints: list(`${alerts} key = ?`, fingerprintOf),
    events: list(`${events} fingerprint = ?`, eventOfRow),
    event: find(`${events} event_id = ?`, eventOfRow),
    keysOf: list(
      "SELECT DISTINCT key FROM ingestion_incident_events WHERE fingerprint = ? AND key <> ''",
      ({ key }: Row) => textColumn(key),
    ),
    eventsOfPlaces: each<AlertEvent, readonly [fingerprint: string, occurredMs: number]>(ofPlace, eventOfRow),
    eventsOf: list(`${events} incident_id = ? ORDER BY occurred_ms, event_id`, eventOfRow),
  };
}

function incidentReads(connection: Connection) {
  const { find, list } = queriesOf(connection);
  const deliveries = list(
    'SELECT record FROM ingestion_incident_deliveries WHERE incident_id = ? ORDER BY change_number, delivery_id',
    record<DeliveryRef>,
  );
  return {
    incidents: list(
      'SELECT record, merged_into FROM ingestion_incidents WHERE key = ? AND frozen = 0',
      (row): IncidentRecord => {
        const incident = record<IncidentRow>(row);
        const merged = typeof row['merged_into'] === 'string' ? { merged_into: row['merged_into'] } : {};
        return { ...incident, ...merged, deliveries: deliveries(incident.incident_id) };
      },
    ),
    incident: find('SELECT record FROM ingestion_incidents WHERE incident_id = ?', record<IncidentRow>),
    deliveries,
    open: list<IncidentRow, []>(
      "SELECT record FROM ingestion_incidents WHERE state <> 'resolved' AND retracted = 0 ORDER BY starts_at, incident_id",
      record,
    ),
  };
}

function incidentLists(connection: Connection) {
  const { filter, list, pages } = queriesOf(connection);
  const table = { table: 'ingestion_incidents', id: 'incident_id' };
  const newest = pages({ select: 'ingestion_incidents.record', ...table, read: record<IncidentRow> });
  const oldest = filter('SELECT record FROM ingestion_incidents', 'starts_at, incident_id', record<IncidentRow>);
  return {
    list({ after, limit, state, severity, kind, component, provider, orb_id, retracted, from, to }: IncidentQuery) {
      const unresolved = state === 'unresolved';
      return newest({
        indexed: [
          { where: "state <> 'resolved' AND retracted = 0", values: unresolved ? [] : undefined },
          { where: 'state = ?', values: unresolved ? undefined : state },
          bySubject('component', component),
          bySubject('provider', provider),
          bySubject('orb', orb_id),
        ],
        tried: [
          { where: 'severity = ?', values: severity },
          { where: 'ingestion_incidents.kind = ?', values: kind },
          { where: 'retracted = ?', values: retracted === undefined ? undefined : Number(retracted) },
          // An incident can have begun before it was recorded, so its id does not show its start.
          { where: 'starts_at >= ?', values: stored(from) },
          { where: 'starts_at < ?', values: stored(to) },
        ],
        ...{ before: after, limit },
      });
    },
    /** Lists the newest incidents by id and title. */
    titles: list<{ readonly id: string; readonly name: string }, [most: number]>(
      'SELECT incident_id, record FROM ingestion_incidents ORDER BY incident_id DESC LIMIT ?',
      (row) => ({
        id: textColumn(row['incident_id']),
        name: record<IncidentRow>(row).shown.title,
      }),
    ),
    between(from: string, to: string, subject?: Subject): readonly IncidentRow[] {
      const about: Parameters<typeof oldest>[0] = subject === undefined ? [] : [[subjectOf(subject.kind), subject.id]];
      return oldest([['retracted = 0 AND starts_at < ?', to], ['(ends_at IS NULL OR ends_at > ?)', from], ...about]);
    },
  };
}

function bySubject(kind: Subject['kind'], id: string | undefined): PageFilter {
  const table = 'ingestion_incident_scopes';
  const where = `${table}.id = ? AND ${table}.kind = '${kind}'`;
  const same = `${table}.incident_id = ingestion_incidents.incident_id`;
  return {
    // One row by its whole key: for EXISTS, PostgreSQL may read all rows of the subject first.
    where: `(SELECT 1 FROM ${table} WHERE ${where} AND ${same}) = 1`,
    values: id,
    by: { table, where, id: 'incident_id' },
  };
}

function subjectOf(kind: Subject['kind']): string {
  return `incident_id IN (SELECT incident_id FROM ingestion_incident_scopes WHERE kind = '${kind}' AND id = ?)`;
}

// Stored times are UTC with three decimals and compare as text.
function stored(time: string | undefined): string | undefined {
  return time === undefined ? undefined : timestamp(Date.parse(time));
}

function aroundReads(connection: Connection) {
  const { find, list } = queriesOf(connection);
  const acts = 'SELECT incident_id, record FROM ingestion_incident_acts WHERE';
  const windows = 'SELECT record FROM ingestion_maintenance WHERE';
  const notes = list<Note, [id: string, into: string]>(
    'SELECT record FROM ingestion_incident_notes WHERE incident_id = ? OR incident_id IN (SELECT incident_id FROM ingestion_incidents WHERE merged_into = ?) ORDER BY note_id',
    record,
  );
  const around = list<Maintenance, [to: string, from: string]>(
    `${windows} starts_at < ? AND ends_at > ? ORDER BY starts_at, maintenance_id`,
    record,
  );
  return {
    changes: list(
      'SELECT incident_id, change_number, at, receipt_id, record FROM ingestion_incident_changes WHERE incident_id = ? ORDER BY change_number',
      (row) => ({ ...record<Pick<ChangeRow, 'change' | 'facts' | 'deliveries'>>(row), ...changeHeadOf(row) }),
    ),
    acts: list(`${acts} incident_id = ? ORDER BY act_id`, actOfRow),
    act: find(`${acts} act_id = ?`, actOfRow),
    notes: (id: string) => notes(id, id),
    windows: (from: string, to: string) => around(to, from),
    window: find(`${windows} maintenance_id = ?`, record<Maintenance>),
  };
}

// This plugin alone writes the records, from values of these types.
function record<T>(row: Row): T {
  return JSON.parse(textColumn(row['record'])) as T;
}

function eventOfRow(row: Row): AlertEvent {
  const { came_at, ...marks } = marksOf(row);
  const seen = came_at === undefined ? {} : { seen_ms: Date.parse(came_at) };
  return { ...record<AlertEvent>(row), ...seen, ...marks };
}

// The column is authoritative: when two incidents are merged, acts move with the column only.
function actOfRow(row: Row): Act {
  return { ...record<Act>(row), incident_id: textColumn(row['incident_id']) };
}

type ChangeHead = Omit<ChangeRow, 'change' | 'facts' | 'deliveries'>;
type DueKey = { readonly key: string; readonly due_ms: number };
const keyOf = rowReader<DueKey>({ properties: { key: {}, due_ms: {} } });
const marksOf = rowReader<Pick<AlertEvent, 'incident_id' | 'act_id' | 'seen_ms'> & { readonly came_at?: string }>({
  properties: { incident_id: {}, act_id: {}, seen_ms: {}, came_at: {} },
});
const changeHeadOf = rowReader<ChangeHead>({
  properties: { incident_id: {}, change_number: {}, at: {}, receipt_id: {} },
});
