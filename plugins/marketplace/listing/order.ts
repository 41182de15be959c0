import { newestFirst } from '../../ledger/contract.ts';
import type { Entry, NameRow } from '../listing.ts';
import { nameOf } from '../listing.ts';

/** Returns the score that a list shows: null for a suspended Orb. */
export function shownScore({ reputation: { score, suspended } }: Pick<Entry, 'reputation'>): number | null {
  return suspended ? null : score;
}

/**
 * Sorts versions for the list. `day`: day of the last snapshot. First the versions published before that snapshot: by
 * score (best first, no score last), name, newest version. Then the versions published since, by time, so that a new
 * publication moves no page between snapshots. Suspended versions come last, immediately.
 */
export function versionsInOrder(entries: readonly Entry[], day: string): readonly Entry[] {
  const isNew = ({ listing }: Entry): boolean => listing.published_after === day;
  const shown = entries.filter(({ reputation }) => !reputation.suspended);
  const settled = shown.filter((entry) => !isNew(entry)).sort(byScore);
  const fresh = shown
    .filter(isNew)
    .sort((one, other) => byTime(one.listing.published_at, other.listing.published_at, one, other));
  const suspended = entries.filter(({ reputation }) => reputation.suspended).sort(byNameThenVersion);
  return [...settled, ...fresh, ...suspended];
}

/** Sorts the names that have an active version: a name keeps its place until the next snapshot. */
export function namesInOrder(entries: readonly Entry[], day: string): readonly NameRow[] {
  const byName = Map.groupBy(entries, ({ listing }) => nameOf(listing));
  const placed = [...byName].flatMap(([name, versions]) => placeOf(name, versions, day) ?? []);
  const isSuspended = ({ row }: Place): boolean => row.entry.reputation.suspended;
  const shown = placed.filter((place) => !isSuspended(place));
  const settled = shown.filter(({ stood }) => stood !== undefined);
  const fresh = shown.filter(({ stood }) => stood === undefined);
  const suspended = placed.filter(isSuspended);
  settled.sort((one, other) => byScore(one.stood ?? one.row.entry, other.stood ?? other.row.entry));
  fresh.sort((one, other) => byTime(one.since, other.since, one.row.entry, other.row.entry));
  suspended.sort((one, other) => byNameThenVersion(one.row.entry, other.row.entry));
  return [...settled, ...fresh, ...suspended].map(({ row }) => row);
}

interface Place {
  readonly row: NameRow;
  /** The version that gave the name its place at the snapshot; undefined: the name had no place. */
  readonly stood: Entry | undefined;
  /** Time since when the name is listed; used when it had no place. */
  readonly since: string;
}

function placeOf(name: string, versions: readonly Entry[], day: string): Place | undefined {
  const entry = versions.find(({ latest }) => latest);
  if (entry === undefined) return undefined;
  // Active at the snapshot: listed before it, and not ended before it.
  const listed = versions.filter(({ listing }) => listing.status === 'active' || listing.ended_after === day);
  const stood = listed
    .filter(({ listing }) => listing.listed_after !== day)
    .sort((one, other) => newestFirst(one.listing, other.listing));
  const since = listed.map(({ listing }) => listing.listed_at).sort()[0] ?? '';
  return { row: { name, entry }, stood: stood[0], since };
}

/** Orders by score (best first, no score last), then name, then newest version. */
export function byScore(one: Entry, other: Entry): number {
  const [first, second] = [one.reputation.score ?? -1, other.reputation.score ?? -1];
  return second - first || byNameThenVersion(one, other);
}

/** Orders by name, then newest version. */
export function byNameThenVersion(one: Entry, other: Entry): number {
  const [first, second] = [nameOf(one.listing), nameOf(other.listing)];
  if (first !== second) return first < second ? -1 : 1;
  return newestFirst(one.listing, other.listing);
}

function byTime(at: string, otherAt: string, one: Entry, other: Entry): number {
  if (at !== otherAt) return at < otherAt ? -1 : 1;
  return byNameThenVersion(one, other);
}
