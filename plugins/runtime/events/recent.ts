import { hangsOnCaller, mayListen, maySee, type PlatformEvent } from './event.ts';
import type { Callers } from '../tables/callers.ts';
import type { EventFeed } from './feed.ts';
import { before } from './position.ts';
import { defineRoute, exactly, integer, PlatformError, type Principal, type Route } from '../../../kernel/index.ts';

const text = { type: 'string' } as const;

/** Schema of the newest events. */
export const recentEvents = exactly('RecentEvents', {
  events: {
    type: 'array',
    description: 'Newest first',
    items: exactly('RecentEvent', {
      id: { ...text, description: 'Id of the event, as the stream has it' },
      type: { ...text, description: 'Type of the event' },
      timestamp: { ...text, format: 'date-time', description: 'When it happened' },
      data: { type: 'object', description: 'Names and ids', additionalProperties: true },
    }),
  },
});

/** The dependencies of the route. */
interface RecentOptions {
  readonly feed: EventFeed;
  readonly callers: Callers;
  /** Makes the filter of a list of types. */
  readonly ofTypes: (types: string | undefined) => (type: string) => boolean;
  /** Schema of that list. */
  readonly types: object;
}

// How many times the number that is asked for is read of each series, until enough of them fit.
const reaches = [1, 8] as const;

/** Answers `GET /events/recent`: the newest events that the caller may see. */
export const recentRoute = ({ types, ...options }: RecentOptions): Route =>
  defineRoute({
    method: 'GET',
    path: '/events/recent',
    operationId: 'listRecentEvents',
    service: 'runtime',
    anyKey: true,
    summary: 'List the newest events that the key can read; the stream of events shows what comes after them',
    query: { type: 'object', properties: { types, limit: integer(1, 200, 50, 'Maximum number of events') } },
    response: recentEvents,
    async handle({ query, principal }) {
      if (!mayListen(principal))
        throw new PlatformError('insufficient_scope', 'the key has no scope that reads events');
      const found = await newest(options, query as Query, principal);
      return { events: found.map(({ event_id: id, type, at: timestamp, data }) => ({ id, type, timestamp, data })) };
    },
  });

interface Query {
  readonly types?: string;
  readonly limit: number;
}

async function newest(
  { callers, feed, ofTypes }: Omit<RecentOptions, 'types'>,
  { limit, types }: Query,
  caller: Principal,
): Promise<readonly PlatformEvent[]> {
  const isWanted = ofTypes(types);
  const end = await feed.end();
  let found: readonly PlatformEvent[] = [];
  for (const reach of reaches) {
    const start = before(end, reach * limit);
    const read = await feed.read(start, end, Number.MAX_SAFE_INTEGER);
    const wanted = read.map(({ event }) => event).filter(({ type }) => isWanted(type));
    const asked = wanted.filter((event) => hangsOnCaller(event, caller));
    const known = asked.length === 0 ? undefined : await callers.of(asked.map(({ run_id }) => run_id ?? ''));
    found = wanted.filter((event) => maySee(event, caller, (runId) => known?.get(runId)));
    if (found.length >= limit) break;
  }
  return [...found].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, limit);
}
