import { idOfCursor, nextOf, pageQuery } from '../../http/paging.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { exactly, optional } from '../../tools/schema.ts';
import { orbId } from '../catalog/orb-id.ts';
import type { Page } from '../../store/page.ts';
import type { RunFilter, RunRow } from '../store.ts';

const slug = { type: 'string', maxLength: 64 } as const;
const time = { type: 'string', format: 'date-time' } as const;
const tenantOf = ({ scopes, tenant }: { scopes: readonly string[]; tenant: string }): string | undefined =>
  scopes.includes('*') ? undefined : tenant;

const runStatus = ['completed', 'failed', 'timed_out', 'indeterminate', 'cancelled', 'denied'] as const;

const text = { type: 'string', minLength: 1 } as const;
const natural = { type: 'integer', minimum: 0 } as const;
const digest = { title: 'Digest', type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } as const;
const outcome = [
  'accepted',
  'invalid_outputs',
  'rejected',
  'provider_fault',
  'not_sent',
  'throttled',
  'unknown',
] as const;

// As receipts write it: one schema of the API for both.
const attempt = exactly('Attempt', {
  provider: { ...text, description: 'Name of the provider' },
  adapter: { ...text, description: 'Name of the adapter' },
  generation: { ...natural, description: 'Number of the opening of a provider for the Orb' },
  config_digest: { ...digest, description: 'Digest of the configuration of the provider' },
  outcome: { type: 'string', enum: outcome, description: 'What is known of the attempt' },
  phase: optional({ ...text, description: 'Where it failed' }),
  lookup: optional({ type: 'string', enum: ['absent', 'present'], description: 'What a later look-up found' }),
  latency_ms: { ...natural, description: 'How long it took, milliseconds' },
});

/** Schema of a run that waits, is under way, or has ended. */
export const runSchema = exactly('Run', {
  run_id: { type: 'string', description: 'Id of the run' },
  orbiset_id: { ...slug, description: 'Id of the Orbiset' },
  orb_id: { ...orbId, description: 'Id of the Orb' },
  principal: { type: 'string', description: 'Id of the caller, `prn_<ulid>`' },
  status: { enum: ['queued', 'running', ...runStatus], description: 'How far it is, or how it ended' },
  reason: optional({ type: 'string', description: 'Why it did not complete' }),
  mode: { enum: ['live', 'sandbox'], description: '`sandbox`: nothing left the machine' },
  provider: optional({ type: 'string', description: 'Name of the provider' }),
  queued_at: optional({ ...time, description: 'When it was accepted' }),
  run_at: optional({ ...time, description: 'When it may begin' }),
  expires_at: optional({ ...time, description: 'Until when it may wait' }),
  position: optional({ type: 'integer', description: 'About its place in the queue, to 1000' }),
  links: optional({ type: 'object', description: 'Paths while it waits: `self`, `cancel`' }),
  started_at: optional({ ...time, description: 'When it began' }),
  finished_at: optional({ ...time, description: 'When it ended' }),
  execution_ms: optional({ type: 'integer', description: 'How long it took, milliseconds' }),
  receipt_id: optional({ type: 'string', description: 'Id of the receipt' }),
  resolution: optional({ type: 'string', description: 'The receipt that settled it, when its outcome was unknown' }),
  attempts: optional({ type: 'array', description: 'Calls of providers, in order; of one run alone', items: attempt }),
  outputs: optional({ type: 'object', description: 'Of your asynchronous run, for a day' }),
  problem: optional({ type: 'object', description: 'Instead of outputs' }),
});

/** Returns a run as it is sent: members without a value are absent, not null. */
export function shown({ tenant: _, silent: __, ...run }: RunRow): object {
  return Object.fromEntries(Object.entries(run).filter(([, value]) => value !== null));
}

/** The reads that the routes of runs use. */
export interface RunReads {
  findRun(runId: string): RunRow | undefined;
  listRuns(filter: RunFilter): Promise<Page<RunRow>>;
}

const common = { method: 'GET', service: 'runtime', scope: 'runs:read' } as const;

/** Answers `GET /runs`; a key sees its own tenant's runs. */
export const runsRoute = (reads: RunReads): Route =>
  defineRoute({
    ...common,
    path: '/runs',
    operationId: 'listRuns',
    summary: 'List runs, newest first',
    query: {
      type: 'object',
      properties: {
        ...pageQuery,
        status: { enum: runStatus, description: 'Only runs that ended so' },
        orb_id: { type: 'string', maxLength: 200, description: 'Only runs of this Orb' },
        orbiset_id: { ...slug, description: 'Only runs of this Orbiset' },
        principal: { ...slug, description: 'Only runs of this caller' },
        provider: { ...slug, description: 'Only runs that ended with this provider' },
        reason: { type: 'string', maxLength: 200, description: 'Only runs with this reason' },
        from: { ...time, description: 'Accepted not before this time' },
        to: { ...time, description: 'Accepted before this time' },
      },
    },
    response: exactly('RunList', {
      runs: { type: 'array', description: 'Newest first', items: runSchema },
      next_cursor: optional({ type: 'string', description: 'Cursor of the next page; absent on the last' }),
    }),
    handle: async ({ query, principal }) => {
      const { cursor, status, orb_id, ...filter } = query;
      const before = idOfCursor(cursor, 'run_');
      const page = await reads.listRuns({ ...filter, tenant: tenantOf(principal), status, orb_id, before });
      return { runs: page.items.map(shown), ...nextOf(page) };
    },
  });
