import { PlatformError } from '../error.ts';
import { idOfCursor, pageOf, pageQuery } from '../http/page.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { JsonSchema } from '../schema.ts';
import type { Catalog } from './catalog.ts';
import type { Execution } from './execution.ts';
import { idempotencyKey, type IdempotencyKeys } from './journal/keys.ts';
import { openingSchema } from '../http/problem.ts';
import { receiptSummary } from './receipt-summary.ts';
import { orbId } from './orb-id.ts';
import { orbManifest, type Orb } from './orb.ts';
import { orbisetManifest } from './orbiset.ts';
import type { RunRow } from './store.ts';

const slug = { type: 'string', maxLength: 64 } as const;
const time = { type: 'string', format: 'date-time' } as const;
const digest = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } as const;
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

const orbSummary = {
  $id: 'Orb',
  type: 'object',
  required: ['orb_id', 'title', 'description', 'capability', 'effect', 'action_class', 'manifest_digest'],
  properties: {
    orb_id: orbId,
    title: { type: 'string' },
    description: { type: 'string' },
    capability: { type: 'string' },
    effect: orbManifest.properties.effect,
    action_class: orbManifest.properties.action_class,
    manifest_digest: digest,
  },
} as const satisfies JsonSchema;

const summaryOf = ({ orb_id, manifest, digest: manifest_digest }: Orb) => ({
  orb_id,
  title: manifest.title,
  description: manifest.description,
  capability: manifest.capability,
  effect: manifest.effect,
  action_class: manifest.action_class,
  manifest_digest,
});

/** Answers `GET /orbs`, `/orbs/{orb_id}` and `/orbisets`. */
export function catalogRoutes(catalog: Catalog): readonly Route[] {
  return [listOrbs(catalog), showOrb(catalog), listOrbisets(catalog)];
}

const readsOrbs = { method: 'GET', service: 'runtime', scope: 'orbs:read' } as const;

const listOrbs = ({ orbs }: Catalog): Route =>
  defineRoute({
    ...readsOrbs,
    path: '/orbs',
    operationId: 'listOrbs',
    summary: 'List the Orbs of the installation',
    response: {
      $id: 'OrbList',
      type: 'object',
      required: ['orbs'],
      properties: { orbs: { type: 'array', items: orbSummary } },
    },
    problems: [],
    handle: () => ({ orbs: [...orbs.values()].map(summaryOf) }),
  });

const showOrb = ({ orbs }: Catalog): Route =>
  defineRoute({
    ...readsOrbs,
    path: '/orbs/{orb_id}',
    operationId: 'getOrb',
    summary: 'Show an Orb with its schemas',
    params: { type: 'object', required: ['orb_id'], properties: { orb_id: { type: 'string', maxLength: 200 } } },
    response: {
      $id: 'OrbDetail',
      type: 'object',
      required: ['manifest', 'manifest_digest'],
      properties: { manifest: orbManifest, manifest_digest: digest },
    },
    problems: ['orb_not_found'],
    handle: ({ params }) => {
      const orb = orbs.get(params.orb_id);
      if (orb === undefined)
        throw new PlatformError('orb_not_found', `there is no Orb ${params.orb_id}; GET /orbs lists them`);
      return { manifest: orb.manifest, manifest_digest: orb.digest };
    },
  });

const listOrbisets = ({ orbisets }: Catalog): Route =>
  defineRoute({
    ...readsOrbs,
    path: '/orbisets',
    operationId: 'listOrbisets',
    summary: "List the tenant's Orbisets",
    response: {
      $id: 'OrbisetList',
      type: 'object',
      required: ['orbisets'],
      properties: { orbisets: { type: 'array', items: orbisetManifest } },
    },
    problems: [],
    handle: ({ principal }) => {
      const tenant = tenantOf(principal);
      return {
        orbisets: [...orbisets.values()].filter((orbiset) => tenant === undefined || orbiset.tenant === tenant),
      };
    },
  });

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
