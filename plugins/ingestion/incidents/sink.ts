import { operation } from '../../../kernel/index.ts';
import type { SignalBatch, SignalSink } from '../deliveries/queue/sink.ts';
import type { Engine } from './engine/engine.ts';
import { eventOf } from './model/event.ts';
import { newOf, withSeen, withStandIns, type Taken } from './engine/repeats.ts';
import { incidentPart } from './store/store-part.ts';
import type { IncidentScope } from './store/scope.ts';
import { isOwn } from './own-pages.ts';
import { mapSubject, type Existing } from './model/subject.ts';
import type { Catalog } from '../../runtime/contract.ts';

interface SinkScope extends IncidentScope {
  readonly engine: Engine;
  /** Tells the node that folds incidents that deliveries came again. */
  readonly refreshed: (deliveryIds: readonly string[]) => Promise<void>;
}

/** Makes the sink of signals: events commit with their signals, then the changes they cause are attested. */
export function createSink(scope: SinkScope): SignalSink {
  const { engine, log, publicUrl, reads, refreshed, signals: recorded } = scope;
  const existing = existingOf(scope.runtime.catalog);
  const notRefreshed = (err: unknown): void => log.warn({ err }, 'a repeated delivery could not refresh its incident');
  // What of each batch was found to be new, until it is committed.
  const found = new WeakMap<SignalBatch, Taken>();
  return {
    async takeSignals(batch) {
      const { source, signals, withdrawn } = batch;
      const { subjects, policy } = source;
      const telling = signals.filter(({ type, state }) => type !== 'orb.signal.analytics' && state !== 'info');
      const told = telling.map((signal) =>
        eventOf(signal, mapSubject(signal, subjects, existing), policy, isOwn(signal, publicUrl)),
      );
      const said = await withSeen(told, recorded);
      const gone = await reads.eventsWith(withdrawn);
      const leaving = new Set(withdrawn);
      const places = [...said, ...gone].map(({ fingerprint, occurred_ms }) => ({ fingerprint, occurred_ms }));
      const known = (await reads.eventsAt(places)).filter(({ event_id }) => !leaving.has(event_id));
      const { events: fresh, heard } = newOf(said, known);
      const events = await withStandIns(fresh, { gone, known, recorded, withdrawn: leaving });
      found.set(batch, { events, heard });
      const touched = new Set([...events, ...gone].map(({ fingerprint }) => fingerprint));
      const keys = await reads.keysOfEach([...touched]);
      engine.announce(nameOf(batch), [...keys, ...events.map(({ key }) => key)]);
      if (events.length + gone.length + heard.length === 0) return [];
      const ids = gone.map(({ event_id }) => event_id);
      return [operation(incidentPart, 'takeEvents', { events, withdrawn: ids, heard })];
    },
    async signalsTaken(batch) {
      const { events, heard } = found.get(batch) ?? { events: [], heard: [] };
      const stored = await reads.eventsWith(events.map(({ event_id }) => event_id));
      await engine.taken(nameOf(batch), { events: stored, heard }, batch.withdrawn);
    },
    refreshed: ({ delivery_id }) => refreshed([delivery_id]).catch(notRefreshed),
  };
}

// A batch that failed comes again with the same signal ids, so it gets the same name.
function nameOf({ signals, withdrawn }: Pick<SignalBatch, 'signals' | 'withdrawn'>): string {
  return `${signals[0]?.signal_id ?? ''} ${withdrawn[0] ?? ''}`;
}

/** Lists the existing Orbs and Orbisets from the catalog. */
function existingOf({ orbs, orbisets }: Catalog): Existing {
  const ids = (): readonly string[] => [...orbs.keys()];
  return {
    orbs: ids,
    orbiset(id) {
      const patterns = orbisets.get(id)?.orbs;
      if (patterns === undefined) return undefined;
      const fits = (pattern: string, orb: string): boolean =>
        pattern === '*' || pattern === orb || (pattern.endsWith('.*') && orb.startsWith(pattern.slice(0, -1)));
      return ids().filter((orb) => patterns.some((pattern) => fits(pattern, orb)));
    },
  };
}
