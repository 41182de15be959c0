import {
  mappedRow,
  numberedWriter,
  PlatformError,
  queriesOf,
  rowReader,
  rowWriter,
  type Answered,
  type Connection,
  type Row,
  type WriteConnection,
  type WriteContext,
} from '../../../kernel/index.ts';
import type { revision as revisionSchema } from '../shapes.ts';
import type { TakenDraft } from './drafts.ts';
import { sha256, type Compiled, type Revision } from './revision.ts';

/** One activation of a revision, by a principal or `folder`. `pending`: the folder may not hold it yet. */
interface Activation {
  readonly digest: string;
  readonly at: string;
  readonly actor: string;
  readonly message?: string;
  readonly pending: boolean;
}

/** Of several nodes, one tells the others under this topic that it has activated a revision. */
export const policyTopic = 'policies';

/** An activation with all data that is needed to serve its revision again. */
interface ActivateArgs extends Omit<Activation, 'message'>, Pick<Revision, 'files' | 'wasm'> {
  readonly compiled: Omit<Compiled, 'wasm'>;
  readonly message: string | null;
}

/** An activation on the store of several nodes. */
interface ActivateAfterArgs extends ActivateArgs {
  /** The revision that must be active; null: none. */
  readonly base: string | null;
  /** Drafts that the revision contains, and that are deleted with the activation. */
  readonly drafts: readonly TakenDraft[];
}

/** An activation that is active and whose files are in the folder. */
export type SettleArgs = Pick<ActivateAfterArgs, 'digest' | 'drafts'>;

// A revision holds about 300 KB of Wasm: a folder that is edited all day must not fill the disk.
const keptRevisions = 100;
/** So many activations are kept. */
export const keptActivations = 1000;

const selectActivations =
  'SELECT digest, at, actor, message, pending FROM policy_activations ORDER BY number DESC LIMIT ?';

type Kept = Omit<Compiled, 'wasm'> & { readonly wasm_digest: string };

/** Makes the operations that write revisions and activations; `dropTaken` deletes the drafts that a revision contains. */
export function writingActivations(connection: WriteConnection, dropTaken: (drafts: readonly TakenDraft[]) => void) {
  const { record, dropUnused } = recording(connection);
  const newest = connection.prepare(selectActivations);
  const settle = connection.prepare('UPDATE policy_activations SET pending = 0 WHERE pending = 1 AND digest = ?');
  const withdraw = connection.prepare('DELETE FROM policy_activations WHERE pending = 1 AND digest = ?');
  return {
    activate: record,
    /** Activates a revision on all nodes. Throws 412 when another one than `base` is active: another node was first. */
    async activateAfter({ base, drafts: taken, ...args }: ActivateAfterArgs, write: WriteContext): Promise<void> {
      // Of two nodes at once one is refused.
      write.guard('policy_activations');
      const last = mappedRow(await newest.get(1), activationOf);
      if (last !== undefined && isSame(last, args)) return;
      if ((last?.digest ?? null) !== base) throw activatedElsewhere(last?.digest, base ?? undefined);
      record(args, write);
      dropTaken(taken);
      write.tell(policyTopic, args.digest);
    },
    /** Marks the pending activation of a revision as written to the folder and deletes the drafts that it contains. */
    settle({ digest, drafts: taken }: SettleArgs): void {
      settle.queue(digest);
      dropTaken(taken);
    },
    /** Deletes the pending activation of a revision, and revisions that no activation names. */
    withdraw({ digest }: Pick<Activation, 'digest'>): void {
      withdraw.queue(digest);
      dropUnused.queue();
    },
  };
}

// Writes the revision and its activation, and deletes old ones.
function recording(connection: WriteConnection) {
  const columns = ['digest', 'files', 'compiled', 'wasm', 'created_at', 'created_by', 'message'] as const;
  const revise = rowWriter(
    connection,
    'policy_revisions',
    columns,
    'ON CONFLICT (digest) DO UPDATE SET compiled = excluded.compiled, wasm = excluded.wasm',
  );
  const activate = numberedWriter(connection, 'policy_activations', ['digest', 'at', 'actor', 'message', 'pending']);
  const dropOld = connection.prepare(
    'DELETE FROM policy_activations WHERE digest NOT IN (SELECT digest FROM policy_activations GROUP BY digest ORDER BY MAX(number) DESC LIMIT ?) OR number <= (SELECT MAX(number) FROM policy_activations) - ?',
  );
  const dropUnused = connection.prepare(
    'DELETE FROM policy_revisions WHERE digest NOT IN (SELECT digest FROM policy_activations)',
  );
  const record = (args: ActivateArgs, write: WriteContext): void => {
    const { compiled, wasm, at, actor } = args;
    const kept: Kept = { ...compiled, wasm_digest: sha256(wasm) };
    revise({ ...args, compiled: kept, created_at: at, created_by: actor });
    activate(args, write);
    dropOld.queue(keptRevisions, keptActivations);
    dropUnused.queue();
  };
  return { record, dropUnused };
}

// The operation runs again if the answer of its commit was lost.
function isSame(last: Activation, { actor, at, digest }: ActivateArgs): boolean {
  return last.digest === digest && last.at === at && last.actor === actor;
}

/** Makes the error of a change that is based on another revision than the active one. */
export function activatedElsewhere(active = 'nothing', base = 'no revision'): PlatformError {
  return new PlatformError(
    'precondition_failed',
    `another node activated ${active}; this change is based on ${base}; read the active revision, then try again`,
  );
}

/** Makes the reads of revisions and activations. */
export function readingRevisions(connection: Connection) {
  const { list } = queriesOf(connection);
  const revision = connection.prepare(
    'SELECT digest, files, compiled, wasm, created_at, created_by, message FROM policy_revisions WHERE digest = ?',
  );
  return {
    revision: (digest: string): Revision | undefined => mappedRow(revision.get(digest), revisionOf),
    revisionRow: (digest: string): RevisionRow | undefined => mappedRow(revision.get(digest), revisionRowOf),
    revisions: list<RevisionRow, []>(
      'SELECT digest, created_at, created_by, message FROM policy_revisions ORDER BY created_at DESC, digest LIMIT 1000',
      revisionRowOf,
    ),
    /** Lists the newest activations, newest first. */
    activations: list<Activation, [limit: number]>(selectActivations, activationOf),
  };
}

const text = { type: 'string' } as const;
const storedOf = rowReader<Pick<Revision, 'digest' | 'files' | 'wasm'> & { readonly compiled: Kept }>({
  properties: { digest: text, files: { type: 'array' }, compiled: { type: 'object' }, wasm: {} },
});

// Returns undefined when the Wasm does not match its stored digest: the revision is compiled again or not served.
function revisionOf(row: Row): Revision | undefined {
  const { compiled, ...stored } = storedOf(row);
  const { wasm_digest, ...parts } = compiled;
  return sha256(stored.wasm) === wasm_digest ? { ...stored, ...parts } : undefined;
}

/** A revision in a list. */
type RevisionRow = Omit<Answered<typeof revisionSchema>, 'revision' | 'active'> & Pick<Revision, 'digest'>;

const revisionRowOf = rowReader<RevisionRow>({
  properties: { digest: text, created_at: text, created_by: text, message: text },
});
const activationOf = rowReader<Activation>({
  properties: { digest: text, at: text, actor: text, message: text, pending: { type: 'boolean' } },
});
