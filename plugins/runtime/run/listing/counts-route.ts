import type { RuntimeScope } from '../../facts/scope.ts';
import { filterFaults, orbsOf, runFilter, statusesOf } from './filters.ts';
import { tenantOf } from './list.ts';
import type { RuntimeReads } from '../../store.ts';
import { facets } from '../../tables/run-counts.ts';
import { defineRoute, exactly, timestamp, type Route } from '../../../../kernel/index.ts';

/** The dependencies of the route. */
interface CountOptions extends Pick<RuntimeScope, 'clock'>, Pick<RuntimeReads, 'countRuns'> {}

const time = { type: 'string', format: 'date-time' } as const;
const counted = {
  type: 'array',
  description: 'The values, most runs first; at most 50',
  items: exactly('RunCount', {
    value: { type: 'string', description: 'The value' },
    runs: { type: 'integer', minimum: 0, description: 'Number of runs' },
  }),
} as const;

/** Schema of the numbers of runs by value. */
export const runCounts = exactly('RunCounts', {
  from: { ...time, description: 'Runs that ended before it are not counted' },
  to: { ...time, description: 'Runs that ended later are not counted' },
  status: counted,
  orb_id: counted,
  orbiset_id: counted,
  provider: counted,
});

const { principal: _, key_id: __, reason: ___, ...filter } = runFilter;

/** Answers `GET /runs/counts`: how many ended runs each value of a filter would list, under the other filters. */
export const runCountsRoute = ({ clock, countRuns }: CountOptions): Route =>
  defineRoute({
    method: 'GET',
    path: '/runs/counts',
    operationId: 'countRuns',
    service: 'runtime',
    scope: 'runs:read',
    summary: 'Count ended runs by status, Orb, Orbiset and provider; each under the filters of the others',
    query: {
      type: 'object',
      properties: {
        ...filter,
        from: { ...time, description: 'Ended not before this time. Default: as far back as counts are read quickly' },
        to: { ...time, description: 'Ended before this time. Default: now' },
      },
    },
    queryFaults: filterFaults,
    response: runCounts,
    async handle({ query: { status, orb_id, from, to, ...equal }, principal }) {
      const end = secondsOf(to) ?? Math.floor(clock.now() / 1000) + 1;
      const asked = { ...equal, ...orbsOf(orb_id), statuses: statusesOf(status), tenant: tenantOf(principal) };
      const found = await countRuns({ ...asked, from: secondsOf(from) ?? 0, to: end });
      const values = Object.fromEntries(facets.map((facet) => [facet, found.values[facet]]));
      return { from: timestamp(found.from * 1000), to: timestamp(end * 1000), ...values };
    },
  });

const secondsOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Math.floor(Date.parse(text) / 1000);
