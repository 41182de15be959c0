import {
  given,
  operation,
  PlatformError,
  timestamp,
  type Awaitable,
  type Operation,
} from '../../../../kernel/index.ts';
import type { MaintenanceView, Subject } from '../../contract.ts';
import { ownEvent } from '../model/event.ts';
import type { Act } from '../model/record.ts';
import { checkWindow, findWindow, getIncident, unfit } from './checks.ts';
import { windowOf } from '../cluster/window.ts';
import type { Maintenance, Note, NoteWish, OpenWish, WindowWish } from '../model/schema.ts';
import type { AskScope } from '../store/scope.ts';
import { incidentPart } from '../store/store-part.ts';

/** What the acts work with. */
interface ActsScope extends AskScope {
  /** Writes or removes a maintenance window; what follows from it is attested by the node that folds incidents. */
  readonly plan: (write: Operation) => Promise<void>;
  /** The service of incidents: it is told of notes and of windows. */
  readonly told: { changed(incidentId: string): Awaitable<void>; planned(): Awaitable<void> };
}

/** Acts of people on incidents and maintenance windows. */
export type IncidentActs = ReturnType<typeof createActs>;

/** Creates the acts of people. */
export function createActs(scope: ActsScope) {
  return { ...incidentActs(scope), ...noteActs(scope), ...windowActs(scope) };
}

function noteActs({ store, reads, clock, ids, told }: ActsScope) {
  return {
    async note(incidentId: string, principal: string, wish: NoteWish): Promise<Note> {
      await getIncident(reads, incidentId);
      if (wish.phase !== undefined && wish.public !== true) throw unfit('#/phase', 'is allowed only for a public note');
      const head = { note_id: ids('sig'), incident_id: incidentId, at: timestamp(clock.now()), principal };
      const row = { ...head, text: wish.text, public: wish.public === true, ...given({ phase: wish.phase }) };
      await store.write([operation(incidentPart, 'putNote', row)]);
      if (row.public) await told.changed(incidentId);
      return row;
    },
  };
}

function incidentActs({ ask, reads, clock, ids }: ActsScope) {
  const decide = async (kind: Act['kind'], incidentId: string, principal: string, reason?: string) => {
    await getIncident(reads, incidentId);
    await ask({ kind: 'decide', incident_id: incidentId, decision: { kind, principal, ...given({ reason }) } });
  };
  return {
    /** Opens an operator's incident; no alert joins it. */
    async open({ title, severity, scope, starts_at }: OpenWish, principal: string) {
      const now = clock.now();
      const occurred = starts_at === undefined ? now : Date.parse(starts_at);
      if (occurred > now + slackMs) throw unfit('#/starts_at', 'must not be in the future');
      const key = `operator:${ids('sig')}`;
      const said = { key, fingerprint: key, occurred_ms: occurred, severity, title, principal };
      const event = { ...said, state: 'firing', scope: distinct(scope), rule: 'operator', vendor: 'operator' } as const;
      await ask({ kind: 'open', event: ownEvent(ids, event) });
      const [record] = await reads.incidents(key);
      if (record === undefined) throw new PlatformError('internal', 'the incident could not be opened');
      return record;
    },
    acknowledge: async (id: string, principal: string) => decide('acknowledged', id, principal),
    resolve: async (id: string, principal: string, reason: string) => decide('resolved', id, principal, worded(reason)),
    retract: async (id: string, principal: string, reason: string) =>
      decide('retracted', id, principal, worded(reason)),
  };
}

const slackMs = 60_000;
// Reasons that the platform itself gives; a person must use other words.
const reserved = new Set(['integrity', 'merged', 'superseded', 'withdrawn', 'recovered', 'expired']);

function worded(reason: string): string {
  const text = reason.trim();
  if (text === '') throw unfit('#/reason', 'must say why');
  if (reserved.has(text.toLowerCase())) throw unfit('#/reason', 'is reserved for the platform; write another reason');
  return text;
}

function distinct(scope: readonly Subject[]): readonly Subject[] {
  const found = new Map(scope.map((subject) => [`${subject.kind} ${subject.id}`, subject]));
  return [...found.keys()].sort().flatMap((name) => found.get(name) ?? []);
}

function windowActs({ plan, reads, clock, ids, store, told }: ActsScope) {
  const write = async (one: Operation): Promise<void> => {
    await plan(one);
    await told.planned();
    await store.peers.everywhere();
  };
  const put = async (window: Maintenance): Promise<MaintenanceView> => {
    await write(operation(incidentPart, 'putWindow', window));
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
        // A new window never covers time that is already past.
        starts_at: timestamp(Math.max(times.starts_ms, now)),
        ends_at: timestamp(times.ends_ms),
        principal,
        created_at: timestamp(now),
      });
    },
    async replan(id: string, wish: WindowWish): Promise<MaintenanceView> {
      const before = await findWindow(reads, id);
      const now = clock.now();
      const window = windowOf(before);
      const starts_ms = wish.starts_at === undefined ? window.starts_ms : Date.parse(wish.starts_at);
      const ends_ms = wish.ends_at === undefined ? window.ends_ms : Date.parse(wish.ends_at);
      checkWindow({ starts_ms, ends_ms }, now, window);
      const begun = window.starts_ms <= now;
      if (begun && wish.scope !== undefined) throw unfit('#/scope', 'the window has already started');
      const starts_at = timestamp(begun ? window.starts_ms : Math.max(starts_ms, now));
      const scope = wish.scope === undefined ? before.scope : distinct(wish.scope);
      return put({ ...before, title: wish.title ?? before.title, scope, starts_at, ends_at: timestamp(ends_ms) });
    },
    /** Ends a window that has begun, or deletes one that has not. */
    async cancel(id: string): Promise<void> {
      const before = await findWindow(reads, id);
      const now = clock.now();
      const { starts_ms, ends_ms } = windowOf(before);
      if (ends_ms <= now) throw unfit('#', 'the window has ended and can no longer change');
      if (starts_ms < now) await put({ ...before, ends_at: timestamp(now) });
      else await write(operation(incidentPart, 'dropWindow', { maintenance_id: id }));
    },
  };
}
