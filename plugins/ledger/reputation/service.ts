import type { Clock, Listeners } from '../../../kernel/index.ts';
import type { ListingChange, OrbReputation, Profile, Reputation, SnapshotRef, StandingChanged } from '../contract.ts';
import type { CallerRef } from './caller.ts';
import type { Ledger } from '../follow/ledger.ts';
import { newOrb, type OrbState } from '../projection/orb.ts';
import type { Changes } from '../projection/state.ts';
import { newestFirst } from '../newest.ts';
import type { SnapshotOrb } from '../projection/snapshot.ts';
import type { LedgerReads } from '../tables/reads.ts';
import { incidentDebts } from './incident-debts.ts';
import { KeptProfiles } from './kept-profiles.ts';
import { dayOf } from '../score/day.ts';
import type { Signatures } from '../signatures.ts';
import { scoreOf, viewOf } from './view.ts';
import type { Standing } from '../../runtime/contract.ts';

/** Options of the service. */
export interface ServiceOptions {
  readonly ledger: Ledger;
  readonly reads: LedgerReads;
  readonly signatures: Signatures;
  readonly profile: Profile;
  readonly callerRef: CallerRef;
  readonly clock: Pick<Clock, 'now'>;
  readonly snapshots: Listeners<SnapshotRef>;
  readonly standings: Listeners<StandingChanged>;
}

/** Answers reputation and standings of Orbs from memory. */
export class Desk {
  readonly #options: ServiceOptions;
  #snapshot: SnapshotRef | undefined;
  #rows: ReadonlyMap<string, SnapshotOrb> = new Map();
  #scores: ReadonlyMap<string, number | null> = new Map();
  /** Profiles of the present state. */
  readonly profiles = new KeptProfiles();

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  // Newest active version by name; rebuilt after a listing changed.
  #newest: ReadonlyMap<string, string> | undefined;

  /** Reads the last snapshot; call it once, at start. */
  async reload(): Promise<void> {
    const { reads } = this.#options;
    const snapshot = await reads.lastSnapshot();
    const rows = snapshot === undefined ? [] : await reads.snapshotOrbs(snapshot.day);
    this.#snapshot = snapshot;
    this.#rows = new Map(rows.map((row) => [row.orb_id, row]));
    this.#scores = new Map(rows.map((row) => [row.orb_id, scoreOf(row).score]));
  }

  /** Takes over a snapshot that was just stored. */
  async snapshotTaken(snapshot: SnapshotRef): Promise<void> {
    await this.reload();
    this.#causesOf.causes.clear();
    this.profiles.clear();
    this.#options.snapshots.tell(snapshot);
  }

