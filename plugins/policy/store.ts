import { defineStore, type AwaitableReads, type Connection, type WriterScope } from '../../kernel/index.ts';
import { decisionIndexes, readingDecisions, sharedTextTables, writingDecisions } from './decisions/decision-log.ts';
import { decisionMarks } from './decisions/marks.ts';
import { readingRevisions, writingActivations } from './revisions/activations.ts';
import { readingDrafts, writingDrafts } from './revisions/drafts.ts';

const tables = `
CREATE TABLE policy_revisions (
  digest TEXT PRIMARY KEY,
  files TEXT NOT NULL,
  compiled TEXT NOT NULL,
  wasm BLOB NOT NULL,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL,
  message TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE policy_activations (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  digest TEXT NOT NULL REFERENCES policy_revisions (digest),
  at TEXT NOT NULL,
  actor TEXT NOT NULL,
  message TEXT,
  pending INTEGER NOT NULL
) STRICT;
CREATE TABLE policy_drafts (
  id TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  tests TEXT,
  message TEXT,
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE policy_decisions (
  decision_id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  at TEXT NOT NULL,
  action TEXT NOT NULL,
  allow INTEGER NOT NULL,
  orb_id TEXT NOT NULL,
  principal TEXT NOT NULL,
  revision TEXT,
  run_id TEXT,
  receipt_id TEXT,
  record TEXT NOT NULL
) STRICT;
`;

/** Read operations of the policy store. */
export type PolicyReads = AwaitableReads<ReturnType<typeof reading>>;

/** The store of revisions, drafts and the decision log. */
const policyStore = defineStore({
  name: 'policy',
  migrations: [tables, decisionIndexes, sharedTextTables, decisionMarks],
  write: writing,
  read: reading,
});

export default policyStore;

function writing(scope: WriterScope) {
  const { connection } = scope;
  const { dropTaken, ...drafts } = writingDrafts(connection);
  const { batches, operations } = writingDecisions(scope);
  return { operations: { ...writingActivations(connection, dropTaken), ...drafts, ...operations }, ...batches };
}

function reading(connection: Connection) {
  return { ...readingRevisions(connection), ...readingDrafts(connection), ...readingDecisions(connection) };
}
