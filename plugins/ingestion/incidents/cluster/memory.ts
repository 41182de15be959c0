import { given, whenKnown, type Awaitable } from '../../../../kernel/index.ts';
import { clustersOf } from './cluster.ts';
import { episodesOf, type Episode } from './episode.ts';
import type { Act, IncidentRecord } from '../model/record.ts';
import { renewing, type AlertEvent, type Heard } from '../model/event.ts';
import { incidentOf } from './incident.ts';
import type { Plan } from './plan.ts';
import type { AskedGroup, FoundGroup } from '../model/group.ts';
import { placeEpisodes, type Window } from './window.ts';

type GroupReads = { group(asked: AskedGroup): Awaitable<FoundGroup> };

interface Alert {
  readonly events: Map<string, AlertEvent>;
  /** Its episodes, valid until `due_ms`. */
  folded?: { readonly episodes: readonly Episode[]; readonly due_ms: number };
}

type Group = { readonly fingerprints: Set<string>; readonly stored: Map<string, IncidentRecord> };

/** Alerts and incidents that are used in addition to those of a key. */
type More = Readonly<Partial<Record<'fingerprints' | 'incidents', readonly string[]>>>;

const keptGroups = 1000;

/**
 * Recently used alerts and incidents: a cache of committed rows, by key. `load` reads the missing rows of a key; other
 * methods use loaded rows.
 */
export class Memory {
  readonly #reads: GroupReads;
  readonly #alerts = new Map<string, Alert>();
  readonly #groups = new Map<string, Group>();
  // Undefined: there is no such act.
  readonly #acts = new Map<string, Act | undefined>();
  readonly #acks = new Map<string, readonly Act[]>();

  // Counts what came while the store may have been answering.
  #version = 0;

  constructor({ reads }: { readonly reads: GroupReads }) {
    this.#reads = reads;
  }

  /** Reads what is missing of a key, and of further alerts and incidents. */
  load(key: string, more: More = {}): Awaitable<void> {
    const asked = this.#missing(key, more);
    if (asked === undefined) return undefined;
    const version = this.#version;
    return whenKnown(this.#reads.group(asked), (found) => {
      if (version === this.#version) this.#fill(key, asked, found);
      return this.load(key, more);
    });
  }

  /** Adds committed events, and removes withdrawn ones. */
  take(events: readonly AlertEvent[], withdrawn: readonly string[]): void {
    this.#version += 1;
    // A re-normalization may have moved the marks of withdrawn events to their successors, so these are read again.
    if (withdrawn.length > 0) for (const { fingerprint } of events) this.#alerts.delete(fingerprint);
    for (const id of withdrawn) this.#forget(id);
    for (const event of events) {
      const alert = this.#alerts.get(event.fingerprint);
      alert?.events.set(event.event_id, event);
      changed(alert);
      this.#groups.get(event.key)?.fingerprints.add(event.fingerprint);
    }
  }

  /** Adds an event before it is committed; call `drop` for its key if the commit fails. */
  add(event: AlertEvent): void {
    this.#group(event.key).fingerprints.add(event.fingerprint);
    const alert = this.#alert(event.fingerprint);
    alert.events.set(event.event_id, event);
    changed(alert);
  }

  /** Folds a key with the current time and windows; `due_ms`: next time, ms, at which it may change without an event. */
  fold(key: string, windows: readonly Window[], nowMs: number) {
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
    return given({ incidents, due_ms: dues.length === 0 ? undefined : Math.min(...dues) });
  }

