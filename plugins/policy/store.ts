import { defineStore, type Connection, type Row, type Value, type WriterScope } from '../../kernel/index.ts';
import type { Compiled, PolicyFile, Revision } from './revision.ts';

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

/** A draft: a policy file that is not active. */
export interface Draft {
  readonly id: string;
  readonly source: string;
  readonly tests?: string;
  readonly message?: string;
  readonly updated_at: string;
  readonly updated_by: string;
}

/** One coming into force. `pending`: the folder may not hold it yet. */
export interface Activation {
  readonly digest: string;
  readonly at: string;
  /** Principal id, or `folder`. */
  readonly actor: string;
  readonly message?: string;
  readonly pending: boolean;
}

/** One row of the decision log; `record`: JSON text of the rest. */
export interface DecisionRow {
  readonly decision_id: string;
  readonly tenant: string;
  readonly at: string;
  readonly action: string;
  readonly allow: boolean;
  readonly orb_id: string;
  readonly principal: string;
  readonly revision: string | null;
  readonly run_id: string | null;
  readonly receipt_id: string | null;
  readonly record: string;
}

/** Which decisions are listed, newest first. */
export interface DecisionQuery {
  readonly tenant?: string;
  readonly action?: string;
  readonly allow?: boolean;
  readonly orb_id?: string;
  readonly principal?: string;
  readonly revision?: string;
  readonly from?: string;
  readonly to?: string;
  readonly after?: string;
  readonly limit: number;
}

/** A revision in a list. */
export interface RevisionRow {
  readonly digest: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly message?: string;
}

/** What can be read of policies. */
export interface PolicyReads {
  revision(digest: string): Revision | undefined;
  revisionRow(digest: string): RevisionRow | undefined;
  revisions(): readonly RevisionRow[];
  /** Newest first. */
  activations(limit: number): readonly Activation[];
  drafts(): readonly Draft[];
  draft(id: string): Draft | undefined;
  decision(id: string): DecisionRow | undefined;
  decisions(query: DecisionQuery): readonly DecisionRow[];
}

/** The store of revisions, drafts and the decision log. */
const policyStore = defineStore({
  name: 'policy',
  migrations: [tables],
  write: ({ connection }: WriterScope) => ({ operations: writing(connection) }),
  read: reading,
});

export default policyStore;

/** A revision coming into force, with all that is needed to serve it again. */
export interface ActivateArgs {
  readonly digest: string;
  readonly files: readonly PolicyFile[];
  readonly compiled: Omit<Compiled, 'wasm'>;
  readonly wasm: Uint8Array;
  readonly at: string;
  readonly actor: string;
  readonly message: string | null;
  readonly pending: boolean;
}

