import type { NamespaceGrant, TierEvent } from '../contract.ts';
import type { IncidentLine, Line, NamespaceLine, ResolutionLine, RunLine, StandingLine } from '../fact/line.ts';
import { disagreement } from '../fact/outcome-class.ts';
import { dayNumber, dayText } from '../score/day.ts';
import { isOpen, type Incident } from '../score/debt.ts';
import { ended } from '../tier/machine.ts';
import { countResolution, countRun, countSwap } from './count.ts';
import { mergeIncident } from './incidents.ts';
import { listed, newOrb, type OrbState } from './orb.ts';
import { causesOf, isExposed, recheck, turned } from './suspension.ts';
import type { Tallies, TallySink } from './tallies.ts';

/** An entry that does not count, and why. */
interface Refused {
  readonly origin: string;
  readonly index: number;
  readonly receipt_id: string;
  readonly reason: 'outcome_class' | 'latency_ok' | 'resolves_refused' | 'key_revoked' | 'unreadable';
}

/** A change of tier with its Orb. */
type OrbEvent = TierEvent & { readonly orb_id: string };

/** Everything folded from the log except the counts. */
export interface State {
  readonly orbs: Map<string, OrbState>;
  readonly incidents: Map<string, Incident>;
  readonly namespaces: Map<string, NamespaceGrant>;
  /** Receipts that do not count, by id: a resolution of such a receipt does not count either. */
  readonly refused: Map<string, Refused>;
}

/** Makes the state before the first entry. */
export function newState(): State {
  return { orbs: new Map(), incidents: new Map(), namespaces: new Map(), refused: new Map() };
}

/** The changes since the last `take`, to be stored. */
export interface Changes {
  readonly orbs: readonly OrbState[];
  readonly incidents: readonly Incident[];
  readonly namespaces: readonly NamespaceGrant[];
  readonly refused: readonly Refused[];
  readonly events: readonly OrbEvent[];
}

/** Folds the entries of the log, each once and in their order, into the state and into counts. */
export class Projection {
  readonly state: State;
  readonly #sink: TallySink;
  readonly #tallies: Tallies;
  #changed = { orbs: new Set<string>(), incidents: new Set<string>(), namespaces: new Set<string>() };
  #refused: Refused[] = [];
  #events: OrbEvent[] = [];

  constructor(state: State, sink: TallySink, tallies: Tallies) {
    this.state = state;
    this.#sink = sink;
    this.#tallies = tallies;
  }

  /** Folds one entry; the caller handles snapshots and key entries. */
  apply(line: Line): void {
    switch (line.kind) {
      case 'run':
        return this.#run(line);
      case 'resolution':
        return this.#resolution(line);
      case 'swap':
        this.#orb(line.orb_id);
        return countSwap(line, this.#sink);
      case 'incident':
        return this.#incident(line);
      case 'namespace':
        return this.#namespace(line);
      case 'standing':
        if (line.change !== 'snapshot') this.#standing(line);
        return;
      case 'key':
      case 'other':
        return;
    }
  }

  /** Records an entry that cannot be read. */
  refuse(refused: Refused): void {
    this.state.refused.set(refused.receipt_id, refused);
    this.#refused.push(refused);
  }

  /**
   * Checks an entry again, from the position on at which a key is revoked: removes its count when that key signed it,
   * or when it resolves a receipt that no longer counts. Call it for those entries in their order.
   */
  revise(line: Line, revokedKid: string): void {
    const { refused } = this.state;
    if (refused.has(line.receipt_id)) return;
    const revoked = line.signed_by === revokedKid;
    if (line.kind === 'run' && revoked) this.#takeBackRun(line);
    else if (line.kind === 'resolution' && (revoked || refused.has(line.resolves))) {
      countResolution(line, this.#sink, -1);
      this.#refuse(line, revoked ? 'key_revoked' : 'resolves_refused');
    } else if (!revoked) this.#vouch(line);
  }

  /** Stores an Orb as a snapshot changed it, and the events. */
  put(orb: OrbState, events: readonly TierEvent[]): void {
    this.#put(orb);
    this.#events.push(...events.map((event) => ({ orb_id: orb.orb_id, ...event })));
  }

  /** Returns the changes and starts a new, empty set. */
  take(): Changes {
    const { orbs, incidents, namespaces } = this.#changed;
    const changes = {
      orbs: chosen(this.state.orbs, orbs),
      incidents: chosen(this.state.incidents, incidents),
      namespaces: chosen(this.state.namespaces, namespaces),
      refused: this.#refused,
      events: this.#events,
    };
    this.#changed = { orbs: new Set(), incidents: new Set(), namespaces: new Set() };
    this.#refused = [];
    this.#events = [];
    return changes;
  }

  /** Lists why an Orb is suspended on a day. */
  causes(orb: OrbState, day: number): readonly string[] {
    const { incidents, namespaces } = this.state;
    return causesOf(orb, incidents, day, namespaces.get(orb.namespace)?.state === 'revoked');
  }

  #takeBackRun(line: RunLine): void {
    countRun(line, this.#sink, -1);
    // What the revoked key said of the signature is not trusted: unsigned until another entry says that it is signed.
    this.#put({ ...this.#orb(line.orb_id), signed: false });
    // Only a run that can be resolved needs to be remembered.
    if (line.outcome === 'unknown') this.#refuse(line, 'key_revoked');
  }

  // The statement of a key that still counts overrides the earlier state.
  #vouch(line: Line): void {
    const published = line.kind === 'standing' && line.change === 'published';
    if ((line.kind !== 'run' && !published) || line.manifest_signed === undefined) return;
    const orb = this.#orb(line.orb_id);
    if (orb.signed !== line.manifest_signed) this.#put({ ...orb, signed: line.manifest_signed });
  }

  #run(line: RunLine): void {
    this.#orb(line.orb_id);
    const wrong = disagreement(line);
    if (wrong !== undefined) return this.#refuse(line, wrong);
    countRun(line, this.#sink);
    this.#vouch(line);
  }

  #resolution(line: ResolutionLine): void {
    this.#orb(line.orb_id);
    if (this.state.refused.has(line.resolves)) return this.#refuse(line, 'resolves_refused');
    const wrong = disagreement(line);
    if (wrong !== undefined) return this.#refuse(line, wrong);
    countResolution(line, this.#sink);
  }

  #refuse({ origin, index, receipt_id }: Line, reason: Refused['reason']): void {
    this.refuse({ origin, index, receipt_id, reason });
  }

