import type { RuntimeScope } from '../facts/scope.ts';
import type { RuntimeReads } from '../store.ts';
import { startOf, steps } from '../tables/counts.ts';
import { kept } from './retention.ts';
import type { CallerNames } from '../facts/ports.ts';
import { callerGroupings } from '../tables/caller-series.ts';
import { groupings } from '../tables/count-series.ts';
import type { Figures, Series } from '../tables/series.ts';
import {
  given,
  requireAnyScope,
  type Principal,
  unfit,
  defineRoute,
  type Route,
  timestamp,
  exactly,
  optional,
  type Infer,
} from '../../../kernel/index.ts';

/** The dependencies of the route of counts. */
interface StatsOptions extends Pick<RuntimeScope, 'clock'>, Pick<RuntimeReads, 'listSeries' | 'listCallers'> {
  readonly names: CallerNames;
}

const mostPoints = 1500;
const time = { type: 'string', format: 'date-time' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const stepNames = ['minute', 'quarter_hour', 'hour', 'day'] as const;
type Step = (typeof stepNames)[number];
const seconds = { ...steps, quarter_hour: 15 * steps.minute } as const;

const figures = {
  total: { ...count, description: 'Number of ended runs or webhooks' },
  statuses: { type: 'object', description: 'Number by status', additionalProperties: count },
  mean_ms: optional({ ...count, description: 'Mean duration of runs' }),
  p50_ms: optional({ ...count, description: 'Median duration of runs' }),
  p95_ms: optional({ ...count, description: '95th percentile of the duration; at most 25 % too high' }),
} as const;
const point = exactly({ at: { ...time, description: 'Start of the step' }, ...figures });

/** Schema of counts over time. */
export const stats = exactly('Stats', {
  from: { ...time, description: 'Start of the first step' },
  to: { ...time, description: 'End of the last step' },
  step: { enum: stepNames, description: 'Length of each step' },
  series: {
    type: 'array',
    description: 'Largest first; at most 50, the rest is summed up in one without `value`',
    items: exactly({
      value: optional({ type: 'string', description: 'Value of `by`; empty: no value' }),
      name: optional({ type: 'string', description: 'Name of the principal or key' }),
      overall: { ...exactly('Figures', figures), description: 'Figures of the whole time' },
      points: {
        type: 'array',
        description: 'Oldest first; no point for a step without runs or webhooks',
        items: point,
      },
    }),
  },
});

const statsQuery = {
  type: 'object',
  properties: {
    from: { ...time, description: 'Default: 60 minutes, 96 quarters of an hour, 168 hours or 90 days before `to`' },
    to: { ...time, description: 'Default: now' },
    step: { enum: stepNames, description: 'Default: the shortest step that is kept and gives at most 1,500 points' },
    by: {
      enum: [...groupings, ...callerGroupings],
      description: 'One series for each value; `source` is of webhooks',
    },
    what: { enum: ['runs', 'webhooks'], description: 'Default: runs' },
  },
} as const;

type Asked = Infer<typeof statsQuery>;

/**
 * Answers `GET /stats`: counts of finished runs and deliveries, by time; of the key's own tenant unless it holds `*`.
 */
export const statsRoute = (options: StatsOptions): Route =>
  defineRoute({
    method: 'GET',
    path: '/stats',
    operationId: 'getStats',
    service: 'runtime',
    scope: 'stats:read',
    summary: 'Show statistics of runs or webhooks over time; kept for years',
    query: statsQuery,
    response: stats,
    handle: async ({ query, principal }) => {
      const { step, ...range } = rangeOf(query, Math.floor(options.clock.now() / 1000));
      const { what = 'runs', by } = query;
      const asked = { ...range, tenant: tenantFor(what, principal), step: seconds[step] };
      const groups: readonly unknown[] = what === 'runs' ? groupsOfRuns : groupsOfWebhooks;
      if (by !== undefined && !groups.includes(by))
        throw unfit('invalid_parameter', 'by', `${what} cannot be grouped by ${by}`);
      const series = await (isCaller(by)
        ? options.listCallers({ ...asked, by })
        : options.listSeries({ ...asked, what, by }));
      if (series === undefined)
        throw unfit('invalid_parameter', 'from', 'too much data; request a shorter time, or a longer step');
      const shown = { from: wire(range.from), to: wire(range.to), step };
      const nameOf = (value: string | undefined) => (isCaller(by) && value ? options.names(by, value) : undefined);
      return { ...shown, series: await Promise.all(series.map((one) => shownSeries(one, { what, by, nameOf }))) };
    },
  });

type By = Asked['by'];
const groupsOfRuns = [...groupings.filter((by) => by !== 'source'), ...callerGroupings];
const groupsOfWebhooks = groupings.filter((by) => by !== 'provider');

function isCaller(by: By): by is (typeof callerGroupings)[number] {
  return (callerGroupings as readonly By[]).includes(by);
}

function tenantFor(what: string, principal: Principal): string | undefined {
  // Webhooks belong to the installation.
  if (what === 'webhooks') requireAnyScope(principal, '*');
  return principal.scopes.includes('*') ? undefined : principal.tenant;
}

const defaults = { minute: 60, quarter_hour: 96, hour: 7 * 24, day: 90 } as const;

/** Finds the steps that a question is about, whole ones; in seconds. Throws 400 `invalid_parameter`. */
function rangeOf(asked: Asked, now: number) {
  const to = asked.to === undefined ? now : secondsOf(asked.to);
  const fit = (from: number): Step =>
    stepNames.find((step) => from >= oldest(step, now) && (to - from) / seconds[step] < mostPoints) ?? 'day';
  const step = asked.step ?? (asked.from === undefined ? 'minute' : fit(secondsOf(asked.from)));
  const begin = asked.from === undefined ? to - defaults[step] * seconds[step] : secondsOf(asked.from);
  const from = startOf(begin, seconds[step]);
  const end = startOf(to - 1, seconds[step]) + seconds[step];
  if (from >= end) throw unfit('invalid_parameter', 'from', 'must be before `to`');
  if (from < oldest(step, now))
    throw unfit('invalid_parameter', 'step', `data by ${step} is no longer kept for this time; use a longer step`);
  if ((end - from) / seconds[step] > mostPoints)
    throw unfit('invalid_parameter', 'step', 'more than 1,500 points; use a longer step');
  return { from, to: end, step };
}

// Days are the longest step: days older than their retention show zero.
const oldest = (step: Step, now: number): number =>
  step === 'day' ? -Infinity : now - kept[step === 'quarter_hour' ? 'minute' : step];
const secondsOf = (text: string): number => Math.floor(Date.parse(text) / 1000);
const wire = (at: number): string => timestamp(at * 1000);

interface ShownAs {
  readonly what: string;
  readonly by: By;
  readonly nameOf: (value: string | undefined) => ReturnType<CallerNames>;
}

async function shownSeries({ value, overall, points }: Series, { what, by, nameOf }: ShownAs): Promise<object> {
  const named = by === undefined || value === undefined ? {} : { value };
  const timed = what === 'runs';
  return {
    ...{ ...named, ...given({ name: await nameOf(value) }), overall: shownFigures(overall, timed) },
    points: points.map(({ at, ...one }) => ({ at: wire(at), ...shownFigures(one, timed) })),
  };
}

function shownFigures({ total, statuses, ...durations }: Figures, timed: boolean): object {
  return { total, statuses, ...(timed ? durations : {}) };
}
