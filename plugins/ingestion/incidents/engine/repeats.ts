import { given, operation, timestamp } from '../../../../kernel/index.ts';
import type { IncidentScope } from '../store/scope.ts';
import type { Signal } from '../../signals/signal.ts';
import { placeOf, renewing, saysSame, type AlertEvent, type Heard } from '../model/event.ts';
import { incidentPart } from '../store/store-part.ts';

/** The content of a batch of signals: the new events, and the alerts whose events are known already. */
export interface Taken {
  readonly events: readonly AlertEvent[];
  readonly heard: readonly Heard[];
}

/**
 * Separates new events from repeated ones. A repeated alert has the same content and time, so one event is enough for
 * any number of deliveries. `known`: the stored events of these alerts and times.
 */
export function newOf(said: readonly AlertEvent[], known: readonly AlertEvent[]): Taken {
  const stored = Map.groupBy(known, placeOf);
  const fresh = new Map<string, AlertEvent[]>();
  const renewed = new Map<string, number>();
  const heard: Heard[] = [];
  for (const event of said) {
    const { fingerprint, occurred_ms } = event;
    const place = placeOf(event);
    const own = fresh.get(place) ?? [];
    const same = own.findIndex((one) => saysSame(one, event));
    const isKnown = stored.get(place)?.some((one) => saysSame(one, event)) === true;
    const isOld = (renewed.get(fingerprint) ?? occurred_ms) > occurred_ms;
    if (isKnown && !isOld) heard.push(...heardOf(event));
    if (same !== -1 && !isOld) fresh.set(place, own.with(same, seenAlso(own[same] ?? event, event)));
    if (isKnown || same !== -1) continue;
    fresh.set(place, [...own, event]);
    if (renewing.includes(event.state) && !isOld) renewed.set(fingerprint, occurred_ms);
  }
  return { events: [...fresh.values()].flat(), heard };
}

function heardOf({ fingerprint, occurred_ms, seen_ms }: AlertEvent): readonly Heard[] {
  return seen_ms === undefined ? [] : [{ fingerprint, occurred_ms, seen_ms }];
}

/** Says of new events when they were seen: a delivery may have come again while it waited. */
export async function withSeen(
  events: readonly AlertEvent[],
  { lastSeen }: Pick<IncidentScope['signals'], 'lastSeen'>,
) {
  const ids = [...new Set(events.flatMap(({ delivery }) => delivery?.delivery_id ?? []))];
  const times = await lastSeen(ids);
  const last = new Map(ids.map((id, index) => [id, times[index]]));
  return events.map((event) => {
    const at = last.get(event.delivery?.delivery_id ?? '');
    return at === undefined ? event : { ...event, seen_ms: Date.parse(at) };
  });
}

const nothing = { events: [], withdrawn: [] };
// Most alerts of one write: the writer can commit other work in between.
const heardAtOnce = 500;

/** Notes that deliveries came again, and answers the alerts that they name. */
export async function hearAgain(deliveryIds: readonly string[], { signals, store }: IncidentScope) {
  const heard = (await signals.namedBy(deliveryIds)).map(({ fingerprint, occurred_at, seen_at }) => ({
    ...{ fingerprint, occurred_ms: Date.parse(occurred_at), seen_ms: Date.parse(seen_at) },
  }));
  for (let at = 0; at < heard.length; at += heardAtOnce)
    await store.write([
      operation(incidentPart, 'takeEvents', { ...nothing, heard: heard.slice(at, at + heardAtOnce) }),
    ]);
  return heard;
}

// Makes the event as it is when another one says the same.
function seenAlso(event: AlertEvent, { seen_ms = 0 }: AlertEvent): AlertEvent {
  return { ...event, seen_ms: Math.max(seen_ms, event.seen_ms ?? 0) };
}

/** What becomes of events that are withdrawn. */
interface Withdrawal {
  readonly gone: readonly AlertEvent[];
  /** Ids of all signals that are withdrawn. */
  readonly withdrawn: ReadonlySet<string>;
  readonly known: readonly AlertEvent[];
  readonly recorded: Pick<IncidentScope['signals'], 'signalsAt'>;
}

/**
 * Adds what takes the place of withdrawn events: a new event that says the same was seen whenever they were, and where
 * there is none, a delivery that repeated them has the event from now on.
 */
export async function withStandIns(fresh: readonly AlertEvent[], { gone, known, recorded, withdrawn }: Withdrawal) {
  const heirs = fresh.map((event) => gone.filter((one) => saysSame(one, event)).reduce(seenAlso, event));
  const orphans = gone.filter((one) => ![...fresh, ...known].some((other) => saysSame(other, one)));
  if (orphans.length === 0) return heirs;
  const ids = new Set([...withdrawn, ...known.map(({ event_id }) => event_id)]);
  const places = orphans.map(({ fingerprint, occurred_ms }) => ({ fingerprint, occurred_at: timestamp(occurred_ms) }));
  const others = (await recorded.signalsAt(places)).map((signals) =>
    signals.filter(({ signal_id }) => !ids.has(signal_id)),
  );
  const found = orphans.map((one, index) => standInOf(one, others[index] ?? []));
  return [...heirs, ...found.filter((event) => event !== undefined)];
}

function standInOf(gone: AlertEvent, signals: readonly Signal[]): AlertEvent | undefined {
  const { state, severity, eligible, delivery } = gone;
  const signal = signals.find(
    (one) =>
      one.state === state &&
      one.severity === severity &&
      one.auth_strength === delivery?.auth_strength &&
      !(one.test && eligible),
  );
  if (signal === undefined) return undefined;
  const { signal_id: event_id, delivery_id, source_id, delivery_key, ordinal, title, url, auth_strength } = signal;
  const { url: _, ...same } = gone;
  return {
    ...same,
    ...{ event_id, delivery_key, ordinal, title, ...given({ url }) },
    delivery: { delivery_id, source_id, digest: signal.body_digest, auth_strength },
  };
}
