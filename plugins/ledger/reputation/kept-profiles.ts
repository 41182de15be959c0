import type { Position } from '../../receipts/contract.ts';
import type { OrbProfile } from './profile.ts';

const mostKept = 256;

/** What a profile is of; days since the epoch. */
export interface ProfileKey {
  readonly orbId: string;
  readonly day: number;
  /** The last position up to which the log is folded. */
  readonly position: Position | undefined;
  readonly withIncidentIds: boolean;
}

/**
 * Caches the most recently requested profiles until the log or the day changes, because a profile needs the counts of
 * 180 days.
 */
export class KeptProfiles {
  #kept = new Map<string, Promise<OrbProfile>>();

  /** Answers the cached profile, or makes it; concurrent callers wait for the same one. */
  get({ day, orbId, position, withIncidentIds }: ProfileKey, make: () => Promise<OrbProfile>): Promise<OrbProfile> {
    const kept = this.#kept;
    const name = JSON.stringify([orbId, day, position?.origin, position?.index, withIncidentIds]);
    const known = kept.get(name);
    const profile = known ?? make();
    // Moved to the end, so that the least recently asked is dropped first.
    kept.delete(name);
    kept.set(name, profile);
    if (kept.size > mostKept) kept.delete(kept.keys().next().value ?? '');
    if (known === undefined) profile.catch(() => kept.delete(name));
    return profile;
  }

  /** Drops all profiles, also those in progress, because they may be based on an earlier state. */
  clear(): void {
    this.#kept = new Map();
  }
}
