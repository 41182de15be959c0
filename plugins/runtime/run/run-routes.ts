import { attemptSchema, runStatuses } from '../facts/facts.ts';
import { failureSchema } from '../facts/run-failure.ts';
import { runDelivery } from '../facts/reports.ts';
import { orbId, orbNamespace, orbSelector } from '../catalog/orb-id.ts';
import type { RunFilter, RunRow } from '../store.ts';
import {
  defineRoute,
  exactly,
  holds,
  idOfCursor,
  mergePages,
  nextOf,
  optional,
  pageQuery,
  PlatformError,
  similarTo,
  unfit,
  type Awaitable,
  type Fault,
  type Page,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';
import type { IdRange, QueuedFilter } from '../tables/run-pages.ts';

const slug = { type: 'string', maxLength: 64 } as const;
const time = { type: 'string', format: 'date-time' } as const;
const tenantOf = ({ scopes, tenant }: { scopes: readonly string[]; tenant: string }): string | undefined =>
  scopes.includes('*') ? undefined : tenant;

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
  status: { enum: ['queued', 'held', 'running', ...runStatuses], description: '`held`: people must approve it first' },
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

/** The reads that the routes of runs use. */
export interface RunReads {
  findRun(runId: string): Awaitable<RunRow | undefined>;
  listRuns(filter: RunFilter): Promise<Page<RunRow>>;
}

const statuses: readonly string[] = runSchema.properties.status.enum;

const common = { method: 'GET', service: 'runtime', scope: 'runs:read' } as const;

interface OpenRun {
  readonly run_id: string;
  readonly orb_id: string;
  readonly status: string;
}

/** The runs that have not ended. */
export interface QueuedReads {
  /** Lists them newest first, as they are sent. */
  list(filter: QueuedFilter): Promise<Page<OpenRun>>;
}

const listQuery = {
  type: 'object',
  properties: {
    ...pageQuery,
    status: {
      type: 'string',
      maxLength: 200,
      description: `Only runs with one of these statuses, separated by commas: ${statuses.map((one) => `\`${one}\``).join(', ')}`,
      examples: ['failed,timed_out'],
    },
    orb_id: {
      type: 'string',
      maxLength: 200,
      description: 'Only runs of these Orbs: an id, a name (all its versions), or `notify.*` (a namespace)',
      examples: ['notify.*'],
    },
    orbiset_id: { ...slug, description: 'Only runs of this Orbiset' },
    principal: { ...slug, description: 'Only runs of this caller' },
    key_id: { ...slug, description: 'Only runs that ended of this key' },
    provider: { ...slug, description: 'Only runs that ended with this provider' },
    reason: { type: 'string', maxLength: 200, description: 'Only runs with this reason' },
    from: { ...time, description: 'Accepted not before this time; a date is its 00:00 UTC' },
    to: { ...time, description: 'Accepted before this time; a date is its 00:00 UTC, so that day is not included' },
  },
} as const;

/** Answers `GET /runs`; a key sees its own tenant's runs. */
export const runsRoute = (reads: RunReads, queued: QueuedReads): Route =>
  defineRoute({
    ...common,
    scope: ['runs:read', 'orbs:execute'],
    narrowed: true,
    path: '/runs',
    operationId: 'listRuns',
    summary: "List runs, newest first; without `runs:read` only the caller's own",
    query: listQuery,
    queryFaults: ({ orb_id, status }) => filterFaults({ orb_id, status }, statuses),
    response: exactly('RunList', {
      runs: { type: 'array', description: 'Newest first', items: runSchema },
      next_cursor: optional({ type: 'string', description: 'Cursor of the next page; absent on the last' }),
    }),
    handle: async ({ query, principal }) => {
      const { cursor, status, orb_id, ...filter } = query;
      const whose = { tenant: tenantOf(principal), principal: callerOf(filter.principal, principal) };
      const asked = { ...filter, ...orbsOf(orb_id), ...whose, before: idOfCursor(cursor, 'run_') };
      const wanted = statusesOf(status, statuses);
      const is = (one: string): boolean => wanted === undefined || wanted.includes(one);
      const over = runStatuses.filter(is);
      const ended = over.length === 0 ? none : await reads.listRuns({ ...asked, ...someOf(over) });
      // The row of a run has its provider, reason and key at the end.
      const waits = is('queued') || is('running');
      const open =
        waits && (filter.provider ?? filter.reason ?? filter.key_id) === undefined ? await queued.list(asked) : none;
      const items = open.items.filter((run) => is(run.status));
      const page = mergePages<RunRow | OpenRun>([ended, { ...open, items }], filter.limit, ({ run_id }) => run_id);
      const seen = page.items.filter(({ orb_id: orb }) => maySeeRuns(principal, orb));
      return { runs: seen.map((run) => ('receipt_id' in run ? shown(run) : run)), ...nextOf(page) };
    },
  });

// Throws 403 for a caller that may list its own runs only and asks for those of another.
function callerOf(asked: string | undefined, { id, scopes }: Principal): string | undefined {
  if (holds(scopes, 'runs:read')) return asked;
  if (asked === undefined || asked === id) return id;
  throw new PlatformError(
    'insufficient_scope',
    `the key needs the scope runs:read for the runs of ${asked}; leave out \`principal\` to list the runs of your own key`,
    {
      headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="runs:read"' },
    },
  );
}

