import { queriesOf, textColumn, type Connection, type Row } from '../../../../kernel/index.ts';
import type { SameBody } from '../../deliveries/reading.ts';
import type { Signal } from '../../signals/signal.ts';
import { inOrder, type AlertEvent } from '../model/event.ts';

type Word = Pick<AlertEvent, 'occurred_ms' | 'state' | 'severity' | 'delivery' | 'event_id' | 'policy' | 'seen_ms'>;

/** Prepares the reads that tell a repeat from a new event. */
export function lastWordReads(connection: Connection) {
  const { find, list } = queriesOf(connection);
  const newestWaiting = find(
    "SELECT delivery_id FROM ingestion_deliveries WHERE source_id = ? AND state = 'queued' ORDER BY delivery_id DESC LIMIT 1",
    ({ delivery_id }: Row) => textColumn(delivery_id),
  );
  const signalsOf = list<Signal, [deliveryId: string]>(
    'SELECT record FROM ingestion_signals WHERE delivery_id = ? AND withdrawn_at IS NULL ORDER BY ordinal',
    ({ record }: Row) => JSON.parse(textColumn(record)) as Signal,
  );
  const wordsOf = list<Word, [fingerprint: string]>(
    `SELECT record, seen_ms FROM ingestion_incident_events WHERE fingerprint = ?
     ORDER BY occurred_ms DESC LIMIT ${mostAtOnce}`,
    wordOf,
  );
  return {
    /**
     * Names what changed the state of an alert after a delivery: the delivery or event, or the delivery itself when its
     * alert expired. A later delivery that waits may change it, so it counts as a change.
     */
    changeAfter({ delivery_id, source_id, state }: SameBody, nowMs: number): string | undefined {
      const waiting = newestWaiting(source_id);
      if (waiting !== undefined && waiting > delivery_id) return waiting;
      if (state === 'queued') return undefined;
      for (const signal of signalsOf(delivery_id)) {
        if (!speaks(signal)) continue;
        const last = wordsOf(signal.fingerprint).sort(inOrderOfFold).at(-1);
        if (last === undefined || isOver(last, signal, nowMs)) return delivery_id;
        if (last.state !== signal.state || last.severity !== signal.severity)
          return last.delivery?.delivery_id ?? last.event_id;
      }
      return undefined;
    },
  };
}

// Events of one alert at one moment: its states with their severities.
const mostAtOnce = 50;

function wordOf({ record, seen_ms }: Row): Word {
  const word = JSON.parse(textColumn(record)) as Word;
  return typeof seen_ms === 'number' ? { ...word, seen_ms } : word;
}

function inOrderOfFold(a: Word, b: Word): number {
  return inOrder(a as AlertEvent, b as AlertEvent);
}

// A resolution that names its end is the same resolution, however often and late it comes.
function speaks({ type, state, occurred_at, received_at }: Signal): boolean {
  if (type === 'orb.signal.analytics' || state === 'info') return false;
  return state !== 'resolved' || occurred_at === received_at;
}

/**
 * Says whether a firing expired. One that is no longer refreshed counts as over only when its body holds no time: with
 * a start of its own it says that it never ended.
 */
function isOver({ occurred_ms, policy, seen_ms, state }: Word, said: Signal, nowMs: number): boolean {
  if (state !== 'firing' || policy.auto_resolve === 'never') return false;
  const { ttl_s, stale_after_s } = policy;
  if (ttl_s !== undefined && occurred_ms + ttl_s * 1000 <= nowMs) return true;
  if (stale_after_s === undefined || said.occurred_at !== said.received_at) return false;
  return Math.max(occurred_ms, seen_ms ?? 0) + stale_after_s * 1000 <= nowMs;
}
