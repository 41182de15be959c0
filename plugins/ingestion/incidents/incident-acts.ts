import { operation, PlatformError, timestamp, type Clock, type Ids, type Store } from '../../../kernel/index.ts';
import type { IncidentSeverity, MaintenanceView, Phase, Subject } from '../contract.ts';
import type { Engine } from './engine.ts';
import type { Act } from './cluster/episode.ts';
import { checkWindow, windowOf, type Maintenance, type WindowWish } from './maintenance.ts';
import type { Note } from './store/note.ts';
import { incidentPart } from './store/store-part.ts';
import type { IncidentReads } from './store/reading.ts';
import type { IncidentRecord } from './store/record.ts';
import type { SourcePolicy } from '../sources/schema.ts';
import { problems } from '../problems.ts';

/** What people may do with incidents and maintenance windows. */
export interface IncidentActs {
  /** Opens an incident of the operator's own; no alert joins it. */
  open(wish: OpenWish, principal: string): Promise<IncidentRecord>;
  acknowledge(incidentId: string, principal: string): Promise<IncidentRecord>;
  resolve(incidentId: string, principal: string, reason: string): Promise<IncidentRecord>;
  retract(incidentId: string, principal: string, reason: string): Promise<IncidentRecord>;
  note(incidentId: string, principal: string, wish: NoteWish): Promise<Note>;
  plan(wish: Required<WindowWish>, principal: string): Promise<MaintenanceView>;
  replan(id: string, wish: WindowWish): Promise<MaintenanceView>;
  /** Ends a window that has begun, takes back one that has not. */
  cancel(id: string): Promise<void>;
}

/** What an operator's incident is made from. */
export interface OpenWish {
  readonly title: string;
  readonly severity: IncidentSeverity;
  readonly scope: readonly Subject[];
  /** RFC 3339; now unless given. */
  readonly starts_at?: string;
}

/** What a note is made from. */
export interface NoteWish {
  readonly text: string;
  readonly public?: boolean;
  readonly phase?: Exclude<Phase, 'resolved'>;
}

/** What the acts stands on. */
export interface ActsOptions {
  readonly engine: Engine;
  readonly store: Pick<Store, 'write'>;
  readonly reads: IncidentReads;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly told: {
    /** Something for everybody was said of an incident. */
    changed(incidentId: string): void;
    /** A window was written. */
    planned(): void;
  };
}

/** Of what a person or the auditor says: it holds until they say otherwise. */
export const ownPolicy: SourcePolicy = {
  default_severity: 'high',
  min_severity: 'info',
  auto_resolve: 'all',
  for_s: 0,
  hold_s: 0,
  reopen_window_s: 0,
};

/** Makes what people may do. */
export function createActs(options: ActsOptions): IncidentActs {
  return { ...incidentActs(options), ...noteActs(options), ...windowActs(options) };
}

function noteActs({ store, reads, clock, ids, told }: ActsOptions) {
  return {
    async note(incidentId: string, principal: string, wish: NoteWish): Promise<Note> {
      if (reads.incident(incidentId) === undefined) throw unknownIncident(incidentId);
      if (wish.phase !== undefined && wish.public !== true) throw unfit('#/phase', 'belongs to a public note');
      const head = { note_id: ids('sig'), incident_id: incidentId, at: timestamp(clock.now()), principal };
      const note = { ...head, text: wish.text, public: wish.public === true };
      const row = wish.phase === undefined ? note : { ...note, phase: wish.phase };
      await store.write([operation(incidentPart, 'putNote', row)]);
      if (row.public) told.changed(incidentId);
      return row;
    },
  };
}

function incidentActs({ engine, reads, clock, ids }: ActsOptions) {
  const decide = (kind: Act['kind'], incidentId: string, principal: string, reason?: string) => {
    if (reads.incident(incidentId) === undefined) throw unknownIncident(incidentId);
    return engine.decide(incidentId, (record, at_ms) => {
      refuseUnfit(kind, record);
      const act = { act_id: ids('sig'), incident_id: incidentId, kind, at_ms, principal };
      return reason === undefined ? act : { ...act, reason };
    });
  };
  return {
    async open({ title, severity, scope, starts_at }: OpenWish, principal: string) {
      const now = clock.now();
      const occurred = starts_at === undefined ? now : Date.parse(starts_at);
      if (occurred > now + slackMs) throw unfit('#/starts_at', 'must not be in the future');
      const id = ids('sig');
      const record = await engine.add({
        event_id: id,
        fingerprint: `operator:${id}`,
        key: `operator:${id}`,
        occurred_ms: occurred,
        delivery_key: id,
        ordinal: 0,
        state: 'firing',
        severity,
        eligible: true,
        scope: distinct(scope),
        rule: 'operator',
        policy: ownPolicy,
        vendor: 'operator',
        title,
        principal,
      });
      if (record === undefined) throw new PlatformError('internal', 'the incident did not open');
      return record;
    },
    acknowledge: async (id: string, principal: string) => decide('acknowledged', id, principal),
    resolve: async (id: string, principal: string, reason: string) => decide('resolved', id, principal, worded(reason)),
    retract: async (id: string, principal: string, reason: string) =>
      decide('retracted', id, principal, worded(reason)),
  };
}

