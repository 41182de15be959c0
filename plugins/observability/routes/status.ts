import {
  type PluginScope,
  defineRoute,
  exactly,
  optional,
  timestamp,
  type Brand,
  type Route,
  integer,
} from '../../../kernel/index.ts';
import { services } from '../contract.ts';
import type { Board } from '../status/board.ts';
import { silentBeats } from '../status/gap.ts';
import type { History } from '../status/history.ts';
import { weights, windowDays, type Uptime } from '../status/uptime.ts';
import { entriesOf, statusOf } from '../status/wire.ts';
import { cached } from './cached.ts';
import { daySchema, incidentEntry, number, perService, statusBody, time, uptimeFigures } from '../status/schema.ts';

/** Data of the public status routes. */
export interface StatusScope extends Pick<PluginScope<unknown, never>, 'clock' | 'publicUrl'> {
  readonly board: Board;
  readonly brand: Brand;
  readonly history: History;
  /** Longest planned restart, ms. */
  readonly graceMs: number;
  readonly everyMs: number;
}

const shared = { method: 'GET', service: 'shared', public: true, conditional: true, problems: [] } as const;

/** Makes the route of /status and the routes that explain it. */
export function statusRoutes(scope: StatusScope): readonly Route[] {
  return [status(scope), formula(scope), history(scope)];
}

const status = ({ board, publicUrl }: StatusScope): Route =>
  defineRoute({
    ...shared,
    path: '/status',
    // Monitors add their own query parameters.
    ...{ anyQuery: true, finalSlash: true },
    operationId: 'getStatus',
    summary: 'Read the status of the platform',
    response: statusBody,
    handle: async (call) => cached(call, statusOf(await board.snapshot(), publicUrl)),
  });

const formula = ({ board, graceMs, everyMs }: StatusScope): Route =>
  defineRoute({
    ...shared,
    path: '/status/formula',
    operationId: 'getUptimeFormula',
    summary: 'Read how uptime_30d_pct is calculated',
    response: exactly('UptimeFormula', {
      window_days: { const: windowDays, description: 'Length of the window' },
      definition: { type: 'array', description: 'The formula in words', items: { type: 'string' } },
      weights: { type: 'object', description: 'Weight of each status', additionalProperties: number },
      observed_since: { ...time, description: 'First heartbeat of the installation' },
      platform: { ...uptimeFigures, description: 'Uptime of the whole platform' },
      services: { ...perService(uptimeFigures), description: 'Uptime of each service' },
    }),
    async handle(call) {
      const { byService, uptime, observedSince } = await board.snapshot();
      return cached(call, {
        window_days: windowDays,
        definition: definition(graceMs, everyMs),
        weights,
        observed_since: timestamp(observedSince),
        platform: shown(uptime),
        services: Object.fromEntries(services.map((name) => [name, shown(byService[name])])),
      });
    },
  });

/** Explains in sentences how uptime is counted. */
function definition(graceMs: number, everyMs: number): readonly string[] {
  return [
    'The window is the last 30 days, in UTC. The time before the first heartbeat of this installation does not count, neither as up nor as down.',
    'Each service has periods with a status. They come from the measurements of its components and from incidents that name the service. Incidents of Orbs and of providers do not count here.',
    'Where periods of a service overlap, only the worst status counts. Maintenance takes precedence: its time counts neither as up nor as down.',
    'At each moment, the status of the platform is the status of its worst service.',
    `A gap of more than ${(silentBeats * everyMs) / 1000} seconds between heartbeats is a major outage of all services, until the server is ready again. It is maintenance if the process stopped cleanly and was back within ${graceMs / 60_000} minutes.`,
    'Time that the clock of the machine skipped while the process was running counts neither as up nor as down.',
    'downtime_seconds is the sum of all seconds × the weight of their status. observed_seconds is the part of the window that counts.',
    'uptime_pct = 100 × (1 − downtime_seconds ÷ observed_seconds), rounded down to 3 decimals, so it is 100 only without any downtime. Before the first observation it is 100, and coverage_pct is 0.',
  ];
}

function shown({ from, to, ...rest }: Uptime): object {
  return { from: timestamp(from), to: timestamp(to), ...rest };
}

const history = ({ history: past, clock, publicUrl }: StatusScope): Route =>
  defineRoute({
    ...shared,
    path: '/status/history',
    operationId: 'getStatusHistory',
    summary: 'List past days with their uptime and incidents',
    query: exactly({ days: optional(integer(1, 90, 30, 'Number of days, today included')) }),
    response: exactly('StatusHistory', {
      days: { type: 'array', items: daySchema, description: 'The days, newest first' },
      incidents: { type: 'array', items: incidentEntry, description: 'The incidents, newest first, then maintenance' },
      complete: {
        type: 'boolean',
        description: '`false`: the store cannot be read, so the answer holds only what is in memory',
      },
    }),
    async handle(call) {
      const { days, complete, ...those } = await past.of(call.query.days ?? windowDays);
      return cached(call, { days, incidents: entriesOf(those, publicUrl, clock.now()), complete });
    },
  });
