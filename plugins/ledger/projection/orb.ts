import type { ListingChange } from '../contract.ts';
import type { StandingLine } from '../fact/line.ts';
import { newMachine, type Machine } from '../tier/machine.ts';

/** The state of one Orb except its counts. */
export interface OrbState {
  readonly orb_id: string;
  /** All labels but the last, e.g. `notify`. */
  readonly namespace: string;
  /** With its namespace, without the version: `notify.email`. */
  readonly name: string;
  readonly version: string;
  /** `manifest_signed` of the run or `published` entry with the highest position. */
  readonly signed: boolean;
  readonly machine: Machine;
  /** Suspended by an operator. */
  readonly suspended: boolean;
  /** Open critical incidents that took half of its runs, at gold or higher, when last checked. */
  readonly critical: readonly string[];
  /** Causes of its suspension, when last checked. */
  readonly causes: readonly string[];
  readonly listing?: ListingChange;
}

/** Makes the state of an Orb that the log names for the first time. */
export function newOrb(orbId: string): OrbState {
  const at = orbId.indexOf('@');
  const name = orbId.slice(0, at);
  return {
    orb_id: orbId,
    namespace: name.slice(0, name.lastIndexOf('.')),
    name,
    version: orbId.slice(at + 1),
    signed: false,
    machine: newMachine,
    suspended: false,
    critical: [],
    causes: [],
  };
}

/** Adds an entry of a listing that is older than the one that decided, but was read after it. */
export function listedBefore(known: ListingChange | undefined, change: Change, line: StandingLine): ListingChange {
  if (known === undefined || finality[change] > finality[known.state]) return listed(known, change, line);
  const digest = known.manifest_digest ?? (change === 'published' ? line.manifest_digest : undefined);
  return {
    ...known,
    published_at: line.at < known.published_at ? line.at : known.published_at,
    ...(digest === undefined ? {} : { manifest_digest: digest }),
  };
}

const finality = { published: 0, deprecated: 0, yanked: 1, removed: 2 } as const;
type Change = keyof typeof finality;

/** Applies one entry to a listing: yanked and removed are final, and removed overrides yanked. */
export function listed(known: ListingChange | undefined, change: Change, line: StandingLine): ListingChange {
  const { at, orb_id, receipt_id, reason, manifest_digest } = line;
  if (known !== undefined && finality[known.state] > finality[change]) return known;
  const digest = change === 'published' ? (manifest_digest ?? known?.manifest_digest) : known?.manifest_digest;
  return {
    orb_id,
    state: change,
    published_at: known?.published_at ?? at,
    changed_at: at,
    ...(digest === undefined ? {} : { manifest_digest: digest }),
    manifest_signed: line.manifest_signed ?? known?.manifest_signed ?? false,
    ...(reason === undefined || change === 'published' ? {} : { reason }),
    receipt_id,
  };
}
