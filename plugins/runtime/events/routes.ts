import type { RuntimeScope } from '../facts/scope.ts';
import runtimeStore, { type RuntimeReads } from '../store.ts';
import type { Ports } from '../facts/ports.ts';
import type { AttestedLog } from '../facts/attested-log.ts';
import { runStatuses } from '../facts/facts.ts';
import { attestedEvent, maySee, mayListen, typeFilter, type PlatformEvent } from './event.ts';
import { Callers, type Find } from '../tables/callers.ts';
import { EventFeed } from './feed.ts';
import { EventHub } from './hub.ts';
import { isWithin, positionOf, type Position } from './position.ts';
import { eventsKeptMs, forgetEvents } from './retention.ts';
import { recentRoute } from './recent.ts';
import { follow } from './stream.ts';
import { PlatformError, defineRoute, reply, type Route, type Principal } from '../../../kernel/index.ts';

/** The dependencies of the route of events. */
interface EventOptions extends Pick<RuntimeScope, 'clock' | 'store'> {
  readonly hub: EventHub;
  readonly feed: EventFeed;
  readonly findRun: RuntimeReads['findRun'];
  /** Finds who made runs that wait, are under way or have ended. */
  readonly callers: Callers;
}

const patterns = '^(\\*|[a-z_]+\\.(\\*|[a-z_]+))(,(\\*|[a-z_]+\\.(\\*|[a-z_]+)))*$';

const eventQuery = {
  type: 'object',
  properties: {
    types: {
      type: 'string',
      maxLength: 500,
      pattern: patterns,
      description: '`run.completed,swap.*`; default: all',
      examples: ['run.completed,swap.*'],
    },
    run_id: {
      type: 'string',
      maxLength: 64,
      description: 'Only events of this run; the stream ends with `event: end` after the run ends',
    },
    format: { enum: ['standard', 'cloudevents'], description: '`cloudevents`: CloudEvents 1.0, structured' },
  },
} as const;

// Answers `GET /events`: what happens, as server-sent events.
const eventRoute = (options: EventOptions): Route =>
  defineRoute({
    method: 'GET',
    path: '/events',
    eventSource: true,
    operationId: 'streamEvents',
    service: 'runtime',
    anyKey: true,
    summary: 'Stream the events that the key can read, as server-sent events',
    reads: ['Last-Event-ID'],
    query: eventQuery,
    produces: 'text/event-stream',
    sends: { 'Orb-Key-Id': { description: 'Id of the key that reads the events' } },
    answers: { 204: { description: 'The run has ended, and the client already received its last event' } },
    handle: async (call) => {
      const { query, principal, headers } = call;
      if (!mayListen(principal))
        throw new PlatformError('insufficient_scope', 'the key has no scope that reads events');
      const { hub, feed, store, callers } = options;
      // Another node may have sent the client events that this node has not read yet.
      await hub.advance();
      const given = headers['last-event-id'];
      const from = typeof given === 'string' && given !== '' ? await startOf(given, options) : undefined;
      const { run_id, format } = query;
      const run = run_id === undefined ? undefined : { run_id, end: () => endOf(run_id, principal, options) };
      if (from !== undefined && from !== 'gap' && (await isTold(await run?.end(), from, feed)))
        return reply({ status: 204 });
      const ofType = typeFilter(query.types);
      const last = (event: PlatformEvent): boolean => run_id !== undefined && ends(event);
      const stream = follow(
        {
          ...{ principal, run, last, callers },
          info: call,
          from: from === 'gap' ? undefined : from,
          gap: from === 'gap',
          wanted: (event) => (run_id === undefined || event.run_id === run_id) && (ofType(event.type) || last(event)),
          shown: format === 'cloudevents' ? (event) => cloudEvent(event, store.installation) : standard,
        },
        hub,
        feed,
      );
      return reply({ type: 'text/event-stream', headers: { ...unchanged, 'Orb-Key-Id': principal.key_id }, stream });
    },
  });

