import {
  defineStore,
  expectTag,
  mappedRow,
  textColumn,
  type Condition,
  type Connection,
  type Row,
  type WriterScope,
} from '../../kernel/index.ts';
import { etagOf, type Draft } from './revisions/draft.ts';
import { readingDecisions, writingDecisions, type DecisionReads } from './decide/decision-log.ts';
import { sha256, type Compiled, type PolicyFile, type Revision } from './revisions/revision.ts';

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

/** One coming into force. `pending`: the folder may not hold it yet. */
export interface Activation {
  readonly digest: string;
  readonly at: string;
  /** Principal id, or `folder`. */
  readonly actor: string;
  readonly message?: string;
  readonly pending: boolean;
}

/** A revision in a list. */
export interface RevisionRow {
  readonly digest: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly message?: string;
}

/** What can be read of policies. */
export interface PolicyReads extends DecisionReads {
  revision(digest: string): Revision | undefined;
  revisionRow(digest: string): RevisionRow | undefined;
  revisions(): readonly RevisionRow[];
  /** Newest first. */
  activations(limit: number): readonly Activation[];
  drafts(): readonly Draft[];
  draft(id: string): Draft | undefined;
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

// A revision holds its Wasm, some 300 KB: folders that are edited all day must not fill the disk.
const keptRevisions = 100;
const keptActivations = 1000;

type Kept = Omit<Compiled, 'wasm'> & { readonly wasm_digest: string };

function writing(connection: Connection) {
  const revise = connection.prepare(
    'INSERT INTO policy_revisions (digest, files, compiled, wasm, created_at, created_by, message) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET compiled = excluded.compiled, wasm = excluded.wasm',
  );
  const activate = connection.prepare(
    'INSERT INTO policy_activations (digest, at, actor, message, pending) VALUES (?, ?, ?, ?, ?)',
  );
  const settle = connection.prepare('UPDATE policy_activations SET pending = 0 WHERE pending = 1');
  const withdraw = connection.prepare('DELETE FROM policy_activations WHERE pending = 1');
  const dropOld = connection.prepare(
    'DELETE FROM policy_activations WHERE digest NOT IN (SELECT digest FROM policy_activations GROUP BY digest ORDER BY MAX(number) DESC LIMIT ?) OR number <= (SELECT MAX(number) FROM policy_activations) - ?',
  );
  const dropUnused = connection.prepare(
    'DELETE FROM policy_revisions WHERE digest NOT IN (SELECT digest FROM policy_activations)',
  );
  const drafts = writingDrafts(connection);
  return {
    activate(args: ActivateArgs): null {
      const { digest, files, compiled, wasm, at, actor, message } = args;
      const kept: Kept = { ...compiled, wasm_digest: sha256(wasm) };
      revise.run(digest, JSON.stringify(files), JSON.stringify(kept), wasm, at, actor, message);
      activate.run(digest, at, actor, message, args.pending ? 1 : 0);
      dropOld.run(keptRevisions, keptActivations);
      dropUnused.run();
      return null;
    },
    /** The folder holds it: the drafts it took up are gone. */
    settle({ drafts: taken }: { readonly drafts: readonly Pick<Draft, 'id' | 'source' | 'tests'>[] }): null {
      settle.run();
      drafts.dropTaken(taken);
      return null;
    },
    /** What was to come into force does not: it is as if it had never been. */
    withdraw(_: null): null {
      withdraw.run();
      dropUnused.run();
      return null;
    },
    dropDraft: drafts.dropDraft,
    putDraft: drafts.putDraft,
    ...writingDecisions(connection),
  };
}

interface PutDraft {
  readonly condition: Condition;
  readonly draft: Draft;
  readonly renamed: readonly Draft[];
}

function writingDrafts(connection: Connection) {
  const dropDraft = connection.prepare('DELETE FROM policy_drafts WHERE id = ?');
  const findDraft = connection.prepare('SELECT * FROM policy_drafts WHERE id = ?');
  const putDraft = connection.prepare(
    'INSERT OR REPLACE INTO policy_drafts (id, source, tests, message, updated_at, updated_by) VALUES (?, ?, ?, ?, ?, ?)',
  );
  // A draft that was written anew meanwhile stays.
  const dropSame = connection.prepare('DELETE FROM policy_drafts WHERE id = ? AND source = ? AND tests IS ?');
  const dropTaken = (drafts: readonly Pick<Draft, 'id' | 'source' | 'tests'>[]): void => {
    for (const { id, source, tests } of drafts) dropSame.run(id, source, tests ?? null);
  };
  return {
    dropTaken,
    dropDraft: ({ id }: { readonly id: string }): boolean => dropDraft.run(id) > 0,
    /**
     * Writes a draft; false: it took the place of another. Throws 412 when that is not the one that is expected.
     * `renamed`: what it was before it got this name.
     */
    putDraft({ condition, draft, renamed }: PutDraft): boolean {
      const { id, source, tests, message, updated_at, updated_by } = draft;
      const before = mappedRow(findDraft.get(id), draftOf);
      // Asked here, where writes are one after the other: of two callers at once one is refused.
      expectTag(condition, before && etagOf(before));
      putDraft.run(id, source, tests ?? null, message ?? null, updated_at, updated_by);
      dropTaken(renamed);
      return before === undefined;
    },
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
  return {
    revision: (digest) => mappedRow(revision.get(digest), revisionOf),
    revisionRow: (digest) => mappedRow(revision.get(digest), revisionRowOf),
    revisions: () => revisions.all().map(revisionRowOf),
    activations: (limit) => activations.all(limit).map(activationOf),
    drafts: () => drafts.all().map(draftOf),
    draft: (id) => mappedRow(draft.get(id), draftOf),
    ...readingDecisions(connection),
  };
}

// What is not the Wasm that was stored is no revision: it would be compiled anew, or not served.
function revisionOf(row: Row): Revision | undefined {
  const { digest, files, compiled, wasm } = row;
  if (!(wasm instanceof Uint8Array)) throw new TypeError('policy: a column that must be bytes is not');
  // Written by this store alone, from values of these types.
  const { wasm_digest, ...parts } = JSON.parse(textColumn(compiled)) as Kept;
  if (sha256(wasm) !== wasm_digest) return undefined;
  return { digest: textColumn(digest), files: JSON.parse(textColumn(files)) as PolicyFile[], ...parts, wasm };
}

function revisionRowOf({ digest, created_at, created_by, message }: Row): RevisionRow {
  const row = { digest: textColumn(digest), created_at: textColumn(created_at), created_by: textColumn(created_by) };
  return typeof message === 'string' ? { ...row, message } : row;
}

function activationOf({ digest, at, actor, message, pending }: Row): Activation {
  const row = { digest: textColumn(digest), at: textColumn(at), actor: textColumn(actor), pending: pending === 1 };
  return typeof message === 'string' ? { ...row, message } : row;
}

function draftOf({ id, source, tests, message, updated_at, updated_by }: Row): Draft {
  return {
    id: textColumn(id),
    source: textColumn(source),
    ...(typeof tests === 'string' ? { tests } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    updated_at: textColumn(updated_at),
    updated_by: textColumn(updated_by),
  };
}