  /** Drops results of an earlier projection, and notifies listeners that reputations may have changed. */
  caughtUp(): void {
    this.#causesOf.causes.clear();
    this.profiles.clear();
    this.#newest = undefined;
    this.#options.signatures.forget();
    if (this.#snapshot !== undefined) this.#options.snapshots.tell(this.#snapshot);
  }

  /** Notifies the listeners of standings after a batch was folded. */
  folded(changes: Changes): void {
    const { signatures, standings } = this.#options;
    this.profiles.clear();
    if (changes.orbs.length + changes.incidents.length + changes.namespaces.length > 0) this.#causesOf.causes.clear();
    if (changes.namespaces.length > 0) signatures.forget();
    if (changes.orbs.some(({ listing }) => listing !== undefined)) this.#newest = undefined;
    for (const { namespace, state } of changes.namespaces) standings.tell({ namespace, change: state });
    for (const { orb_id, change } of changes.events)
      if (change === 'suspended' || change === 'restored') standings.tell({ orb_id, change });
    for (const { orb_id, listing } of changes.orbs)
      if (listing !== undefined && this.#listed(listing)) standings.tell({ orb_id, change: listing.state });
  }

  readonly #told = new Map<string, string>();
  #listed({ orb_id, receipt_id }: ListingChange): boolean {
    if (this.#told.get(orb_id) === receipt_id) return false;
    this.#told.set(orb_id, receipt_id);
    return true;
  }

  /** Answers the version for a bare name. */
  versionOf(orbIdOrName: string): string {
    if (orbIdOrName.includes('@')) return orbIdOrName;
    this.#newest ??= newestOf(this.#options.ledger.projection.state.orbs.values());
    return this.#newest.get(orbIdOrName) ?? orbIdOrName;
  }

  /** Answers the causes of an Orb's current suspension; empty when it is not suspended. */
  causes(orbId: string): readonly string[] {
    const { clock, ledger } = this.#options;
    const day = dayOf(clock.now());
    if (day !== this.#causesOf.day) this.#causesOf = { day, causes: new Map() };
    const known = this.#causesOf.causes.get(orbId);
    if (known !== undefined) return known;
    const { projection } = ledger;
    const causes = projection.causes(projection.state.orbs.get(orbId) ?? newOrb(orbId), day);
    this.#causesOf.causes.set(orbId, causes);
    return causes;
  }

  // Every run reads the causes: cached until an entry or a new day may change them. Keys: Orb ids of catalog and log.
  #causesOf: { readonly day: number; readonly causes: Map<string, readonly string[]> } = { day: -1, causes: new Map() };

  get snapshot(): SnapshotRef | undefined {
    return this.#snapshot;
  }

  /** Answers the reputation of an Orb at the last snapshot. */
  get(orbId: string): OrbReputation {
    const { ledger, profile, signatures } = this.#options;
    return viewOf(orbId, {
      orb: ledger.projection.state.orbs.get(orbId),
      row: this.#rows.get(orbId),
      snapshot: this.#snapshot,
      causes: this.causes(orbId),
      profile,
      signed: signatures.isSigned(orbId),
    });
  }

  /** Implements the port `standing`: the values recorded with a run when it is accepted. */
  standing(orbId: string, principal: string, tenant: string): Standing {
    const { ledger, profile, callerRef, signatures } = this.#options;
    const { orbs, namespaces } = ledger.projection.state;
    const orb = orbs.get(orbId) ?? newOrb(orbId);
    const suspended = this.causes(orbId).length > 0;
    const grant = namespaces.get(orb.namespace);
    const owner = grant?.state === 'granted' ? grant.owner : undefined;
    const caller = profile === 'single-org' ? principal : tenant;
    const self = profile === 'single-org' ? owner?.principal : owner?.tenant;
    return {
      tier: suspended ? 'none' : orb.machine.tier,
      state: suspended ? 'suspended' : 'active',
      score: this.#scores.get(orbId) ?? null,
      signed: signatures.isSigned(orbId),
      is_self: self !== undefined && self === caller,
      caller_ref: callerRef(caller, orb.namespace),
    };
  }
}

function newestOf(orbs: Iterable<OrbState>): ReadonlyMap<string, string> {
  const active = [...orbs].filter(({ listing }) => listing?.state === 'published').sort(newestFirst);
  // For equal names the Map keeps the last entry, so the newest comes last.
  return new Map(active.reverse().map(({ name, orb_id }) => [name, orb_id]));
}

/** Makes the service `reputation`. */
export function createReputation(desk: Desk, options: ServiceOptions): Reputation {
  const { ledger, signatures } = options;
  const state = () => ledger.projection.state;
  return Object.freeze({
    get: (orbId) => desk.get(orbId),
    orbs: () => [...state().orbs.keys()].sort(),
    versionOf: (orbIdOrName) => desk.versionOf(orbIdOrName),
    listing: (orbId) => state().orbs.get(orbId)?.listing,
    listings: () =>
      [...state().orbs.values()].flatMap(({ listing }) => listing ?? []).sort((a, b) => (a.orb_id < b.orb_id ? -1 : 1)),
    namespace: (name) => state().namespaces.get(name),
    namespaces: () => [...state().namespaces.values()].sort((a, b) => (a.namespace < b.namespace ? -1 : 1)),
    incidentDebts: (id) => incidentDebts(id, { ...state(), reads: options.reads, day: dayOf(options.clock.now()) }),
    tierEvents: (orbId) => options.reads.events(orbId),
    snapshot: () => desk.snapshot,
    manifest: (orbId) => signatures.manifest(orbId),
    offerSignature: (orbId, signature) => signatures.offer(orbId, signature),
    settled: () => ledger.settled(),
    asOf: () => ledger.asOf,
    onSnapshot: (listener) => options.snapshots.add(listener),
    onStanding: (listener) => options.standings.add(listener),
  } satisfies Reputation);
}
