import { PlatformError } from '../error.ts';
import { idOfCursor, pageOf, pageQuery } from '../http/page.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { JsonSchema } from '../schema.ts';
import type { Execution } from './execution.ts';
import { idempotencyKey, type IdempotencyKeys } from './journal/keys.ts';
import { openingSchema } from '../http/problem.ts';
import { receiptSummary } from './receipt-summary.ts';
import { orbId } from './orb-id.ts';
import type { RunRow } from './store.ts';

const slug = { type: 'string', maxLength: 64 } as const;
const time = { type: 'string', format: 'date-time' } as const;
const tenantOf = ({ scopes, tenant }: { scopes: readonly string[]; tenant: string }): string | undefined =>
  scopes.includes('*') ? undefined : tenant;

const executeRequest = {
  $id: 'ExecuteRequest',
  type: 'object',
  additionalProperties: false,
  required: ['orb_id', 'inputs'],
  properties: {
    orb_id: orbId,
    inputs: { type: 'object', description: "Fits the Orb's inputs_schema" },
    delivery: { enum: ['at_most_once', 'at_least_once'], description: 'Default: at_most_once' },
    timeout_ms: { type: 'integer', minimum: 1, maximum: 600_000, description: "At most the Orb's own" },
    disclose: { type: 'boolean', description: 'Answer the opening of the receipt. Default: false' },
  },
} as const satisfies JsonSchema;

const executionResult = {
  $id: 'ExecutionResult',
  type: 'object',
  additionalProperties: false,
  required: ['run_id', 'status', 'outputs', 'receipt', 'execution_ms'],
  properties: {
    run_id: { type: 'string', pattern: '^run_' },
    status: { const: 'completed' },
    outputs: { type: 'object' },
    receipt: receiptSummary,
    execution_ms: { type: 'integer', minimum: 0 },
    opening: openingSchema,
  },
} as const satisfies JsonSchema;

/** Answers `POST /orbisets/{id}/execute`. */
export function executeRoute(execution: Execution, keys: IdempotencyKeys): Route {
  return defineRoute({
    method: 'POST',
    path: '/orbisets/{id}/execute',
    operationId: 'executeOrb',
    service: 'runtime',
    scope: 'orbs:execute',
    target: ({ body }) => body.orb_id,
    summary: 'Execute an Orb inside an Orbiset',
    reads: ['Idempotency-Key'],
    params: { type: 'object', required: ['id'], properties: { id: slug } },
    body: executeRequest,
    response: executionResult,
    problems: [
      'access_denied',
      'orb_not_found',
      'orbiset_not_found',
      'run_cancelled',
      'idempotency_in_progress',
      'idempotency_mismatch',
      'invalid_inputs',
      'provider_rejected',
      'provider_failed',
      'invalid_outputs',
      'provider_unavailable',
      'no_provider_allowed',
      'policy_unavailable',
      'storage_unavailable',
      'overloaded',
      'run_timed_out',
      'outcome_unknown',
    ],
    handle: ({ params, body, principal, client_ip, headers, traceparent, addHeaders: limited }) => {
      const key = idempotencyKey(headers['idempotency-key']);
      const path = `/orbisets/${params.id}/execute`;
      const name = key === undefined ? undefined : { principal: principal.id, method: 'POST', path, key };
      return keys.once(name, body, (claim) =>
        execution.run({ ...body, orbiset_id: params.id, principal, client_ip, traceparent, limited, claim }),
      );
    },
  });
}

const runStatus = ['completed', 'failed', 'timed_out', 'indeterminate', 'cancelled', 'denied'] as const;

/** Schema of a run. */
export const runSchema = {
  $id: 'Run',
  type: 'object',
  additionalProperties: false,
  required: [
    'run_id',
    'orbiset_id',
    'orb_id',
    'principal',
    'status',
    'mode',
    'started_at',
    'finished_at',
    'execution_ms',
    'receipt_id',
  ],
  properties: {
    run_id: { type: 'string' },
    orbiset_id: slug,
    orb_id: orbId,
    principal: { type: 'string' },
    status: { enum: runStatus },
    reason: { type: 'string' },
    mode: { enum: ['live', 'sandbox'] },
    provider: { type: 'string' },
    started_at: time,
    finished_at: time,
    execution_ms: { type: 'integer' },
    receipt_id: { type: 'string' },
    resolution: { type: 'string', description: 'The receipt that settled it, when its outcome was unknown' },
  },
} as const satisfies JsonSchema;

/** Shows a run: absent on the wire, not null. */
export function shown({ tenant: _, silent: __, ...run }: RunRow): object {
  return Object.fromEntries(Object.entries(run).filter(([, value]) => value !== null));
}

/** What the routes of runs read. */
export interface RunReads {
  findRun(runId: string): RunRow | undefined;
  listRuns(filter: {
    tenant: string | undefined;
    status: string | undefined;
    orb_id: string | undefined;
    before: string | undefined;
    limit: number;
  }): RunRow[];
}

/** Answers `GET /runs` and `GET /runs/{run_id}`; a key sees its own tenant's runs. */
export function runRoutes(reads: RunReads): readonly Route[] {
  const common = { method: 'GET', service: 'runtime', scope: 'runs:read' } as const;
  return [
    defineRoute({
      ...common,
      path: '/runs',
      operationId: 'listRuns',
      summary: 'List runs, newest first',
      query: {
        type: 'object',
        properties: { ...pageQuery, status: { enum: runStatus }, orb_id: { type: 'string', maxLength: 200 } },
      },
      response: {
        $id: 'RunList',
        type: 'object',
        required: ['runs'],
        properties: { runs: { type: 'array', items: runSchema }, next_cursor: { type: 'string' } },
      },
      problems: [],
      handle: ({ query, principal }) => {
        const { limit = 20, cursor, status, orb_id } = query;
        const rows = reads.listRuns({
          tenant: tenantOf(principal),
          status,
          orb_id,
          before: idOfCursor(cursor, 'run_'),
          limit: limit + 1,
        });
        const { items, ...next } = pageOf(rows, limit, ({ run_id }) => run_id);
        return { runs: items.map(shown), ...next };
      },
    }),
    defineRoute({
      ...common,
      path: '/runs/{run_id}',
      operationId: 'getRun',
      summary: 'Show a run',
      params: { type: 'object', required: ['run_id'], properties: { run_id: { type: 'string', maxLength: 64 } } },
      response: runSchema,
      problems: ['run_not_found'],
      handle: ({ params, principal }) => {
        const run = reads.findRun(params.run_id);
        const tenant = tenantOf(principal);
        if (run === undefined || (tenant !== undefined && run.tenant !== tenant))
          throw new PlatformError('run_not_found', `there is no run ${params.run_id}; GET /runs lists yours`);
        return shown(run);
      },
    }),
  ];
}
