import { whenKnown, type Awaitable } from '../../../kernel/index.ts';
import type { TierEvent } from '../contract.ts';
import type { IncidentLine, Line, NamespaceLine, ResolutionLine, RunLine, StandingLine } from '../fact/line.ts';
import { disagreement } from '../fact/outcome-class.ts';
import { dayNumber, dayText } from '../score/day.ts';
import { isOpen } from '../score/debt.ts';
import { ended } from '../tier/machine.ts';
import { countResolution, countRun, countSwap } from './count.ts';
import type { Place } from '../fact/prefix.ts';
import { weigh, type Weighed } from './incidents.ts';
import { asOf } from './interrupted.ts';
import { listed, listedBefore, newOrb, type OrbState } from './orb.ts';
import { isRevoked, type Revocation } from './resolutions.ts';
import type { Changes, OrbEvent, Refused, State } from './state.ts';
import { causesOf, turned } from './suspension.ts';
import { withMinutes, type Tallies, type TallySink } from './tallies.ts';

/**
 * Folds the entries of the log, each once, into the state and into counts: those of a shard in their order, shards in
 * any. `isRead` says whether the entry of a receipt is folded already. An entry is folded in one turn of the event
 * loop, so a part of it is never visible.
 */
export class Projection {
  readonly state: State;
  readonly #sink: TallySink;
  readonly #tallies: Pick<Tallies, 'minutesOf'>;
  readonly #isRead: (receiptId: string) => boolean;
  #revoked: Revocation[] = [];
  #changed = { orbs: new Set<string>(), incidents: new Set<string>(), namespaces: new Set<string>() };
  #refused: Refused[] = [];
  #events: OrbEvent[] = [];

  constructor(
    state: State,
    sink: TallySink,
    tallies: Pick<Tallies, 'minutesOf'>,
    isRead: (receiptId: string) => boolean = () => true,
  ) {
    this.state = state;
    this.#isRead = isRead;
    this.#sink = sink;
    this.#tallies = tallies;
  }

  /**
   * Folds one entry; the caller handles snapshots and key entries. Answers a promise only for an incident whose counts
   * are not in memory: nothing may be folded, put or taken until it resolves.
   */
  apply(line: Line): Awaitable<void> {
    if (line.kind !== 'incident') return this.#apply(line);
    // Read before anything changes.
    return whenKnown(
      withMinutes(this.#tallies, (minutes) => weigh(this.state, line, minutes)),
      (weighed) => this.#apply(line, weighed),
    );
  }

  #apply(line: Line, weighed?: Weighed): void {
    this.state.spans.add(line);
    this.#fold(line, weighed);
    this.#arrived(line.receipt_id);
  }

  #fold(line: Line, weighed: Weighed | undefined): void {
    switch (line.kind) {
      case 'run':
        return this.#run(line);
      case 'resolution':
        return this.#resolution(line);
      case 'swap':
        this.#orb(line.orb_id);
        return countSwap(line, this.#sink);
      case 'incident':
        return weighed && this.#incident(line, weighed);
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
    this.state.spans.add(refused);
    this.#refuse(refused, refused.reason);
    this.#arrived(refused.receipt_id);
  }

  /** Notes that a receipt key is revoked; the caller then passes the entries from there on to `revise`. */
  revoke(revocation: Revocation): void {
    this.state.revoked.set(revocation.kid, revocation);
    this.#revoked.push(revocation);
    this.state.deciders.reopen('signed', revocation);
  }

  /**
   * Checks an entry again, from the position on at which a key is revoked: removes its count when that key signed it,
   * or when it resolves a receipt that no longer counts. Call it for those entries, of each shard in their order.
   */
  revise(line: Line, revokedKid: string): void {
    const { refused, waiting } = this.state;
    if (refused.has(line.receipt_id)) return;
    const revoked = line.signed_by === revokedKid;
    if (waiting.has(line.receipt_id)) return revoked ? this.#dismiss(line) : undefined;
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
      deciders: this.state.deciders.take(),
      revoked: this.#revoked,
      ...this.state.waiting.take(),
    };
    this.#revoked = [];
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
    this.#distrust(line);
  }