  #incident(line: IncidentLine): void {
    const known = this.state.incidents.get(line.incident_id);
    const incident = mergeIncident(known, line);
    this.state.incidents.set(incident.incident_id, incident);
    this.#changed.incidents.add(incident.incident_id);
    const day = dayNumber(line.at);
    const touched = [...incident.scope, ...(known?.scope ?? [])];
    const named = new Set(touched.filter(({ kind }) => kind === 'orb').map(({ id }) => id));
    const reaching = touched.some(({ kind }) => kind === 'provider');
    const over = !isOpen(incident, day);
    for (const orb of this.state.orbs.values()) {
      const reached = reaching && (isExposed(orb) || orb.critical.length > 0);
      // The incident was of the version before this Orb's: no subject of the incident names this Orb.
      const freed = over && orb.critical.includes(incident.incident_id);
      if (!named.has(orb.orb_id) && !reached && !freed) continue;
      const critical = recheck(orb, incident, day, this.#tallies);
      this.#reconsider({ ...orb, critical }, day, 'auto');
    }
  }

  #namespace(line: NamespaceLine): void {
    const { namespace, change, owner, manifest_key, at, reason, receipt_id } = line;
    this.state.namespaces.set(namespace, {
      namespace,
      state: change,
      owner,
      ...(manifest_key === undefined ? {} : { manifest_key }),
      at,
      ...(reason === undefined ? {} : { reason }),
      receipt_id,
    });
    this.#changed.namespaces.add(namespace);
    for (const orb of this.state.orbs.values())
      if (orb.namespace === namespace) this.#reconsider(orb, dayNumber(at), 'operator');
  }

  #standing(line: StandingLine): void {
    const orb = this.#orb(line.orb_id);
    const day = dayNumber(line.at);
    if (line.change === 'suspended' || line.change === 'lifted')
      return this.#reconsider({ ...orb, suspended: line.change === 'suspended' }, day, 'operator');
    const listing = listed(orb.listing, line.change, line);
    const signed = line.change === 'published' ? (line.manifest_signed ?? orb.signed) : orb.signed;
    const over = line.change === 'yanked' || line.change === 'removed';
    const { machine, events } = over
      ? ended(orb.machine, dayText(day), line.change)
      : { machine: orb.machine, events: [] };
    this.put({ ...orb, signed, machine, listing }, events);
  }

  // Stores an Orb with its causes; start and end of a suspension are events, and a start ends all streaks.
  #reconsider(orb: OrbState, day: number, actor: TierEvent['actor']): void {
    const causes = this.causes(orb, day);
    const events = turned(orb, causes, day, actor);
    const began = causes.length > 0 && orb.causes.length === 0;
    const machine = began ? { ...orb.machine, interrupted: true } : orb.machine;
    this.put({ ...orb, causes, machine }, events);
  }

  #orb(orbId: string): OrbState {
    const known = this.state.orbs.get(orbId);
    if (known !== undefined) return known;
    const orb = newOrb(orbId);
    // Before its first entry, its namespace may be revoked or an incident that names it may be open.
    this.#put(orb);
    return orb;
  }

  #put(orb: OrbState): void {
    this.state.orbs.set(orb.orb_id, orb);
    this.#changed.orbs.add(orb.orb_id);
  }
}

function chosen<T>(all: ReadonlyMap<string, T>, keys: ReadonlySet<string>): T[] {
  return [...keys].flatMap((key) => all.get(key) ?? []);
}