  stored(key: string): readonly IncidentRecord[] {
    return [...this.#group(key).stored.values()];
  }

  /** Stores an incident after an attested change or a change of its view; a key that was dropped is read again. */
  keep(record: IncidentRecord): void {
    this.#groups.get(record.key)?.stored.set(record.incident_id, record);
  }

  /** Notes the incidents to which events are assigned. */
  assign(assigned: Plan['assigned']): void {
    for (const { event_id, fingerprint, incident_id } of assigned) {
      const alert = this.#alerts.get(fingerprint);
      const event = alert?.events.get(event_id);
      if (alert === undefined || event === undefined) continue;
      alert.events.set(event_id, { ...event, incident_id });
      changed(alert);
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
    const [moved, kept] = [this.#acks.get(from), this.#acks.get(to)];
    this.#acks.delete(from);
    // Rows that are not in memory are read again after the move.
    if (moved === undefined || kept === undefined) this.#acks.delete(to);
    else this.#acks.set(to, [...kept, ...moved.map((act) => ({ ...act, incident_id: to }))]);
  }

  /** Returns the time, ms, of the last event of an incident. */
  lastMoment(key: string, incidentId: string): number {
    const alerts = [...this.#group(key).fingerprints].map((fingerprint) => this.#alert(fingerprint));
    const own = alerts.flatMap(({ events }) =>
      [...events.values()].filter((event) => event.incident_id === incidentId),
    );
    return own.reduce((last, { occurred_ms }) => Math.max(last, occurred_ms), 0);
  }

  /**
   * Notes that an alert was named again. Says whether that may change more than when it expires: it has expired, or it is
   * not in memory.
   */
  hear({ fingerprint, occurred_ms, seen_ms }: Heard): boolean {
    this.#version += 1;
    const alert = this.#alerts.get(fingerprint);
    if (alert === undefined) return true;
    const events = [...alert.events.values()];
    if (events.some((event) => event.occurred_ms > occurred_ms && renewing.includes(event.state))) return false;
    for (const event of events)
      if (event.occurred_ms === occurred_ms)
        alert.events.set(event.event_id, { ...event, seen_ms: Math.max(seen_ms, event.seen_ms ?? seen_ms) });
    const expired = alert.folded?.episodes.filter(({ ending }) => ending === 'expired');
    const lasts = expired?.every((episode) => episode.events.every((event) => event.occurred_ms !== occurred_ms));
    if (lasts === true) return false;
    changed(alert);
    return true;
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

  /** Removes everything, so that the next use folds again. */
  clear(): void {
    this.#version += 1;
    for (const key of [...this.#groups.keys()]) this.drop(key);
    this.#acts.clear();
  }

  #missing(key: string, { fingerprints = [], incidents = [] }: More): AskedGroup | undefined {
    const group = this.#groups.get(key);
    const alerts = [...new Set([...(group?.fingerprints ?? []), ...fingerprints])];
    const events = alerts.flatMap((fingerprint) => [...(this.#alerts.get(fingerprint)?.events.values() ?? [])]);
    const acts = events.flatMap(({ act_id }) => act_id ?? []).filter((id) => !this.#acts.has(id));
    const acked = [...incidents, ...events.flatMap(({ incident_id }) => incident_id ?? [])];
    const asked = {
      fingerprints: alerts.filter((fingerprint) => !this.#alerts.has(fingerprint)),
      ...{ acts: [...new Set(acts)], acked: [...new Set(acked)].filter((id) => !this.#acks.has(id)) },
    };
    if (group === undefined) return { key, ...asked };
    return asked.fingerprints.length + asked.acts.length + asked.acked.length === 0 ? undefined : asked;
  }

  // Read only missing rows: those in memory may be newer.
  #fill(key: string, { acts }: AskedGroup, found: FoundGroup): void {
    const stored = new Map(found.incidents.map((record) => [record.incident_id, record]));
    if (!this.#groups.has(key)) this.#groups.set(key, { fingerprints: new Set(found.fingerprints), stored });
    for (const [fingerprint, events] of found.alerts)
      if (!this.#alerts.has(fingerprint))
        this.#alerts.set(fingerprint, { events: new Map(events.map((event) => [event.event_id, event])) });
    const known = new Map(found.acts.map((act) => [act.act_id, act]));
    for (const id of new Set([...acts, ...known.keys()])) if (!this.#acts.has(id)) this.#acts.set(id, known.get(id));
    for (const [id, own] of found.acked)
      if (!this.#acks.has(id))
        this.#acks.set(
          id,
          own.filter(({ kind }) => kind === 'acknowledged'),
        );
  }

  #group(key: string): Group {
    const group = this.#groups.get(key);
    if (group === undefined) throw new Error(`the incidents of ${key} are not loaded`);
    // Moves the key to the end: the map is in order of last use.
    this.#groups.delete(key);
    this.#groups.set(key, group);
    return group;
  }

  #alert(fingerprint: string): Alert {
    const alert = this.#alerts.get(fingerprint);
    if (alert === undefined) throw new Error(`the alert ${fingerprint} is not loaded`);
    return alert;
  }

  #episodes(fingerprint: string, nowMs: number): readonly Episode[] {
    const alert = this.#alert(fingerprint);
    if (alert.folded !== undefined && nowMs < alert.folded.due_ms) return alert.folded.episodes;
    const events = [...alert.events.values()];
    const act = (id: string): Act | undefined => this.#acts.get(id);
    const episodes = episodesOf(events, { now_ms: nowMs, act });
    const due_ms = Math.min(Infinity, ...episodes.map(({ due_ms }) => due_ms ?? Infinity));
    alert.folded = { episodes, due_ms };
    return episodes;
  }

  #acksOf(incidentId: string): readonly Act[] {
    return this.#acks.get(incidentId) ?? [];
  }

  #change(key: string, next: (event: AlertEvent) => AlertEvent): void {
    for (const fingerprint of this.#group(key).fingerprints) {
      const alert = this.#alert(fingerprint);
      for (const event of alert.events.values()) {
        if (next(event) === event) continue;
        alert.events.set(event.event_id, next(event));
        changed(alert);
      }
    }
  }

  #forget(eventId: string): void {
    for (const alert of this.#alerts.values()) if (alert.events.delete(eventId)) changed(alert);
  }
}

function changed(alert: Alert | undefined): void {
  delete alert?.folded;
}
