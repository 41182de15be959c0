import { messageWrites } from './tables/node-messages.ts';
import { callersIn } from './tables/callers.ts';
import { eventMigrations, eventReads } from './tables/events.ts';
import { gatheredWrites } from './tables/batch-writes.ts';
import { countMigration, partMigration, sampleOf } from './tables/counts.ts';
import { callerTables, callerWrites } from './tables/caller-counts.ts';
import { callerReads } from './tables/caller-series.ts';
import { countReads } from './tables/count-series.ts';
import { runCountReads } from './tables/run-counts.ts';
import { manifestReads, manifestTables, orbisetWrites, orbWrites } from './tables/manifests.ts';
import { runColumns, runMarks, runPages, type RunFilter } from './tables/run-pages.ts';
import { unsettledReads, unsettledTable, unsettledWrites } from './tables/unsettled.ts';
import type { RunRow, RunStatus } from './facts/facts.ts';
import type { Swap } from './tables/swap-record.ts';
import { swapNodeTable } from './tables/swap-nodes.ts';
import { swapReads, swapWrites, unchangedColumn } from './tables/swaps.ts';
import { orbUseReads, orbUseTable, orbUseWrites } from './tables/orb-uses.ts';
import {
  PlatformError,
  rowWriter,
  defineStore,
  type Awaitable,
  type AwaitableReads,
  type Connection,
  type WriteContext,
  type WriterScope,
  queriesOf,
} from '../../kernel/index.ts';
import { asIs } from '../../kernel/runner.ts';

export type { RunFilter, RunRow };

/** An opening of a provider for an Orb, before it has its number. */
export interface GenerationRow {
  readonly orb_id: string;
  readonly provider: string;
  readonly adapter: string;
  readonly config_digest: string;
  readonly created_at: string;
}

/** A swap that begins; `bound`: the swap whose provider the asking node believes is bound, where several nodes serve. */
interface BegunSwap {
  readonly swap: Swap;
  readonly opening: GenerationRow;
  readonly bound?: string | null;
}

/** The resolution of a run whose outcome was unknown, with the providers that made it so. */
interface ResolvedRun extends Pick<RunRow, 'run_id' | 'silent'> {
  readonly status: RunStatus;
  readonly resolution: string;
}

const migrations = [
  `CREATE TABLE runtime_runs (
     run_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, orbiset_id TEXT NOT NULL, orb_id TEXT NOT NULL, principal TEXT NOT NULL,
     status TEXT NOT NULL, reason TEXT, mode TEXT NOT NULL, provider TEXT, started_at TEXT NOT NULL, finished_at TEXT NOT NULL,
     execution_ms INTEGER NOT NULL, receipt_id TEXT NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX runtime_runs_by_tenant ON runtime_runs (tenant, run_id);
   CREATE INDEX runtime_runs_by_orb ON runtime_runs (orb_id, run_id);
   CREATE INDEX runtime_runs_unfinished ON runtime_runs (status, run_id) WHERE status <> 'completed';
   CREATE TABLE runtime_manifests (orb_id TEXT PRIMARY KEY, digest TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE runtime_generations (
     orb_id TEXT NOT NULL, number INTEGER NOT NULL, provider TEXT NOT NULL, adapter TEXT NOT NULL, config_digest TEXT NOT NULL,
     created_at TEXT NOT NULL, PRIMARY KEY (orb_id, number)
   ) WITHOUT ROWID;`,
  `CREATE TABLE runtime_swaps (
     swap_id TEXT PRIMARY KEY, orb_id TEXT NOT NULL, from_provider TEXT, from_generation INTEGER, to_provider TEXT NOT NULL,
     generation INTEGER NOT NULL, state TEXT NOT NULL, rolls_back TEXT, reason TEXT, principal TEXT, started_at TEXT NOT NULL,
     switched_at TEXT, receipt_id TEXT
   ) WITHOUT ROWID;
   CREATE INDEX runtime_swaps_by_orb ON runtime_swaps (orb_id, swap_id);
   CREATE INDEX runtime_swaps_open ON runtime_swaps (state) WHERE state IN ('opening', 'draining');
   CREATE TABLE runtime_bindings (
     orb_id TEXT PRIMARY KEY, provider TEXT NOT NULL, swap_id TEXT NOT NULL, bound_at TEXT NOT NULL
   ) WITHOUT ROWID;`,
  'ALTER TABLE runtime_runs ADD COLUMN resolution TEXT;',
  'ALTER TABLE runtime_runs ADD COLUMN silent TEXT;',
  manifestTables,
  countMigration,
  `CREATE INDEX runtime_runs_by_principal ON runtime_runs (principal, run_id);
   CREATE INDEX runtime_runs_by_reason ON runtime_runs (reason, run_id) WHERE reason IS NOT NULL;`,
  `ALTER TABLE runtime_swaps ADD COLUMN node TEXT;
   ALTER TABLE runtime_swaps ADD COLUMN incarnation TEXT;`,
  ...eventMigrations,
  partMigration,
  swapNodeTable,
  orbUseTable,
  unchangedColumn,
  unsettledTable,
  'ALTER TABLE runtime_runs ADD COLUMN key_id TEXT;',
  callerTables,
  runMarks,
];

