import { fitsManifest } from './orb.ts';
import { compileLater, exactly, optional, PlatformError, type Infer, type Principal } from '../../../kernel/index.ts';
import { limit, matchesOrb } from '../../../kernel/runner.ts';

const slug = { title: 'Slug', type: 'string', pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', maxLength: 64 } as const;

const limits = limit.properties;
const { count, window_s } = limits.rate.properties;
const describedRate = {
  ...limits.rate,
  description: 'Rate limit of runs',
  properties: {
    count: { ...count, description: 'Number of runs per window' },
    window_s: { ...window_s, description: 'Length of the window in seconds' },
  },
} as const;

/** Schema of an Orbiset manifest, `data/orbisets/<id>.json`. */
export const orbisetManifest = exactly('Orbiset', {
  id: { ...slug, description: 'Id of the Orbiset' },
  tenant: { ...slug, description: 'The tenant it belongs to' },
  labels: optional({
    title: 'Labels',
    type: 'object',
    maxProperties: 32,
    description: 'Labels that policies can read',
    additionalProperties: { type: 'string', maxLength: 200 },
  }),
  orbs: {
    title: 'OrbPatterns',
    type: 'array',
    maxItems: 1000,
    items: {
      type: 'string',
      maxLength: 200,
      pattern: '^(\\*|[a-z0-9._-]+\\.\\*|[a-z0-9._-]+@.+)$',
      examples: ['notify.*'],
    },
    description: 'Orbs that may run here: exact ids, `ns.*`, or `*` for all',
  },
  providers: optional({
    title: 'ProviderNames',
    type: 'array',
    maxItems: 100,
    items: slug,
    description: 'Providers that may serve here. Absent: all',
  }),
  limits: optional({
    title: 'RunLimits',
    ...limit,
    properties: {
      rate: describedRate,
      concurrency: { ...limits.concurrency, description: 'Runs at the same time' },
      async_concurrency: {
        type: 'integer',
        minimum: 1,
        maximum: 64,
        description: 'Queued runs at the same time. Default: 8',
      },
    },
    description: 'Limits of runs in this Orbiset, for all callers together. Default: none',
  }),
  repeat_guard: optional({
    type: 'boolean',
    description: '`false`: repeated calls of agents without an idempotency key are executed again. Default: true',
  }),
  retry_unknown: optional({
    type: 'boolean',
    description: '`false`: a metered call of unknown outcome is not tried elsewhere. Default: true',
  }),
  tools: optional({
    title: 'ToolSettings',
    type: 'object',
    additionalProperties: false,
    description: 'How the Orbs appear to agents as tools',
    properties: {
      names: {
        type: 'object',
        maxProperties: 1000,
        description: 'Names of tools by the id of the Orb. Default: its name with `_` for `.`',
        additionalProperties: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$', examples: ['team-1'] },
      },
      receipts: { enum: ['summary', 'full'], description: '`full`: answers hold the whole receipt. Default: summary' },
    },
  }),
  retention_days: optional({
    title: 'RetentionDays',
    type: 'object',
    additionalProperties: false,
    properties: {
      inputs: { type: 'integer', minimum: 0, maximum: 3650, default: 0, description: 'Retention of inputs in days' },
      outputs: { type: 'integer', minimum: 0, maximum: 3650, default: 0, description: 'Retention of outputs in days' },
    },
    description: 'How long inputs and outputs are kept, encrypted. Default: not kept',
  }),
});

/** A container in which Orbs run: owned by one tenant. */
export type Orbiset = Infer<typeof orbisetManifest>;

const validate = compileLater(orbisetManifest);

/** Checks an Orbiset manifest; faults are added with their pointer, and then there is none. */
export function createOrbiset(value: unknown, faults: string[]): Orbiset | undefined {
  return fitsManifest(validate, value, faults) ? Object.freeze(value as Orbiset) : undefined;
}

/** Says whether an Orb may run in an Orbiset. */
export function admitsOrb(orbiset: Orbiset, orbId: string): boolean {
  return orbiset.orbs.some((pattern) => pattern === '*' || matchesOrb(pattern, orbId));
}

/** Says whether a provider may serve in an Orbiset. */
export function admitsProvider(orbiset: Orbiset, provider: string): boolean {
  return orbiset.providers === undefined || orbiset.providers.includes(provider);
}

/** Parameters of the path of an Orbiset. */
export const orbisetParams = exactly({ id: { type: 'string', maxLength: 64, description: 'Id of the Orbiset' } });

/** Says whether an Orbiset is one of the caller's tenant. */
export function reachesOrbiset({ tenant }: Orbiset, caller: Principal): boolean {
  return tenant === caller.tenant || caller.scopes.includes('*');
}

/** Finds an Orbiset of the caller's tenant. Throws 404 `orbiset_not_found`. */
export function orbisetOf(orbisets: ReadonlyMap<string, Orbiset>, id: string, caller: Principal): Orbiset {
  const orbiset = orbisets.get(id);
  if (orbiset !== undefined && reachesOrbiset(orbiset, caller)) return orbiset;
  throw noOrbiset(id);
}

/** Makes the problem of an Orbiset that is not there, or not the caller's. */
export function noOrbiset(id: string): PlatformError {
  return new PlatformError('orbiset_not_found', `there is no Orbiset ${id}; GET /orbisets lists yours`);
}
