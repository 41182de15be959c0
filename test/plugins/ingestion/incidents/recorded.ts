import type { RouteScope } from '../../../../plugins/ingestion/incidents/routes/wire.ts';
import type { Signal } from '../../../../plugins/ingestion/signals/signal.ts';

/** Keeps the signals of deliveries in memory, as their table does. */
export function recordedSignals() {
  const all = new Map<string, Signal>();
  /** When deliveries came again, by id. */
  const seen = new Map<string, string>();
  const which = (fits: (signal: Signal) => boolean): Signal[] => [...all.values()].filter(fits);
  const reads: RouteScope['signals'] = {
    lastSeen: (ids) => ids.map((id) => seen.get(id) ?? which(({ delivery_id }) => delivery_id === id)[0]?.received_at),
    namedBy: (ids) =>
      which(({ delivery_id }) => ids.includes(delivery_id)).map((one) => ({
        ...one,
        seen_at: seen.get(one.delivery_id) ?? one.received_at,
      })),
    signalsAt: (places) =>
      places.map((at) => which((one) => one.fingerprint === at.fingerprint && one.occurred_at === at.occurred_at)),
    evidenceOfEach: (ids) => ids.map(() => undefined),
  };
  return {
    seen,
    reads,
    record(signals: readonly Signal[]): void {
      for (const signal of signals) all.set(signal.signal_id, signal);
    },
    withdraw(ids: readonly string[]): void {
      for (const id of ids) all.delete(id);
    },
  };
}
