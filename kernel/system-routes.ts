import { exactly } from './tools/schema.ts';
import type { Clock } from './tools/clock.ts';
import type { Health } from './health.ts';
import { defineRoute, reply, type Route } from './http/route/route.ts';
import type { Metrics } from './tools/metrics.ts';

/** The dependencies of the routes of the process itself. */
interface SystemOptions {
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
}

/** Answers `/health` (liveness), `/health/ready` and `/metrics`. */
export function systemRoutes(options: SystemOptions): readonly Route[] {
  return [health(options), readiness(options), showMetrics(options)];
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
