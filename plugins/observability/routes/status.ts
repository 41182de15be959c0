import { defineRoute, exactly, optional, timestamp, type Clock, type Route } from '../../../kernel/index.ts';
import { services } from '../contract.ts';
import type { Board } from '../status/board.ts';
import type { History } from '../status/history.ts';
import { weights, windowDays, type Uptime } from '../status/uptime.ts';
import { incidentOf, maintenanceOf, statusOf } from '../status/wire.ts';
import { cached } from './cached.ts';
import { daySchema, incidentEntry, number, perService, statusBody, time, uptimeFigures } from '../status/schema.ts';

/** Data of the public status routes. */
export interface StatusScope {
  readonly board: Board;
  readonly history: History;
  readonly publicUrl: string;
  readonly clock: Clock;
  /** Longest planned restart, ms. */
  readonly graceMs: number;
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
    // Monitors add what they like to an address.
    ...{ anyQuery: true, finalSlash: true },
    operationId: 'getStatus',
    summary: 'Tell how the platform is',
    response: statusBody,
    handle: async (call) => cached(call, statusOf(await board.snapshot(), publicUrl)),
  });

const formula = ({ board, graceMs }: StatusScope): Route =>
  defineRoute({
    ...shared,
    path: '/status/formula',
    operationId: 'getUptimeFormula',
    summary: 'Tell how uptime_30d_pct is counted, and from what',
    response: exactly('UptimeFormula', {
      window_days: { const: windowDays, description: 'Length of the window' },
      definition: { type: 'array', description: 'The formula in words', items: { type: 'string' } },
      weights: { type: 'object', description: 'Weight of each status', additionalProperties: number },
      observed_since: { ...time, description: 'First heartbeat of the installation' },
      platform: { ...uptimeFigures, description: 'Figures of the whole platform' },
      services: { ...perService(uptimeFigures), description: 'Figures of each service' },
    }),
    async handle(call) {
      const { byService, uptime, observedSince } = await board.snapshot();
      return cached(call, {
        window_days: windowDays,
        definition: definition(graceMs),
        weights,
        observed_since: timestamp(observedSince),
        platform: shown(uptime),
        services: Object.fromEntries(services.map((name) => [name, shown(byService[name])])),
      });
    },
  });

/** Explains in sentences how uptime is counted. */
function definition(graceMs: number): readonly string[] {
  return [
    'The window is the last 30 days, in UTC. Nothing before the first heartbeat of this installation counts: neither as up nor as down.',
    'Each service has stretches of time with a status: what its components measured of themselves, and incidents that name it. Incidents of Orbs and of providers do not count here.',
    'Where stretches of a service overlap, the heaviest counts, never their sum. Maintenance goes before all: its time counts neither as up nor as down.',
    'The platform is at each moment as its worst service.',
    `No heartbeat for more than 30 seconds is a major outage of all services up to the moment of being ready again; maintenance, when the process had ended cleanly and was back within ${graceMs / 60_000} minutes.`,
    'Time that the clock of the machine skipped while the process lived counts neither way.',
    'downtime_seconds is the sum of seconds × weight of their status; observed_seconds is what counts of the window.',
    'uptime_pct = 100 × (1 − downtime_seconds ÷ observed_seconds), rounded down to 3 decimals: 100 only without any downtime. With nothing observed yet it is 100, and coverage_pct says 0.',
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
    summary: 'List the days of the past with their uptime and incidents',
    query: exactly({
      days: optional({
        type: 'integer',
        minimum: 1,
        maximum: 90,
        default: 30,
        description: 'Number of days, today included',
      }),
    }),
    response: exactly('StatusHistory', {
      days: { type: 'array', items: daySchema, description: 'Newest first' },
      incidents: { type: 'array', items: incidentEntry, description: 'Newest first; maintenance after incidents' },
      complete: { type: 'boolean', description: 'False when the store cannot be read: only what memory knows' },
    }),
    async handle(call) {
      const { days, incidents, maintenance, complete } = await past.of(call.query.days ?? windowDays);
      return cached(call, {
        days,
        incidents: [
          ...incidents.map((incident) => incidentOf(incident, publicUrl)),
          ...maintenance.map((window) => maintenanceOf(window, publicUrl, clock.now())),
        ],
        complete,
      });
    },
  });
