import {
  mappedRow,
  rowReader,
  textColumn,
  timestamp,
  type Connection,
  type Row,
  type Value,
} from '../../../../kernel/index.ts';
import type { Subject } from '../../contract.ts';
import type { Act } from '../cluster/episode.ts';
import type { AlertEvent, DeliveryRef } from '../cluster/event.ts';
import type { IncidentQuery, Maintenance, Note } from '../schema.ts';
import type { Attested, IncidentRecord } from './record.ts';
import type { changes } from '../words.ts';

/** An incident as it is listed: without its deliveries. */
export type IncidentRow = Omit<IncidentRecord, 'deliveries'>;

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

/** What can be read of incidents. */
export type IncidentReads = ReturnType<typeof incidentReading>;

/** Opens the reads of incidents. */
export function incidentReading(connection: Connection) {
  return {
    ...eventReads(connection),
    ...incidentReads(connection),
    ...incidentLists(connection),
    ...aroundReads(connection),
  };
}

function eventReads(connection: Connection) {
  const keys = connection.prepare('SELECT key, due_ms FROM ingestion_incident_keys');
  const alerts = connection.prepare('SELECT DISTINCT fingerprint FROM ingestion_incident_events WHERE key = ?');
  const events = connection.prepare('SELECT * FROM ingestion_incident_events WHERE fingerprint = ?');
  const event = connection.prepare('SELECT * FROM ingestion_incident_events WHERE event_id = ?');
  const ofIncident = connection.prepare(
    'SELECT * FROM ingestion_incident_events WHERE incident_id = ? ORDER BY occurred_ms, event_id',
  );
  const keysOf = connection.prepare(
    "SELECT DISTINCT key FROM ingestion_incident_events WHERE fingerprint = ? AND key <> ''",
  );
  const ofDelivery = connection.prepare(
    'SELECT DISTINCT fingerprint FROM ingestion_incident_events WHERE delivery_id = ?',
  );
  return {
    /** Keys that are due, and when. */
    keys: () => keys.all().map((row) => ({ key: textColumn(row['key']), due_ms: Number(row['due_ms']) })),
    /** Alerts that have an event of a key. */
    fingerprints: (key: string) => alerts.all(key).map(({ fingerprint }) => textColumn(fingerprint)),
    events: (fingerprint: string) => events.all(fingerprint).map(eventOfRow),
    event: (id: string) => mappedRow(event.get(id), eventOfRow),
    keysOf: (fingerprint: string) => keysOf.all(fingerprint).map(({ key }) => textColumn(key)),
    fingerprintsOfDelivery: (id: string) => ofDelivery.all(id).map(({ fingerprint }) => textColumn(fingerprint)),
    eventsOf: (id: string) => ofIncident.all(id).map(eventOfRow),
  };
}

function incidentReads(connection: Connection) {
  const ofKey = connection.prepare('SELECT record, merged_into FROM ingestion_incidents WHERE key = ? AND frozen = 0');
  const one = connection.prepare('SELECT record FROM ingestion_incidents WHERE incident_id = ?');
  const deliveries = connection.prepare(
    'SELECT record FROM ingestion_incident_deliveries WHERE incident_id = ? ORDER BY change_number, delivery_id',
  );
  const open = connection.prepare(
    "SELECT record FROM ingestion_incidents WHERE state <> 'resolved' AND retracted = 0 ORDER BY starts_at, incident_id",
  );
  const deliveriesOf = (id: string): readonly DeliveryRef[] => deliveries.all(id).map(record<DeliveryRef>);
  return {
    /** Incidents of a key with their deliveries; those that are frozen are left out. */
    incidents: (key: string): readonly IncidentRecord[] =>
      ofKey.all(key).map((row) => {
        const incident = record<IncidentRow>(row);
        const merged = typeof row['merged_into'] === 'string' ? { merged_into: row['merged_into'] } : {};
        return { ...incident, ...merged, deliveries: deliveriesOf(incident.incident_id) };
      }),
    incident: (id: string) => mappedRow(one.get(id), record<IncidentRow>),
    deliveries: deliveriesOf,
    open: () => open.all().map(record<IncidentRow>),
  };
}