/** Makes the write that settles a run whose outcome was unknown; any other is refused. */
function resolving({ connection }: WriterScope, unsettled: ReturnType<typeof unsettledWrites>) {
  const resolve = connection.prepare(
    "UPDATE runtime_runs SET status = ?, resolution = ? WHERE run_id = ? AND status = 'indeterminate'",
  );
  return async ({ run_id, status, resolution, silent }: ResolvedRun): Promise<void> => {
    if ((await resolve.run(status, resolution, run_id)) === 0)
      throw new PlatformError('resolution_conflict', `${run_id} is not indeterminate; read the run again`);
    unsettled.drop({ run_id, silent });
  };
}

const generationColumns = ['orb_id', 'number', 'provider', 'adapter', 'config_digest', 'created_at'] as const;

/** Runs, used manifests and generations. */
const runtimeStore = defineStore({
  name: 'runtime',
  seals: ['events'],
  migrations,
  write(scope) {
    const { connection } = scope;
    const insertRun = rowWriter(connection, 'runtime_runs', runColumns);
    const last = connection.prepare('SELECT max(number) AS number FROM runtime_generations WHERE orb_id = ?');
    const insertGeneration = rowWriter(connection, 'runtime_generations', generationColumns);
    const openGeneration = async (opening: GenerationRow, write: WriteContext): Promise<number> => {
      write.guard('generations');
      const number = Number((await last.get(opening.orb_id))?.['number'] ?? 0) + 1;
      insertGeneration({ ...opening, number });
      return number;
    };
    const swaps = swapWrites(connection);
    const gathered = gatheredWrites(scope);
    const unsettled = unsettledWrites(connection);
    const callers = callerWrites(scope);
    return {
      operations: {
        /** Stores a run, and counts it; commits with its receipt. */
        insertRun(run: RunRow, write: WriteContext): Awaitable<void> {
          insertRun(run);
          unsettled.insert(run);
          write.defer(sampleOf(run));
          gathered.mark(run, write);
          return callers.insertedLate(run, write);
        },
        ...callers.operations,
        ...gathered.operations,
        resolveRun: resolving(scope, unsettled),
        /** Stores an opening and returns its number, one more than the Orb's last. */
        openGeneration,
        ...swaps.operations,
        ...orbUseWrites(connection),
        ...messageWrites,
        ...orbWrites(connection),
        ...orbisetWrites(connection),
        /** Stores a swap that begins, and returns the number of its new generation. */
        async beginSwap(begun: BegunSwap, write: WriteContext): Promise<number> {
          const { swap, opening, bound } = begun;
          const number = await openGeneration(opening, write);
          if (bound !== undefined) await swaps.checkFree(swap, bound);
          swaps.operations.putSwap({ ...swap, generation: number }, write);
          if (bound !== undefined) swaps.beginAcross(swap, write);
          return number;
        },
      },
      ...gathered.writing,
    };
  },
  read: (connection) => ({
    ...countReads(connection),
    ...runCountReads(connection),
    ...callerReads(connection),
    ...eventReads(connection),
    ...runReads(connection),
    ...swapReads(connection),
    ...orbUseReads(connection),
    ...unsettledReads(connection),
    ...manifestReads(connection),
  }),
});

export default runtimeStore;

/** The reads of single rows; lists that may be long are read on the reader thread. */
export type RuntimeReads = AwaitableReads<ReturnType<typeof runtimeStore.read>>;

function runReads(connection: Connection) {
  const { among, find, list } = queriesOf(connection);
  const runs = `SELECT ${runColumns.join(', ')} FROM runtime_runs`;
  const used = list<UsedManifest, []>('SELECT orb_id, digest FROM runtime_manifests', asIs);
  return {
    findRun: find<RunRow>(`${runs} WHERE run_id = ?`, asIs),
    findRuns: among(runs, 'run_id', asIs<RunRow>),
    listRuns: runPages(connection),
    /** Finds who made some runs that have ended. */
    callersOf: callersIn(connection, 'runtime_runs'),
    usedManifests: (): ReadonlyMap<string, string> => new Map(used().map(({ orb_id, digest }) => [orb_id, digest])),
    findGeneration: find<Pick<GenerationRow, 'adapter' | 'config_digest'>, [orbId: string, number: number]>(
      'SELECT adapter, config_digest FROM runtime_generations WHERE orb_id = ? AND number = ?',
      asIs,
    ),
  };
}

interface UsedManifest {
  readonly orb_id: string;
  readonly digest: string;
}
