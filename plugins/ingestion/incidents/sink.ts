import { operation, type Catalog, type Log } from '../../../kernel/index.ts';
import type { SignalBatch, SignalSink } from '../signals/signal.ts';
import type { Engine } from './engine.ts';
import { eventOf } from './cluster/event.ts';
import type { Refresh } from './refreshes.ts';
import { incidentPart } from './store/store-part.ts';
import type { IncidentReads } from './store/reading.ts';
import { mapSubject, type Existing } from '../signals/subject.ts';

interface SinkOptions {
  readonly existing: Existing;
  readonly log: Pick<Log, 'warn'>;
  /** Tells the node that folds incidents that deliveries came again. */
  readonly refreshed: Refresh;
}

/** Makes the sink of signals: events commit with their signals, then the changes they cause are attested. */
export function createSink(
  engine: Engine,
  reads: IncidentReads,
  { existing, log, refreshed }: SinkOptions,
): SignalSink {
  const notRefreshed = (err: unknown): void => log.warn({ err }, 'a repeated delivery refreshed no incident');
  return {
    async takeSignals({ source, signals, withdrawn }) {
      const { subjects, policy } = source;
      const events = signals
        .filter(({ type, state }) => type !== 'orb.signal.analytics' && state !== 'info')
        .map((signal) => eventOf(signal, mapSubject(signal, subjects, existing), policy));
      const gone = await reads.eventsWith(withdrawn);
      const touched = new Set([...events, ...gone].map(({ fingerprint }) => fingerprint));
      const known = await reads.keysOfEach([...touched]);
      engine.announce(nameOf({ signals, withdrawn }), [...known, ...events.map(({ key }) => key)]);
      if (events.length === 0 && gone.length === 0) return [];
      return [operation(incidentPart, 'takeEvents', { events, withdrawn: gone.map(({ event_id }) => event_id) })];
    },
    async signalsTaken({ signals, withdrawn }) {
      const events = await reads.eventsWith(signals.map(({ signal_id }) => signal_id));
      await engine.taken(nameOf({ signals, withdrawn }), events, withdrawn);
    },
    refreshed: ({ delivery_id }) => refreshed([delivery_id]).catch(notRefreshed),
  };
}

// A batch that failed comes again with the same signal ids, so it gets the same name.
function nameOf({ signals, withdrawn }: Pick<SignalBatch, 'signals' | 'withdrawn'>): string {
  return `${signals[0]?.signal_id ?? ''} ${withdrawn[0] ?? ''}`;
}

/** Lists the existing Orbs and Orbisets from the catalog. */
export function existingOf({ orbs, orbisets }: Catalog): Existing {
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
