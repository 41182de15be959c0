import { PlatformError } from './error.ts';
import { differing } from './store/peers/alike.ts';
import { exactly, optional, type Infer } from './tools/schema.ts';
import { timestamp, type Clock } from './tools/clock.ts';
import type { Health } from './health.ts';
import { defineRoute, reply, type Route } from './http/route/route.ts';
import type { NodeView, Peers } from './store/peers/peers.ts';
import type { Metrics } from './tools/metrics.ts';

/** The dependencies of the routes of the process itself. */
export interface SystemOptions {
  readonly version: string;
  readonly clock: Clock;
  /** Start time on the monotonic clock, ms. */
  readonly startedAt: number;
  /** Returns `ready`, or why the process is not ready. */
  readonly state: () => 'starting' | 'ready' | 'draining';
  /** Whether nothing can be stored now. */
  readonly isAway: () => boolean;
  /** Returns the health of each component that must work before a run can be recorded. */
  readonly components: () => Readonly<Record<string, Health>>;
  readonly metrics: Metrics;
  readonly peers: Pick<Peers, 'dismiss' | 'nodes'>;
}

/** Answers `/health` (liveness), `/health/ready`, `/metrics`, `/nodes` and `/nodes/{name}/leave`. */
export function systemRoutes(options: SystemOptions): readonly Route[] {
  return [health(options), readiness(options), showMetrics(options), listNodes(options), dismissNode(options)];
}

const open = { method: 'GET', service: 'shared', public: true, unlimited: true } as const;
// Monitors add their own query parameters.
const forMonitors = { ...open, anyQuery: true, finalSlash: true } as const;

const health = ({ version, clock, startedAt }: SystemOptions): Route =>
  defineRoute({
    ...forMonitors,
    path: '/health',
    operationId: 'getHealth',
    summary: 'Liveness: the process runs',
    response: exactly('Health', {
      status: { const: 'ok', description: 'The process runs' },
      version: { type: 'string', description: 'Version of the program' },
      uptime_seconds: { type: 'integer', minimum: 0, description: 'Seconds since the start' },
    }),
    handle: () => ({ status: 'ok', version, uptime_seconds: Math.floor((clock.monotonic() - startedAt) / 1000) }),
  });

const readiness = ({ state, components, isAway }: SystemOptions): Route =>
  defineRoute({
    ...forMonitors,
    path: '/health/ready',
    operationId: 'getReadiness',
    summary: 'Readiness: 200 if the server accepts new work, else 503',
    also: [503],
    response: exactly('Readiness', {
      status: {
        enum: ['ready', 'starting', 'draining', 'unavailable'],
        description: 'Whether the server accepts new work, or why not',
      },
      components: {
        type: 'object',
        description: 'Health of each component',
        additionalProperties: { enum: ['up', 'degraded', 'down', 'unknown'] },
      },
    }),
    handle: () => {
      const found = components();
      const down = Object.values(found).includes('down') || isAway();
      const status = state() === 'ready' && down ? 'unavailable' : state();
      return reply({ status: status === 'ready' ? 200 : 503, body: { status, components: found } });
    },
  });

const showMetrics = ({ metrics }: SystemOptions): Route =>
  defineRoute({
    method: 'GET',
    path: '/metrics',
    operationId: 'getMetrics',
    service: 'shared',
    scope: 'metrics:read',
    summary: 'Show the metrics in Prometheus text format',
    produces: 'text/plain; version=0.0.4; charset=utf-8',
    handle: async () => {
      const { type, text } = await metrics.show();
      return reply({ type, body: text });
    },
  });

const node = exactly('Node', {
  name: { type: 'string', description: 'ORB_NODE, or the name in its state dir' },
  incarnation: { type: 'string', description: 'Id of its current start: 16 hex digits' },
  state: {
    enum: ['live', 'left', 'dead'],
    description: '`left`: it stopped; `dead`: another node took over its work',
  },
  serving: { type: 'boolean', description: 'Whether it accepts requests' },
  health: { enum: ['up', 'degraded', 'down'], description: '`down`: it does not serve; `degraded`: see `reason`' },
  reason: optional({ type: 'string', description: 'Why it is degraded' }),
  version: { type: 'string', description: 'Version of its program' },
  joined_at: { type: 'string', format: 'date-time', description: 'When it started' },
  lease_until: optional({
    type: 'string',
    format: 'date-time',
    description: 'Its lease expires then unless it renews it',
  }),
  behind: { type: 'integer', minimum: 0, description: 'Changes by other nodes that it has not applied yet' },
});
const nodeList = exactly('NodeList', {
  nodes: { type: 'array', description: 'By name', items: node },
});

/** The answer of `GET /nodes`. */
export type NodeList = Infer<typeof nodeList>;

const listNodes = ({ peers }: SystemOptions): Route =>
  defineRoute({
    method: 'GET',
    path: '/nodes',
    operationId: 'listNodes',
    service: 'shared',
    scope: 'nodes:read',
    summary: 'List the nodes that share the store',
    response: nodeList,
    handle: async () => {
      const nodes = await peers.nodes();
      const odd = differing(nodes);
      return { nodes: nodes.map((one) => shown(one, odd.has(one.name))) };
    },
  });

function shown({ config: _, joined_at, lease_until, ...rest }: NodeView, differs: boolean): Infer<typeof node> {
  const reason = 'its providers, bindings, plugins or limits differ from the other nodes';
  return {
    ...rest,
    health: !rest.serving ? 'down' : differs ? 'degraded' : 'up',
    ...(rest.serving && differs ? { reason } : {}),
    joined_at: timestamp(joined_at),
    ...(lease_until === null ? {} : { lease_until: timestamp(lease_until) }),
  };
}

const dismissNode = ({ peers }: SystemOptions): Route =>
  defineRoute({
    method: 'POST',
    path: '/nodes/{name}/leave',
    operationId: 'dismissNode',
    service: 'runtime',
    scope: 'nodes:manage',
    live: true,
    keyAgain: true,
    summary: 'Remove a dead node and take over its work',
    params: exactly({ name: { type: 'string', maxLength: 64, description: 'Name of the node' } }),
    body: exactly('NodeDismissal', {
      confirm: { type: 'string', maxLength: 64, description: 'The name again, as confirmation: this cannot be undone' },
    }),
    response: node,
    problems: ['node_not_found', 'node_alive', 'invalid_body'],
    handle: async ({ params: { name }, body: { confirm } }) => {
      if (confirm !== name) {
        const detail = `send the name ${name} as \`confirm\`: open work of the node ends as interrupted`;
        throw new PlatformError('invalid_body', detail, { errors: [{ pointer: '#/confirm', detail }] });
      }
      const found = await peers.dismiss(name);
      if (found === undefined)
        throw new PlatformError('node_not_found', `there is no node ${name}; GET /nodes lists them`);
      if (found.state === 'live')
        throw new PlatformError('node_alive', `the node ${name} is still alive; stop it first`);
      return shown(found, false);
    },
  });
