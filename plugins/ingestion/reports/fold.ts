import type { DeliveryState } from '../../runtime/contract.ts';

/** One report as the fold reads it. */
export interface ReportFact {
  readonly state: DeliveryState;
  /** RFC 3339 UTC with three decimals, so that it sorts as text. */
  readonly at: string;
  /** The part or recipient that it concerns; absent: the whole message. */
  readonly part?: string | undefined;
  /** Digest of the body that holds it. */
  readonly digest: string;
}

/** What all reports on a message say. */
export interface FoldedReports {
  readonly state: DeliveryState;
  readonly at: string;
  /** Two reports say that the same part ended in different ways. */
  readonly conflict: boolean;
}

const ranks: Readonly<Record<DeliveryState, number>> = {
  ...{ accepted: 0, queued: 1, sent: 2 },
  ...{ delivered: 3, undelivered: 3, expired: 3, rejected_later: 3 },
  read: 4,
};
const ended = 3;
const failures: ReadonlySet<DeliveryState> = new Set<DeliveryState>(['undelivered', 'expired', 'rejected_later']);

/**
 * Folds the reports on a message, the same whatever their order and however often each comes: a state never goes back,
 * of two different ends the earlier counts, and the failure of a part is that of the message. Undefined: no reports.
 */
export function foldReports(reports: readonly ReportFact[]): FoldedReports | undefined {
  const parts = Map.groupBy(reports, ({ part }) => part ?? '');
  const folded = [...parts.values()].map(foldPart).sort(byProgress);
  const [least] = folded;
  if (least === undefined) return undefined;
  const failed = folded.filter(({ state }) => failures.has(state)).sort(byTime)[0];
  const { state, at } = failed ?? least;
  return { state, at, conflict: folded.some(({ conflict }) => conflict) };
}

function foldPart(reports: readonly ReportFact[]): FoldedReports {
  const ends = reports.filter(({ state }) => ranks[state] === ended).sort(byTime);
  const others = reports.filter(({ state }) => ranks[state] !== ended).sort(byProgress);
  const [end] = ends;
  const last = others.at(-1);
  const isRead = last?.state === 'read';
  // A message that was read was delivered.
  const agreed = isRead ? 'delivered' : end?.state;
  const { state, at } = (isRead ? last : (end ?? last)) as ReportFact;
  return { state, at, conflict: ends.some((one) => one.state !== agreed) };
}

type Placed = Pick<ReportFact, 'state' | 'at'> & { readonly digest?: string };

const compared = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function byTime(a: Placed, b: Placed): number {
  return compared(a.at, b.at) || compared(a.digest ?? '', b.digest ?? '') || compared(a.state, b.state);
}

function byProgress(a: Placed, b: Placed): number {
  return ranks[a.state] - ranks[b.state] || byTime(a, b);
}
