import { defineRoute, exactly, given, optional, type Route } from '../../../kernel/index.ts';
import { envelopeSchemas } from '../contract.ts';
import { reading, type RouteScope } from './scope.ts';
import { action, diagnostics } from '../shapes.ts';
import { nativeBuiltins, packageBuiltins } from '../builtins/names.ts';
import { ownBuiltinNames } from '../builtins/all.ts';

const text = { type: 'string' } as const;
const count = { type: 'integer' } as const;

/** Schema of the status of the policy engine. */
export const status = exactly('PolicyStatus', {
  health: { enum: ['operational', 'degraded_performance', 'major_outage'], description: 'Health of the policy engine' },
  revision: { type: ['string', 'null'], description: 'Digest of the active revision' },
  policies: { ...count, description: 'Number of active policies' },
  compiler: {
    enum: ['wasm', 'building', 'precompiled', 'absent'],
    description: '`precompiled`: there is no compiler, and the active policies were compiled earlier',
  },
  compiler_running: optional({ type: 'boolean', description: 'Whether the compiler is compiling now' }),
  rejected: {
    type: ['object', 'null'],
    description: 'The policies folder that was rejected',
    required: ['at', 'errors', 'diagnostics'],
    properties: {
      at: { ...text, description: 'When it was rejected' },
      errors: { ...count, description: 'Number of errors' },
      diagnostics: { ...diagnostics, description: 'The first errors' },
    },
  },
  folder: optional({
    description: 'The policies folder of this node, which follows the active revision; only where nodes share a store',
    ...exactly({
      equal_to: { type: ['string', 'null'], description: 'The active revision that the folder last matched' },
      read_only: {
        type: 'boolean',
        description: 'Whether the folder is read-only, so that it cannot follow the active revision',
      },
    }),
  }),
  queue: { ...count, description: 'Number of waiting decisions' },
  timeouts: { ...count, description: 'Number of decisions that ran out of time' },
  cache: {
    description: 'The decision cache',
    ...exactly({
      entries: { ...count, description: 'Number of decisions in the cache' },
      hits: { ...count, description: 'Number of decisions answered from the cache' },
      misses: { ...count, description: 'Number of decisions that were not in the cache' },
    }),
  },
});

/** Makes the routes that report on the engine itself. */
export function statusRoutes(scope: RouteScope): readonly Route[] {
  return [statusRoute(scope), schemaRoute(), capabilitiesRoute()];
}

const statusRoute = ({ engine, decider, folder, pool, tally, source }: RouteScope): Route =>
  defineRoute({
    ...reading,
    path: '/policies/-/status',
    operationId: 'getPolicyStatus',
    summary: 'Read the status of the policy engine',
    response: status,
    handle() {
      const { active, rejected } = engine;
      const state = source.state();
      return {
        health: active === undefined ? 'major_outage' : rejected === undefined ? 'operational' : 'degraded_performance',
        revision: active?.digest ?? null,
        policies: active?.policies.length ?? 0,
        compiler: state === 'absent' && engine.precompiled ? 'precompiled' : state,
        compiler_running: source.compiler()?.running() ?? false,
        rejected: rejected === undefined ? null : rejectedOf(rejected),
        ...given({ folder: folder && { equal_to: folder.base ?? null, read_only: folder.readOnly } }),
        queue: pool.queued(),
        timeouts: tally.timeouts,
        cache: { entries: decider.active()?.cache.size ?? 0, hits: tally.hits, misses: tally.misses },
      };
    },
  });

function rejectedOf({ at, diagnostics: found }: NonNullable<RouteScope['engine']['rejected']>): object {
  const errors = found.filter(({ severity }) => severity === 'error');
  return { at, errors: errors.length, diagnostics: errors.slice(0, 20) };
}

const schemaRoute = (): Route =>
  defineRoute({
    ...reading,
    path: '/policies/-/schemas/{action}',
    operationId: 'getPolicyInputSchema',
    summary: 'Read the schema of the input that policies get for an action',
    params: exactly({ action: { ...action, description: 'The action' } }),
    response: { type: 'object', additionalProperties: true },
    handle: ({ params }) => envelopeSchemas[params.action],
  });

const names = { type: 'array', items: text } as const;

const capabilitiesRoute = (): Route =>
  defineRoute({
    ...reading,
    path: '/policies/-/capabilities',
    operationId: 'getPolicyCapabilities',
    summary: 'List the builtins that policies may call',
    response: exactly({
      opa_version: { ...text, description: 'Version of OPA' },
      builtins: {
        description: 'Names of builtins, grouped by the part that evaluates them',
        ...exactly({
          native: { ...names, description: 'Compiled into the policy' },
          evaluator: { ...names, description: 'Evaluated by the evaluator' },
          own: { ...names, description: 'Evaluated by the platform' },
        }),
      },
    }),
    handle: () => ({
      opa_version: opaVersion,
      builtins: { native: nativeBuiltins, evaluator: packageBuiltins, own: ownBuiltinNames },
    }),
  });

/** The OPA version that the compiler is built with; a test compares it with the compiler's go.mod. */
export const opaVersion = '1.22.2';