const slackMs = 60_000;
// Words by which the platform itself says why; a person's reason is not one of them.
const reserved = new Set(['integrity', 'merged', 'superseded', 'withdrawn', 'recovered', 'expired']);

function refuseUnfit(kind: Act['kind'], { incident_id, kind: raised, facts, retracted }: IncidentRecord): void {
  if (raised === 'integrity' && kind !== 'acknowledged')
    throw new PlatformError(
      problems.integrity_incident,
      `${incident_id} says that ${facts.receipt_id ?? 'a receipt'} does not verify; the auditor closes it once it does`,
    );
  if (retracted) throw new PlatformError(problems.incident_conflict, `${incident_id} is retracted`);
  if (facts.state === 'resolved' && kind !== 'retracted')
    throw new PlatformError(problems.incident_conflict, `${incident_id} is resolved`);
}

function worded(reason: string): string {
  const text = reason.trim();
  if (text === '') throw unfit('#/reason', 'must say why');
  if (reserved.has(text.toLowerCase())) throw unfit('#/reason', 'is a word of the platform itself; say more');
  return text;
}

function distinct(scope: readonly Subject[]): readonly Subject[] {
  const found = new Map(scope.map((subject) => [`${subject.kind} ${subject.id}`, subject]));
  return [...found.keys()].sort().flatMap((name) => found.get(name) ?? []);
}

function unknownIncident(id: string): PlatformError {
  return new PlatformError(problems.incident_not_found, `there is no incident ${id}`);
}

function unfit(pointer: string, detail: string): PlatformError {
  return new PlatformError('invalid_body', detail, { errors: [{ pointer, detail }] });
}

function windowActs({ engine, reads, clock, ids, told }: ActsOptions) {
  const find = (id: string): Maintenance => findWindow(reads, id);
  const put = async (window: Maintenance): Promise<MaintenanceView> => {
    await engine.plan(operation(incidentPart, 'putWindow', window));
    told.planned();
    return window;
  };
  return {
    async plan(wish: Required<WindowWish>, principal: string): Promise<MaintenanceView> {
      const now = clock.now();
      const times = { starts_ms: Date.parse(wish.starts_at), ends_ms: Date.parse(wish.ends_at) };
      checkWindow(times, now);
      return put({
        maintenance_id: ids('mnt'),
        title: wish.title,
        scope: distinct(wish.scope),
        // What was just before is not covered.
        starts_at: timestamp(Math.max(times.starts_ms, now)),
        ends_at: timestamp(times.ends_ms),
        principal,
        created_at: timestamp(now),
      });
    },
    async replan(id: string, wish: WindowWish): Promise<MaintenanceView> {
      const before = find(id);
      const now = clock.now();
      const window = windowOf(before);
      const starts_ms = wish.starts_at === undefined ? window.starts_ms : Date.parse(wish.starts_at);
      const ends_ms = wish.ends_at === undefined ? window.ends_ms : Date.parse(wish.ends_at);
      checkWindow({ starts_ms, ends_ms }, now, window);
      const begun = window.starts_ms <= now;
      if (begun && wish.scope !== undefined) throw unfit('#/scope', 'the window has begun');
      const starts_at = timestamp(begun ? window.starts_ms : Math.max(starts_ms, now));
      const scope = wish.scope === undefined ? before.scope : distinct(wish.scope);
      return put({ ...before, title: wish.title ?? before.title, scope, starts_at, ends_at: timestamp(ends_ms) });
    },
    async cancel(id: string): Promise<void> {
      const before = find(id);
      const now = clock.now();
      const { starts_ms, ends_ms } = windowOf(before);
      if (ends_ms <= now) throw unfit('#', 'the window is over and stands as it was');
      if (starts_ms < now) await put({ ...before, ends_at: timestamp(now) });
      else {
        await engine.plan(operation(incidentPart, 'dropWindow', { maintenance_id: id }));
        told.planned();
      }
    },
  };
}

function findWindow(reads: IncidentReads, id: string): Maintenance {
  const window = reads.window(id);
  if (window === undefined)
    throw new PlatformError(problems.maintenance_not_found, `there is no maintenance window ${id}`);
  return window;
}
