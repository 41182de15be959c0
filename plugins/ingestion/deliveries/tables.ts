/** Tables of sources, deliveries, their bodies, signals and usage; times are RFC 3339 UTC with three decimals. */
export const deliveryTables = `
CREATE TABLE ingestion_sources (
  source_id TEXT PRIMARY KEY,
  token_hash BLOB NOT NULL UNIQUE,
  record TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE ingestion_secrets (
  source_id TEXT NOT NULL REFERENCES ingestion_sources (source_id),
  version INTEGER NOT NULL,
  sealed BLOB NOT NULL,
  not_before TEXT NOT NULL,
  not_after TEXT,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  PRIMARY KEY (source_id, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE ingestion_deliveries (
  delivery_id TEXT PRIMARY KEY,
  source_id TEXT NOT NULL REFERENCES ingestion_sources (source_id),
  vendor TEXT NOT NULL,
  delivery_key TEXT NOT NULL,
  received_at TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  duplicates INTEGER NOT NULL,
  refreshes INTEGER NOT NULL,
  method TEXT NOT NULL,
  headers TEXT NOT NULL,
  query TEXT NOT NULL,
  size INTEGER NOT NULL,
  digest TEXT NOT NULL,
  auth_strength TEXT NOT NULL,
  auth_scheme TEXT NOT NULL,
  secret_version INTEGER,
  clock_skew_ms INTEGER,
  test INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'done', 'ignored', 'dead')),
  reason TEXT,
  attempts INTEGER NOT NULL,
  leased_until TEXT,
  progress INTEGER NOT NULL,
  signals INTEGER NOT NULL,
  evidence INTEGER NOT NULL,
  normalizer_version INTEGER,
  processed_at TEXT,
  keep_until TEXT NOT NULL,
  UNIQUE (source_id, delivery_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX ingestion_deliveries_queue ON ingestion_deliveries (source_id, delivery_id) WHERE state = 'queued';
CREATE INDEX ingestion_deliveries_source ON ingestion_deliveries (source_id, delivery_id);
CREATE INDEX ingestion_deliveries_state ON ingestion_deliveries (state, delivery_id);
CREATE INDEX ingestion_deliveries_keep ON ingestion_deliveries (keep_until);
CREATE TABLE ingestion_bodies (
  delivery_id TEXT PRIMARY KEY REFERENCES ingestion_deliveries (delivery_id),
  form TEXT NOT NULL CHECK (form IN ('raw', 'gzip', 'reduced')),
  bytes BLOB NOT NULL
) STRICT;
CREATE TABLE ingestion_signals (
  signal_id TEXT PRIMARY KEY,
  delivery_id TEXT NOT NULL,
  source_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  type TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  delivery_key TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  record TEXT NOT NULL,
  withdrawn_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX ingestion_signals_delivery ON ingestion_signals (delivery_id, ordinal);
CREATE INDEX ingestion_signals_alert ON ingestion_signals (fingerprint, occurred_at, delivery_key, ordinal)
  WHERE withdrawn_at IS NULL;
CREATE TABLE ingestion_usage (
  source_id TEXT NOT NULL,
  day TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  verified INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (source_id, day, kind, name, verified)
) STRICT, WITHOUT ROWID;
`;

/** The index of the dead letters of a source. */
export const deadLetterIndex = `CREATE INDEX ingestion_deliveries_dead ON ingestion_deliveries (source_id, delivery_id)
  WHERE state = 'dead';`;

/** What came under the id of a delivery with another body, and the deliveries of a source for which something did. */
export const conflictColumns = `ALTER TABLE ingestion_deliveries ADD COLUMN conflicts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ingestion_deliveries ADD COLUMN conflicting_digest TEXT;
CREATE INDEX ingestion_deliveries_conflict ON ingestion_deliveries (source_id, delivery_id) WHERE conflicts > 0;`;

/** The index of the deliveries whose bodies are to be deleted; without those that wait or have lost theirs. */
export const dueIndex = `DROP INDEX ingestion_deliveries_keep;
CREATE INDEX ingestion_deliveries_due ON ingestion_deliveries (keep_until) WHERE evidence < 2 AND state <> 'queued';`;

/** The index of the deliveries of a source by their bytes. */
export const digestIndex =
  'CREATE INDEX ingestion_deliveries_digest ON ingestion_deliveries (source_id, digest, delivery_id);';