// A proxy that compresses an event stream, or collects it, holds events back. (RFC 9111, 5.2.2.6.)
const unchanged = { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' } as const;

async function startOf(id: string, { store, clock, feed }: EventOptions): Promise<Position | 'gap'> {
  const given = positionOf(id, store.sealer);
  if (given === undefined || clock.now() - given.made > eventsKeptMs || !isWithin(given, await feed.end()))
    return 'gap';
  return { log: given.log, events: given.events };
}

// The event of the end of a run that has ended; undefined while it has not, or for a caller that may not see it.
async function endOf(
  runId: string,
  principal: Principal,
  { findRun }: EventOptions,
): Promise<PlatformEvent | undefined> {
  const run = await findRun(runId);
  if (run === undefined) return undefined;
  const { run_id, tenant, orbiset_id, orb_id, status, receipt_id, finished_at: timestamp } = run;
  const row = { run_id, tenant, orbiset_id, orb_id, status, receipt_id, timestamp, kind: 'run' };
  const event = attestedEvent({ ...row, shard: '', index: 0, scopes: [] });
  return maySee(event, principal, () => run.principal) ? event : undefined;
}

async function isTold(event: PlatformEvent | undefined, from: Position, { log }: EventFeed): Promise<boolean> {
  const place = event && (await log.place(event.event_id));
  return place !== undefined && (from.log[place.shard] ?? 0) > place.index;
}

const endings: ReadonlySet<string> = new Set(runStatuses);
const ends = ({ type }: PlatformEvent): boolean => type.startsWith('run.') && endings.has(type.slice(4));

// The body of Standard Webhooks, as callbacks have it.
function standard({ event_id, type, at, data }: PlatformEvent): object {
  return { id: event_id, type, timestamp: at, data };
}

/** Makes the structured form of CloudEvents 1.0. */
function cloudEvent({ event_id, type, at, run_id, orb_id, data }: PlatformEvent, installation: string): object {
  const subject = run_id ?? orb_id;
  return {
    ...{ specversion: '1.0', id: event_id, source: `urn:agent-orb:${installation}`, type: `agent-orb.${type}` },
    ...(subject === undefined ? {} : { subject }),
    ...{ time: at, datacontenttype: 'application/json', data },
  };
}

/** What events need. */
interface EventScope extends Pick<RuntimeScope, 'clock' | 'log' | 'store'> {
  /** The log of receipts, and the service that announces revoked keys. */
  readonly ports: Pick<Ports, 'log' | 'revoking'>;
  /** Finds who made runs that wait or are under way. */
  readonly queuedCallers: Find;
}

/** The stream of events: its route, and what ends it. */
export type OpenEvents = Awaited<ReturnType<typeof openEvents>>;

// Without a plugin that keeps receipts no runs end, so there are no events of runs.
const emptyLog: AttestedLog = Object.freeze({
  sizes: () => ({}),
  rows: () => Promise.resolve([]),
  place: () => undefined,
  onAppend: () => () => undefined,
});

/** Opens the stream of events. */
export async function openEvents(scope: EventScope, reads: RuntimeReads) {
  const { store, ports } = scope;
  const { log = emptyLog, revoking } = ports;
  const { lastEvents, findRun, callersOf } = reads;
  const { eventsAfter, eventsOfRun } = store.awaitedReads(runtimeStore);
  const feed = new EventFeed({ log, reads: { lastEvents, eventsAfter, eventsOfRun } });
  // A run is in one of them at every time: it leaves the queue with its receipt.
  const callers = new Callers(scope.queuedCallers, callersOf);
  const hub = new EventHub({ ...scope, feed, position: await feed.end() });
  const stopForgetting = forgetEvents(scope);
  const stopLooking = revoking?.onRevoked(() => hub.checkKeys());
  const { types } = eventQuery.properties;
  return {
    routes: [
      eventRoute({ ...scope, hub, feed, findRun, callers }),
      recentRoute({ feed, callers, ofTypes: typeFilter, types }),
    ],
    close() {
      void stopForgetting();
      stopLooking?.();
      hub.close();
    },
  };
}
