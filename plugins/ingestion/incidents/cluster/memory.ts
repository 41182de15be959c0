import { given } from '../../../../kernel/index.ts';
import { clustersOf } from './cluster.ts';
import { episodesOf, type Act, type Episode } from './episode.ts';
import type { AlertEvent } from './event.ts';
import { incidentOf, type Desired } from './incident.ts';
import type { Plan } from './plan.ts';
import type { IncidentReads } from '../store/reading.ts';
import type { IncidentRecord } from '../store/record.ts';
import { placeEpisodes, type Window } from './window.ts';

/** The computed incidents of one key at a moment. */
interface Folded {
  readonly incidents: readonly Desired[];
  /** Next time, ms, at which they may change without an event. */
  readonly due_ms?: number;
}

/** Options of the memory. */
interface MemoryOptions {
  readonly reads: Pick<IncidentReads, 'fingerprints' | 'events' | 'incidents' | 'act' | 'acts'>;
  /** Time of the last delivery about an alert, ms, refreshes included. */
  readonly seen: (fingerprint: string) => number | undefined;
}

interface Alert {
  readonly events: Map<string, AlertEvent>;
  /** Its episodes, valid until `due_ms`. */
  folded?: { readonly episodes: readonly Episode[]; readonly due_ms: number };
}

interface Group {
  readonly fingerprints: Set<string>;
  readonly stored: Map<string, IncidentRecord>;
}

const keptGroups = 1000;

/** Recently used alerts and incidents: a cache of committed rows, by key. */
export class Memory {
  readonly #options: MemoryOptions;
  readonly #alerts = new Map<string, Alert>();
  readonly #groups = new Map<string, Group>();
  readonly #acts = new Map<string, Act>();
  readonly #acks = new Map<string, readonly Act[]>();

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  /** Adds committed events, and removes withdrawn ones. */
  take(events: readonly AlertEvent[], withdrawn: readonly string[]): void {
    // A re-normalisation may have moved the marks of withdrawn events to their successors, so these are read again.
    if (withdrawn.length > 0) for (const { fingerprint } of events) this.#alerts.delete(fingerprint);
    for (const id of withdrawn) this.#forget(id);
    for (const event of events) {
      const alert = this.#alerts.get(event.fingerprint);
      alert?.events.set(event.event_id, event);
      delete alert?.folded;
      this.#groups.get(event.key)?.fingerprints.add(event.fingerprint);
    }
  }

  /** Adds an event before it is committed; call `drop` for its key if the commit fails. */
  add(event: AlertEvent): void {
    this.#group(event.key).fingerprints.add(event.fingerprint);
    const alert = this.#alert(event.fingerprint);
    alert.events.set(event.event_id, event);
    delete alert.folded;
  }