function writing(connection: Connection) {
  const revise = connection.prepare(
    'INSERT INTO policy_revisions (digest, files, compiled, wasm, created_at, created_by, message) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET compiled = excluded.compiled, wasm = excluded.wasm',
  );
  const activate = connection.prepare(
    'INSERT INTO policy_activations (digest, at, actor, message, pending) VALUES (?, ?, ?, ?, ?)',
  );
  const settle = connection.prepare('UPDATE policy_activations SET pending = 0 WHERE pending = 1');
  const withdraw = connection.prepare('DELETE FROM policy_activations WHERE pending = 1');
  const dropDraft = connection.prepare('DELETE FROM policy_drafts WHERE id = ?');
  const putDraft = connection.prepare(
    'INSERT OR REPLACE INTO policy_drafts (id, source, tests, message, updated_at, updated_by) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const decide = connection.prepare(
    'INSERT OR REPLACE INTO policy_decisions (decision_id, tenant, at, action, allow, orb_id, principal, revision, run_id, receipt_id, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const prune = connection.prepare('DELETE FROM policy_decisions WHERE decision_id < ?');
  return {
    activate(args: ActivateArgs): null {
      const { digest, files, compiled, wasm, at, actor, message } = args;
      revise.run(digest, JSON.stringify(files), JSON.stringify(compiled), wasm, at, actor, message);
      activate.run(digest, at, actor, message, args.pending ? 1 : 0);
      return null;
    },
    /** The folder holds it: the drafts it took up are gone. */
    settle({ drafts }: { readonly drafts: readonly string[] }): null {
      settle.run();
      for (const id of drafts) dropDraft.run(id);
      return null;
    },
    withdraw: (_: null): null => (withdraw.run(), null),
    dropDraft: ({ id }: { readonly id: string }): boolean => dropDraft.run(id) > 0,
    putDraft({ id, source, tests, message, updated_at, updated_by }: Draft): null {
      putDraft.run(id, source, tests ?? null, message ?? null, updated_at, updated_by);
      return null;
    },
    decide(row: DecisionRow): null {
      const { decision_id, tenant, at, action, allow, orb_id, principal, revision, run_id, receipt_id, record } = row;
      const head = [decision_id, tenant, at, action, allow ? 1 : 0, orb_id, principal] as const;
      decide.run(...head, revision, run_id, receipt_id, record);
      return null;
    },
    /** Forgets decisions made before an id. */
    prune: ({ before }: { readonly before: string }): number => prune.run(before),
  };
}

function reading(connection: Connection): PolicyReads {
  const revision = connection.prepare('SELECT * FROM policy_revisions WHERE digest = ?');
  const revisions = connection.prepare(
    'SELECT digest, created_at, created_by, message FROM policy_revisions ORDER BY created_at DESC, digest LIMIT 1000',
  );
  const activations = connection.prepare('SELECT * FROM policy_activations ORDER BY number DESC LIMIT ?');
  const drafts = connection.prepare('SELECT * FROM policy_drafts ORDER BY id');
  const draft = connection.prepare('SELECT * FROM policy_drafts WHERE id = ?');
  const decision = connection.prepare('SELECT * FROM policy_decisions WHERE decision_id = ?');
  const statements = new Map<string, ReturnType<Connection['prepare']>>();
  return {
    revision: (digest) => mapped(revision.get(digest), revisionOf),
    revisionRow: (digest) => mapped(revision.get(digest), revisionRowOf),
    revisions: () => revisions.all().map(revisionRowOf),
    activations: (limit) => activations.all(limit).map(activationOf),
    drafts: () => drafts.all().map(draftOf),
    draft: (id) => mapped(draft.get(id), draftOf),
    decision: (id) => mapped(decision.get(id), decisionOf),
    decisions({ after = afterAll, limit, ...wanted }) {
      const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
      const where = given.map(([name]) => `AND ${conditions[name as keyof typeof conditions]}`).join(' ');
      const sql = `SELECT * FROM policy_decisions WHERE decision_id < ? ${where} ORDER BY decision_id DESC LIMIT ?`;
      const statement = statements.get(sql) ?? connection.prepare(sql);
      statements.set(sql, statement);
      const values = given.map(([, value]) => (typeof value === 'boolean' ? Number(value) : value));
      return statement.all(after, ...values, limit).map(decisionOf);
    },
  };
}

// The whole of what may be asked for; the words of a query never reach the statement.
const conditions = {
  tenant: 'tenant = ?',
  action: 'action = ?',
  allow: 'allow = ?',
  orb_id: 'orb_id = ?',
  principal: 'principal = ?',
  revision: 'revision = ?',
  from: 'at >= ?',
  to: 'at < ?',
} as const;

// Greater than every decision id.
const afterAll = 'dec_~';

function mapped<T>(row: Row | undefined, map: (row: Row) => T): T | undefined {
  return row === undefined ? undefined : map(row);
}

function revisionOf(row: Row): Revision {
  const { digest, files, compiled, wasm } = row;
  if (!(wasm instanceof Uint8Array)) throw new TypeError('policy: a column that must be bytes is not');
  // Written by this store alone, from values of these types.
  const parts = JSON.parse(text(compiled)) as Omit<Compiled, 'wasm'>;
  return { digest: text(digest), files: JSON.parse(text(files)) as PolicyFile[], ...parts, wasm };
}

function revisionRowOf({ digest, created_at, created_by, message }: Row): RevisionRow {
  const row = { digest: text(digest), created_at: text(created_at), created_by: text(created_by) };
  return typeof message === 'string' ? { ...row, message } : row;
}

function activationOf({ digest, at, actor, message, pending }: Row): Activation {
  const row = { digest: text(digest), at: text(at), actor: text(actor), pending: pending === 1 };
  return typeof message === 'string' ? { ...row, message } : row;
}

function draftOf({ id, source, tests, message, updated_at, updated_by }: Row): Draft {
  return {
    id: text(id),
    source: text(source),
    ...(typeof tests === 'string' ? { tests } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    updated_at: text(updated_at),
    updated_by: text(updated_by),
  };
}

function decisionOf(row: Row): DecisionRow {
  const optional = (value: Value | undefined): string | null => (typeof value === 'string' ? value : null);
  return {
    decision_id: text(row['decision_id']),
    tenant: text(row['tenant']),
    at: text(row['at']),
    action: text(row['action']),
    allow: row['allow'] === 1,
    orb_id: text(row['orb_id']),
    principal: text(row['principal']),
    revision: optional(row['revision']),
    run_id: optional(row['run_id']),
    receipt_id: optional(row['receipt_id']),
    record: text(row['record']),
  };
}

function text(value: Value | undefined): string {
  if (typeof value !== 'string') throw new TypeError('policy: a column that must be text is not');
  return value;
}