function incidentLists(connection: Connection) {
  const statements = new Map<string, ReturnType<Connection['prepare']>>();
  const prepared = (sql: string): ReturnType<Connection['prepare']> => {
    const statement = statements.get(sql) ?? connection.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    list({ after, limit, state, component, provider, orb_id, retracted, from, to, ...equal }: IncidentQuery) {
      const unresolved = state === 'unresolved';
      const wanted: readonly (readonly [string, Value | undefined])[] = [
        ['incident_id < ?', after],
        ['state = ?', unresolved ? undefined : state],
        ['severity = ?', equal.severity],
        ['kind = ?', equal.kind],
        ['retracted = ?', retracted === undefined ? undefined : Number(retracted)],
        ['starts_at >= ?', stored(from)],
        ['starts_at < ?', stored(to)],
        [subjectOf('component'), component],
        [subjectOf('provider'), provider],
        [subjectOf('orb'), orb_id],
      ];
      const given = wanted.filter(([, value]) => value !== undefined) as (readonly [string, Value])[];
      const conditions = given.map(([condition]) => condition);
      if (unresolved) conditions.push("state <> 'resolved' AND retracted = 0");
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
      const sql = `SELECT record FROM ingestion_incidents ${where} ORDER BY incident_id DESC LIMIT ?`;
      return prepared(sql)
        .all(...given.map(([, value]) => value), limit)
        .map(record<IncidentRow>);
    },
    /** Live incidents active at some time in [from, to), of a subject when given. */
    between(from: string, to: string, subject?: Subject): readonly IncidentRow[] {
      const about = subject === undefined ? '' : `AND ${subjectOf(subject.kind)}`;
      const sql = `SELECT record FROM ingestion_incidents WHERE retracted = 0 AND starts_at < ? AND (ends_at IS NULL OR ends_at > ?) ${about} ORDER BY starts_at, incident_id`;
      const more = subject === undefined ? [] : [subject.id];
      return prepared(sql)
        .all(to, from, ...more)
        .map(record<IncidentRow>);
    },
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
  const changes = connection.prepare(
    'SELECT * FROM ingestion_incident_changes WHERE incident_id = ? ORDER BY change_number',
  );
  const acts = connection.prepare(
    'SELECT incident_id, record FROM ingestion_incident_acts WHERE incident_id = ? ORDER BY act_id',
  );
  const act = connection.prepare('SELECT incident_id, record FROM ingestion_incident_acts WHERE act_id = ?');
  const notes = connection.prepare(
    'SELECT record FROM ingestion_incident_notes WHERE incident_id = ? OR incident_id IN (SELECT incident_id FROM ingestion_incidents WHERE merged_into = ?) ORDER BY note_id',
  );
  const windows = connection.prepare(
    'SELECT record FROM ingestion_maintenance WHERE starts_at < ? AND ends_at > ? ORDER BY starts_at, maintenance_id',
  );
  const window = connection.prepare('SELECT record FROM ingestion_maintenance WHERE maintenance_id = ?');
  return {
    changes: (id: string) => changes.all(id).map(changeOfRow),
    acts: (id: string) => acts.all(id).map(actOfRow),
    act: (id: string) => mappedRow(act.get(id), actOfRow),
    /** Notes of an incident and of those merged into it, oldest first. */
    notes: (id: string) => notes.all(id, id).map(record<Note>),
    windows: (from: string, to: string) => windows.all(to, from).map(record<Maintenance>),
    window: (id: string) => mappedRow(window.get(id), record<Maintenance>),
  };
}

// Records are written by this plugin alone, from values of these types.
function record<T>(row: Row): T {
  return JSON.parse(textColumn(row['record'])) as T;
}

function eventOfRow(row: Row): AlertEvent {
  return { ...record<AlertEvent>(row), ...marksOf(row) };
}

// The column is the truth: when two incidents become one, what was decided goes along.
function actOfRow(row: Row): Act {
  return { ...record<Act>(row), incident_id: textColumn(row['incident_id']) };
}

function changeOfRow(row: Row): ChangeRow {
  return { ...record<Pick<ChangeRow, 'change' | 'facts' | 'deliveries'>>(row), ...changeHeadOf(row) };
}

type ChangeHead = Omit<ChangeRow, 'change' | 'facts' | 'deliveries'>;
const marksOf = rowReader<Pick<AlertEvent, 'incident_id' | 'act_id'>>({ properties: { incident_id: {}, act_id: {} } });
const changeHeadOf = rowReader<ChangeHead>({
  properties: { incident_id: {}, change_number: {}, at: {}, receipt_id: {} },
});
