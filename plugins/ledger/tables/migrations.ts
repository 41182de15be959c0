/** Tables of the projection; all except the secret and the signatures can be deleted and rebuilt from the log. */
export const ledgerMigration = `
CREATE TABLE ledger_secret (id INTEGER PRIMARY KEY CHECK (id = 1), sealed BLOB NOT NULL) STRICT;
CREATE TABLE ledger_signatures (orb_id TEXT PRIMARY KEY, envelope TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE ledger_cursor (
  id INTEGER PRIMARY KEY CHECK (id = 1), origin TEXT NOT NULL, idx INTEGER NOT NULL
) STRICT;
CREATE TABLE ledger_caller_days (
  orb_id TEXT NOT NULL, day INTEGER NOT NULL, caller TEXT NOT NULL, ok INTEGER NOT NULL, fault INTEGER NOT NULL,
  broken INTEGER NOT NULL, fast INTEGER NOT NULL, slow INTEGER NOT NULL, PRIMARY KEY (orb_id, day, caller)
) STRICT, WITHOUT ROWID;
CREATE TABLE ledger_minutes (
  orb_id TEXT NOT NULL, minute INTEGER NOT NULL, provider TEXT NOT NULL, n INTEGER NOT NULL, fault INTEGER NOT NULL,
  PRIMARY KEY (orb_id, minute, provider)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_minutes_old ON ledger_minutes (minute);
CREATE TABLE ledger_days (
  orb_id TEXT NOT NULL, day INTEGER NOT NULL, name TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (orb_id, day, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE ledger_documents (
  kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE ledger_events (
  number INTEGER PRIMARY KEY AUTOINCREMENT, orb_id TEXT NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE INDEX ledger_events_of ON ledger_events (orb_id, number);
CREATE TABLE ledger_snapshots (day TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE ledger_snapshot_orbs (
  orb_id TEXT NOT NULL, day TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (orb_id, day)
) STRICT, WITHOUT ROWID;
`;

/**
 * A position in each shard of the log, and the entries that decided a value, since shards are read in no fixed order.
 * `newest`: greatest receipt id of a shard; `first`: smallest since the last snapshot. The one position of before is
 * read until the first batch: `ledger_cursor` is empty from then on.
 */
export const cursorsMigration = `
CREATE TABLE ledger_cursors (
  origin TEXT PRIMARY KEY, idx INTEGER NOT NULL, newest TEXT NOT NULL, first TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE ledger_deciders (
  kind TEXT NOT NULL, id TEXT NOT NULL, origin TEXT NOT NULL, idx INTEGER NOT NULL, receipt_id TEXT NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
`;