  #distrust(line: RunLine): void {
    // The statement of the revoked key about the signature is not trusted: the Orb counts as unsigned until another
    // entry says otherwise.
    const orb = this.#orb(line.orb_id);
    if (this.state.deciders.decide('signed', line.orb_id, line)) this.#put({ ...orb, signed: false });
    // Only a run that can be resolved needs to be remembered.
    if (line.outcome === 'unknown') this.#refuse(line, 'key_revoked');
  }

  // The statement of a key that still counts overrides the earlier state.
  #vouch(line: Line): void {
    const published = line.kind === 'standing' && line.change === 'published';
    if ((line.kind !== 'run' && !published) || line.manifest_signed === undefined) return;
    const orb = this.#orb(line.orb_id);
    if (!this.state.deciders.decide('signed', line.orb_id, line)) return;
    if (orb.signed !== line.manifest_signed) this.#put({ ...orb, signed: line.manifest_signed });
  }

  #run(line: RunLine): void {
    this.#orb(line.orb_id);
    const wrong = disagreement(line);
    if (wrong !== undefined) return this.#refuse(line, wrong);
    if (isRevoked(line, this.state.revoked)) return this.#distrust(line);
    countRun(line, this.#sink);
    this.#vouch(line);
  }

  #resolution(line: ResolutionLine, isRead = this.#isRead): void {
    this.#orb(line.orb_id);
    if (isRevoked(line, this.state.revoked)) return this.#refuse(line, 'key_revoked');
    const { refused, waiting } = this.state;
    if (waiting.has(line.resolves) || (!refused.has(line.resolves) && !isRead(line.resolves))) return waiting.add(line);
    if (refused.has(line.resolves)) return this.#refuse(line, 'resolves_refused');
    const wrong = disagreement(line);
    if (wrong !== undefined) return this.#refuse(line, wrong);
    countResolution(line, this.#sink);
  }

  #refuse({ origin, index, receipt_id }: Place, reason: Refused['reason']): void {
    const refused = { origin, index, receipt_id, reason };
    this.state.refused.set(receipt_id, refused);
    this.#refused.push(refused);
  }

  // A resolution that was read before its receipt counts from here on.
  #arrived(receiptId: string): void {
    for (const line of this.state.waiting.release(receiptId)) {
      this.#resolution(line, () => true);
      this.#arrived(line.receipt_id);
    }
  }

  #dismiss(line: Line): void {
    this.state.waiting.end(line.receipt_id);
    this.#refuse(line, 'key_revoked');
    this.#arrived(line.receipt_id);
  }

  #incident(line: IncidentLine, { day, incident, late, orbs }: Weighed): void {
    this.state.incidents.set(incident.incident_id, incident);
    this.#changed.incidents.add(incident.incident_id);
    for (const orb of orbs) this.#reconsider(orb, day, 'auto');
    // A suspension counts, even if a later entry has already ended it.
    if (late && incident.integrity && isOpen(asOf(line, incident), day))
      for (const { id, kind } of line.scope) if (kind === 'orb') this.#interrupt(this.state.orbs.get(id));
  }

  // The entry of a suspension can come after the entry that ended it. Then it only ends the streaks.
  #interrupt(orb: OrbState | undefined): void {
    if (orb !== undefined) this.#put({ ...orb, machine: { ...orb.machine, interrupted: true } });
  }

  #namespace(line: NamespaceLine): void {
    const { namespace, change, owner, manifest_key, at, reason, receipt_id } = line;
    const orbs = (): OrbState[] => [...this.state.orbs.values()].filter((orb) => orb.namespace === namespace);
    if (!this.state.deciders.decide('namespace', namespace, line)) {
      if (change === 'revoked') for (const orb of orbs()) this.#interrupt(orb);
      return;
    }
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
    for (const orb of orbs()) this.#reconsider(orb, dayNumber(at), 'operator');
  }

  #standing(line: StandingLine): void {
    const orb = this.#orb(line.orb_id);
    const day = dayNumber(line.at);
    const { deciders } = this.state;
    if (line.change === 'suspended' || line.change === 'lifted') {
      const suspended = line.change === 'suspended';
      if (deciders.decide('suspended', line.orb_id, line))
        return this.#reconsider({ ...orb, suspended }, day, 'operator');
      return suspended ? this.#interrupt(orb) : undefined;
    }
    const last = deciders.decide('listing', line.orb_id, line);
    const listing = (last ? listed : listedBefore)(orb.listing, line.change, line);
    const says = line.change === 'published' ? line.manifest_signed : undefined;
    const signed = says !== undefined && deciders.decide('signed', line.orb_id, line) ? says : orb.signed;
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
