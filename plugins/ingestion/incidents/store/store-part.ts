import type { WriterScope } from '../../../../kernel/index.ts';
import { incidentReading } from './reading.ts';
import { incidentWriting } from './writing.ts';

/** Tables of incidents, part of the plugin's single store. */
export const incidentTables = `
CREATE TABLE ingestion_incident_events (
  event_id TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  key TEXT NOT NULL,
  delivery_id TEXT,
  occurred_ms INTEGER NOT NULL,
  incident_id TEXT,
  act_id TEXT,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ingestion_incident_events_alert ON ingestion_incident_events (fingerprint, key);
CREATE INDEX ingestion_incident_events_key ON ingestion_incident_events (key, fingerprint);
CREATE INDEX ingestion_incident_events_incident ON ingestion_incident_events (incident_id);
CREATE INDEX ingestion_incident_events_delivery ON ingestion_incident_events (delivery_id);
CREATE TABLE ingestion_incident_keys (
  key TEXT PRIMARY KEY,
  due_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE ingestion_incidents (
  incident_id TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  severity TEXT NOT NULL,
  retracted INTEGER NOT NULL,
  frozen INTEGER NOT NULL,
  starts_at TEXT NOT NULL,
  ends_at TEXT,
  updated_at TEXT NOT NULL,
  merged_into TEXT,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ingestion_incidents_key ON ingestion_incidents (key);
CREATE INDEX ingestion_incidents_state ON ingestion_incidents (state, incident_id);
CREATE INDEX ingestion_incidents_end ON ingestion_incidents (ends_at);
CREATE INDEX ingestion_incidents_merged ON ingestion_incidents (merged_into);
CREATE TABLE ingestion_incident_scopes (
  incident_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (kind, id, incident_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE ingestion_incident_changes (
  incident_id TEXT NOT NULL,
  change_number INTEGER NOT NULL,
  at TEXT NOT NULL,
  receipt_id TEXT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (incident_id, change_number)
) STRICT, WITHOUT ROWID;
CREATE TABLE ingestion_incident_deliveries (
  incident_id TEXT NOT NULL,
  delivery_id TEXT NOT NULL,
  change_number INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (incident_id, delivery_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE ingestion_incident_acts (
  act_id TEXT PRIMARY KEY,
  incident_id TEXT NOT NULL,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ingestion_incident_acts_incident ON ingestion_incident_acts (incident_id);
CREATE TABLE ingestion_incident_notes (
  note_id TEXT PRIMARY KEY,
  incident_id TEXT NOT NULL,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ingestion_incident_notes_incident ON ingestion_incident_notes (incident_id);
CREATE TABLE ingestion_maintenance (
  maintenance_id TEXT PRIMARY KEY,
  starts_at TEXT NOT NULL,
  ends_at TEXT NOT NULL,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;

/** The index of the incidents that are not resolved: among years of resolved ones there are few. */
export const unresolvedIndex = `CREATE INDEX ingestion_incidents_unresolved ON ingestion_incidents (incident_id)
  WHERE state <> 'resolved' AND retracted = 0;`;

/** Columns of events. Older events have neither: their deliveries say when they were seen. */
export const seenColumns = `ALTER TABLE ingestion_incident_events ADD COLUMN seen_ms INTEGER;
ALTER TABLE ingestion_incident_events ADD COLUMN state TEXT;
CREATE INDEX ingestion_incident_events_place ON ingestion_incident_events (fingerprint, occurred_ms);`;

/** The incident part of the plugin's single store. */
export const incidentPart = {
  name: 'ingestion',
  write: ({ connection }: WriterScope) => ({ operations: incidentWriting(connection) }),
  read: incidentReading,
} as const;
