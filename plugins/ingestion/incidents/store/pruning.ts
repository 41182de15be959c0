import { given, timestamp, type WriteConnection } from '../../../../kernel/index.ts';
import type { AlertEvent } from '../model/event.ts';

/** The place of an event in the order of their times. */
type Place = Pick<AlertEvent, 'occurred_ms' | 'event_id'>;

/** What is to be pruned: all before a moment; `from`: the place at which the last write stopped. */
interface Prune {
  readonly before: string;
  readonly before_ms: number;
  readonly from?: Place;
}

/** Result of one write; `more`: call it again, from this place. */
interface Pruned {
  /** Number of incidents frozen, and of other events deleted. */
  readonly pruned: number;
  readonly more: boolean;
  readonly from?: Place;
}

/** Indexes for pruning: neither frozen incidents nor events of today are visited. */
export const pruningIndexes = `CREATE INDEX ingestion_incidents_over ON ingestion_incidents (updated_at)
  WHERE frozen = 0 AND (state = 'resolved' OR retracted = 1);
CREATE INDEX ingestion_incident_events_time ON ingestion_incident_events (occurred_ms, event_id);
DROP INDEX ingestion_incident_events_incident;
CREATE INDEX ingestion_incident_events_incident ON ingestion_incident_events (incident_id, occurred_ms);`;

/** Most incidents frozen per write, and most events visited: the writer can commit other work in between. */
const mostIncidents = 100;
const mostEvents = 1000;

const first: Place = { occurred_ms: Number.MIN_SAFE_INTEGER, event_id: '' };

/** Makes the named write that prunes. */
export function pruneWrites(connection: WriteConnection) {
  const freezeOver = freezing(connection);
  const forgetOld = forgetting(connection);
  return {
    /**
     * Freezes incidents that ended long ago: deletes their events, keeps their changes and receipts. An incident is
     * not frozen while it has newer events, or events that were said again since: these would open it again without its
     * first ones. Then deletes old events of no incident or of frozen ones. One call does a part of this.
     */
    async pruneIncidents({ before, before_ms, from }: Prune): Promise<Pruned> {
      const frozen = from === undefined ? await freezeOver(before, before_ms) : 0;
      if (frozen === mostIncidents) return { pruned: frozen, more: true };
      const { forgotten, next } = await forgetOld(from ?? first, before_ms);
      return { pruned: frozen + forgotten, more: next !== undefined, ...given({ from: next }) };
    },
  };
}

/** Prunes what is older than a moment by as many writes as it takes; ends early when one returns undefined. */
export async function pruneInSteps(beforeMs: number, prune: (prune: Prune) => Promise<Pruned | undefined>) {
  const limits = { before: timestamp(beforeMs), before_ms: beforeMs };
  let done = await prune(limits);
  while (done?.more === true) done = await prune({ ...limits, ...given({ from: done.from }) });
}

// An incident and its events go in one write: the rest of its events would open it again.
function freezing(connection: WriteConnection) {
  const over = connection.prepare(
    `SELECT incident_id FROM ingestion_incidents
     WHERE frozen = 0 AND (state = 'resolved' OR retracted = 1) AND updated_at < ?
       AND NOT EXISTS (SELECT 1 FROM ingestion_incident_events e
         WHERE e.incident_id = ingestion_incidents.incident_id AND (e.occurred_ms >= ? OR e.seen_ms >= ?))
     ORDER BY updated_at LIMIT ${mostIncidents}`,
  );
  const freeze = connection.prepare('UPDATE ingestion_incidents SET frozen = 1 WHERE incident_id = ?');
  const drop = connection.prepare('DELETE FROM ingestion_incident_events WHERE incident_id = ?');
  return async (before: string, beforeMs: number): Promise<number> => {
    const rows = await over.all(before, beforeMs, beforeMs);
    for (const { incident_id } of rows) {
      freeze.queue(String(incident_id));
      drop.queue(String(incident_id));
    }
    return rows.length;
  };
}

// Old events of incidents that can still change stay, so each write goes on where the last one stopped.
function forgetting(connection: WriteConnection) {
  const old = connection.prepare(
    `SELECT event_id, occurred_ms, incident_id,
       (SELECT frozen FROM ingestion_incidents i WHERE i.incident_id = ingestion_incident_events.incident_id) AS frozen
     FROM ingestion_incident_events WHERE (occurred_ms, event_id) > (?, ?) AND occurred_ms < ?
     ORDER BY occurred_ms, event_id LIMIT ${mostEvents}`,
  );
  const drop = connection.prepare('DELETE FROM ingestion_incident_events WHERE event_id = ?');
  return async ({ occurred_ms, event_id }: Place, beforeMs: number) => {
    const rows = await old.all(occurred_ms, event_id, beforeMs);
    const over = rows.filter((row) => row['incident_id'] === null || row['frozen'] === 1);
    for (const row of over) drop.queue(String(row['event_id']));
    const last = rows.length === mostEvents ? rows.at(-1) : undefined;
    const next = last && { occurred_ms: Number(last['occurred_ms']), event_id: String(last['event_id']) };
    return { forgotten: over.length, next };
  };
}
