import { attemptSchema } from '../facts/facts.ts';
import { failureSchema } from '../facts/run-failure.ts';
import { runDelivery } from '../facts/reports.ts';
import { orbId } from '../catalog/orb-id.ts';
import type { RunRow } from '../store.ts';
import { filterFaults, runFilter, runStates } from './listing/filters.ts';
import { runCountsRoute } from './listing/counts-route.ts';
import { runExportRoute } from './listing/export-route.ts';
import { runLister, type QueuedReads, type RunLister, type RunReads } from './listing/list.ts';
import { defineRoute, exactly, idOfCursor, nextOf, optional, pageQuery, type Route } from '../../../kernel/index.ts';

const slug = { type: 'string', maxLength: 64 } as const;
const time = { type: 'string', format: 'date-time' } as const;

/** Schemas of what a caller asks for with a run. */
export const asked = {
  orb_id: { ...orbId, description: 'The Orb to run' },
  inputs: { type: 'object', description: "Fits the Orb's inputs_schema" },
  delivery: optional({ enum: ['at_most_once', 'at_least_once'], description: 'Default: at_most_once' }),
  timeout_ms: optional({ type: 'integer', minimum: 1, maximum: 600_000, description: "At most the Orb's own" }),
} as const;

/** Schema of the choice to leave nothing of a run to the outside. */
export const sandbox = optional({
  type: 'boolean',
  description: 'Use only sandbox providers, as with a test key. Default: false',
});

/** Parameters of the path of a run. */
export const runParams = exactly({ run_id: { type: 'string', maxLength: 64, description: 'Id of the run' } });

/** Schema of a run that waits, is under way, or has ended. */
export const runSchema = exactly('Run', {
  run_id: { type: 'string', description: 'Id of the run' },
  orbiset_id: { ...slug, description: 'Id of the Orbiset' },
  orb_id: { ...orbId, description: 'Id of the Orb' },
  principal: { type: 'string', description: 'Id of the caller, `prn_<ulid>`' },
  key_id: optional({ type: 'string', description: "Id of the caller's key, once the run has ended" }),
  status: { enum: runStates, description: '`held`: people must approve it first' },
  approval: optional({
    ...exactly('HeldApproval', {
      id: { type: 'string', description: 'Id of the approval' },
      expires_at: { ...time, description: 'Without an approval the run is denied then' },
      url: { type: 'string', description: 'Where those who are asked see it' },
      asked: { type: 'array', items: { type: 'string' }, description: 'Names of the groups that are asked' },
    }),
    description: 'The approval that it waits for',
  }),
  reason: optional({ type: 'string', description: 'Why it did not complete' }),
  mode: { enum: ['live', 'sandbox'], description: '`sandbox`: nothing was sent outside the machine' },
  provider: optional({ type: 'string', description: 'Name of the provider' }),
  queued_at: optional({ ...time, description: 'When it was accepted' }),
  run_at: optional({ ...time, description: 'Earliest start' }),
  expires_at: optional({ ...time, description: 'Latest start' }),
  position: optional({ type: 'integer', description: 'Approximate position in the queue, at most 1000' }),
  links: optional({ type: 'object', description: 'Paths while it is queued: `self`, `events`, `cancel`' }),
  started_at: optional({ ...time, description: 'When it started' }),
  finished_at: optional({ ...time, description: 'When it ended' }),
  execution_ms: optional({ type: 'integer', description: 'How long it took, milliseconds' }),
  receipt_id: optional({ type: 'string', description: 'Id of the receipt' }),
  failure: optional({
    description:
      'Why it failed; only when a single run is read; kept for `retention.reasons_days` of the plugin receipts',
    ...failureSchema,
  }),
  resolution: optional({ type: 'string', description: 'The receipt that resolved it, if its outcome was unknown' }),
  attempts: optional({
    type: 'array',
    description: 'Calls of providers, in order; only when a single run is read',
    items: attemptSchema,
  }),
  delivery: optional({
    ...runDelivery,
    description: 'What the vendor reported since; only when a single run is read; not attested',
  }),
  outputs: optional({ type: 'object', description: "Outputs of the caller's own asynchronous run, for a day" }),
  problem: optional({ type: 'object', description: 'The problem, instead of outputs' }),
});

/** Returns a run as it is sent: members without a value are absent, not null. */
export function shown({ tenant: _, silent: __, ...run }: RunRow): object {
  return Object.fromEntries(Object.entries(run).filter(([, value]) => value !== null));
}

/** Answers `GET /runs`, `GET /runs/export` and `GET /runs/counts`. */
export function runListRoutes(
  options: Pick<RunReads, 'listRuns'> & { readonly queue: QueuedReads } & Parameters<typeof runCountsRoute>[0],
): readonly Route[] {
  const list = runLister(options, options.queue);
  return [runsRoute(list), runExportRoute(list), runCountsRoute(options)];
}

// A key sees its own tenant's runs.
const runsRoute = (list: RunLister): Route =>
  defineRoute({
    method: 'GET',
    service: 'runtime',
    scope: ['runs:read', 'orbs:execute'],
    narrowed: true,
    path: '/runs',
    operationId: 'listRuns',
    summary: "List runs, newest first; without `runs:read` only the caller's own",
    query: { type: 'object', properties: { ...pageQuery, ...runFilter } },
    queryFaults: filterFaults,
    response: exactly('RunList', {
      runs: { type: 'array', description: 'Newest first', items: runSchema },
      next_cursor: optional({ type: 'string', description: 'Cursor of the next page; absent on the last' }),
    }),
    handle: async ({ query: { cursor, limit, ...filter }, principal }) => {
      const page = await list(filter, principal, { before: idOfCursor(cursor, 'run_'), limit });
      return { runs: page.items.map((run) => ('receipt_id' in run ? shown(run) : run)), ...nextOf(page) };
    },
  });