  /** Folds a key with the current time and windows. */
  fold(key: string, windows: readonly Window[], nowMs: number): Folded {
    const { fingerprints } = this.#group(key);
    const own = [...fingerprints].flatMap((fingerprint) => this.#episodes(fingerprint, nowMs));
    const placed = placeEpisodes(
      own.filter((episode) => episode.key === key),
      windows,
      nowMs,
    );
    const incidents = clustersOf(placed.episodes).map((cluster) => {
      const ids = new Set(cluster.episodes.flatMap(({ events }) => events.map(({ incident_id }) => incident_id ?? '')));
      return incidentOf(
        cluster,
        nowMs,
        [...ids].flatMap((id) => this.#acksOf(id)),
      );
    });
    const dues = [placed.due_ms, ...incidents.map(({ due_ms }) => due_ms)].filter((due) => due !== undefined);
    return dues.length === 0 ? { incidents } : { incidents, due_ms: Math.min(...dues) };
  }

  stored(key: string): readonly IncidentRecord[] {
    return [...this.#group(key).stored.values()];
  }

  /** Stores an incident after an attested change or a change of its view. */
  keep(record: IncidentRecord): void {
    this.#group(record.key).stored.set(record.incident_id, record);
  }

  /** Notes the incidents to which events are assigned. */
  assign(assigned: Plan['assigned']): void {
    for (const { event_id, fingerprint, incident_id } of assigned) {
      const alert = this.#alerts.get(fingerprint);
      const event = alert?.events.get(event_id);
      if (alert === undefined || event === undefined) continue;
      alert.events.set(event_id, { ...event, incident_id });
      delete alert.folded;
    }
  }

  /** Stores a person's decision; a resolution or retraction marks all events of the incident. */
  decide(key: string, act: Act): void {
    this.#acts.set(act.act_id, act);
    if (act.kind === 'acknowledged') this.#acks.set(act.incident_id, [...this.#acksOf(act.incident_id), act]);
    else
      this.#change(key, (event) => (event.incident_id === act.incident_id ? { ...event, act_id: act.act_id } : event));
  }

  /** Moves acknowledgements when an incident replaces another. */
  moveActs(from: string, to: string): void {
    const moved = this.#acksOf(from).map((act) => ({ ...act, incident_id: to }));
    this.#acks.set(to, [...this.#acksOf(to), ...moved]);
    this.#acks.delete(from);
  }

  /** Returns the time, ms, of the last event of an incident. */
  lastMoment(key: string, incidentId: string): number {
    const events = [...this.#group(key).fingerprints].flatMap((fingerprint) => [
      ...this.#alert(fingerprint).events.values(),
    ]);
    const own = events.filter(({ incident_id }) => incident_id === incidentId);
    return own.reduce((last, { occurred_ms }) => Math.max(last, occurred_ms), 0);
  }

  /** Notes that an alert was received again: it is folded anew. */
  refreshed(fingerprint: string): void {
    delete this.#alerts.get(fingerprint)?.folded;
  }

  /** Removes a key: its rows are read again at the next use. */
  drop(key: string): void {
    const group = this.#groups.get(key);
    this.#groups.delete(key);
    for (const fingerprint of group?.fingerprints ?? []) this.#alerts.delete(fingerprint);
    for (const id of group?.stored.keys() ?? []) this.#acks.delete(id);
  }

  /** Removes the least recently used keys when there are too many. */
  trim(): void {
    for (const key of this.#groups.keys()) {
      if (this.#groups.size <= keptGroups) return;
      this.drop(key);
    }
  }

  /** Removes everything, so that the next use folds anew. */
  clear(): void {
    for (const key of [...this.#groups.keys()]) this.drop(key);
    this.#acts.clear();
  }

  #group(key: string): Group {
    const { reads } = this.#options;
    const group = this.#groups.get(key) ?? {
      fingerprints: new Set(reads.fingerprints(key)),
      stored: new Map(reads.incidents(key).map((record) => [record.incident_id, record])),
    };
    // Moves the key to the end: the map is in order of last use.
    this.#groups.delete(key);
    this.#groups.set(key, group);
    return group;
  }

  #alert(fingerprint: string): Alert {
    const known = this.#alerts.get(fingerprint);
    if (known !== undefined) return known;
    const alert = { events: new Map(this.#options.reads.events(fingerprint).map((e) => [e.event_id, e])) };
    this.#alerts.set(fingerprint, alert);
    return alert;
  }

  #episodes(fingerprint: string, nowMs: number): readonly Episode[] {
    const alert = this.#alert(fingerprint);
    if (alert.folded !== undefined && nowMs < alert.folded.due_ms) return alert.folded.episodes;
    const events = [...alert.events.values()];
    const refreshes = events.some(({ policy }) => policy.stale_after_s !== undefined);
    const seen_ms = refreshes ? this.#options.seen(fingerprint) : undefined;
    const act = (id: string): Act | undefined => this.#act(id);
    const episodes = episodesOf(events, { now_ms: nowMs, act, ...given({ seen_ms }) });
    const due_ms = Math.min(Infinity, ...episodes.map(({ due_ms }) => due_ms ?? Infinity));
    alert.folded = { episodes, due_ms };
    return episodes;
  }

  #act(id: string): Act | undefined {
    const act = this.#acts.get(id) ?? this.#options.reads.act(id);
    if (act !== undefined) this.#acts.set(id, act);
    return act;
  }

  #acksOf(incidentId: string): readonly Act[] {
    if (incidentId === '') return [];
    const acks =
      this.#acks.get(incidentId) ?? this.#options.reads.acts(incidentId).filter(({ kind }) => kind === 'acknowledged');
    this.#acks.set(incidentId, acks);
    return acks;
  }

  #change(key: string, next: (event: AlertEvent) => AlertEvent): void {
    for (const fingerprint of this.#group(key).fingerprints) {
      const alert = this.#alert(fingerprint);
      for (const event of alert.events.values()) {
        const changed = next(event);
        if (changed === event) continue;
        alert.events.set(event.event_id, changed);
        delete alert.folded;
      }
    }
  }

  #forget(eventId: string): void {
    for (const alert of this.#alerts.values()) if (alert.events.delete(eventId)) delete alert.folded;
  }
}