// As for one run: those of the caller itself, of an Orb that it may run.
function maySeeRuns({ scopes }: Principal, orb: string): boolean {
  return holds(scopes, 'runs:read') || holds(scopes, 'orbs:execute', orb);
}

function someOf(ended: readonly string[]): Pick<RunFilter, 'status' | 'statuses'> {
  if (ended.length === runStatuses.length) return {};
  return ended.length === 1 ? { status: ended[0] } : { statuses: ended };
}

const none: Page<never> = { items: [] };

/** Reads statuses, separated by commas. Throws 400 `invalid_parameter` for a word that is none. */
export function statusesOf(text: string | undefined, known: readonly string[]): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const all = [...new Set(text.split(',').map((one) => one.trim()))];
  const wrong = all.find((one) => !known.includes(one));
  if (wrong === undefined) return all;
  const meant = similarTo(wrong, known);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw unfitQuery('status', `must be one of ${known.join(', ')}, or several of them separated by commas${hint}`);
}

const selector = new RegExp(orbSelector);
const bareName = new RegExp(`^${orbNamespace}$`);

/**
 * Reads which Orbs are meant: an id, a namespace with `.*` as in scopes, or a bare name for all its versions. Throws 400
 * `invalid_parameter` for other texts.
 */
export function orbsOf(text: string | undefined): { readonly orb_id?: string; readonly orbs?: IdRange } {
  if (text === undefined) return {};
  // The character after `.` is `/`, the one after `@` is `A`: all ids between them start with the text.
  if (bareName.test(text)) return { orbs: { above: `${text}@`, below: `${text}A` } };
  if (!selector.test(text))
    throw unfitQuery(
      'orb_id',
      'must be the id of an Orb (notify.email@1.0.0), a name for all its versions (notify.email) or a namespace (notify.*)',
    );
  if (!text.endsWith('.*')) return { orb_id: text };
  const namespace = text.slice(0, -2);
  return { orbs: { above: `${namespace}.`, below: `${namespace}/` } };
}

/** Lists the faults of the filters of a query whose other parameters are wrong. */
export function filterFaults(
  { orb_id, status }: { readonly orb_id?: unknown; readonly status?: unknown },
  known: readonly string[],
): readonly Fault[] {
  return [
    ...faultsOf(() => orbsOf(typeof orb_id === 'string' ? orb_id : undefined)),
    ...faultsOf(() => statusesOf(typeof status === 'string' ? status : undefined, known)),
  ];
}

function faultsOf(read: () => unknown): readonly Fault[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof PlatformError) return error.extensions.errors ?? [];
    throw error;
  }
}

function unfitQuery(name: string, detail: string): PlatformError {
  return unfit('invalid_parameter', name, detail, `query parameter ${name} ${detail}`);
}
