import type { Decision, Replayed } from '../../frame/wire.ts';

/** Shortens a digest to its first digits. */
export function shortOf(digest: string): string {
  return digest.replace('sha256:', '').slice(0, 12);
}

/** Writes a number with its word: `1 test`, `2 tests`. */
export function counted(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

type Outcome = Pick<Decision, 'outcome'>;

const outcomes = {
  allow: ['allowed', 'good'],
  ask: ['needs approval', 'warn'],
  deny: ['denied', 'bad'],
} as const;

/** Writes the outcome of a decision, and the tone in which to show it. */
export function outcomeText({ outcome }: Outcome): (typeof outcomes)[Outcome['outcome']] {
  return outcomes[outcome];
}

/** Writes who must approve: `office`, or `2 of office`. */
export function peopleOf({ approvers, of }: Pick<NonNullable<Decision['asks']>[number], 'approvers' | 'of'>): string {
  return of === 1 ? approvers : `${of} of ${approvers}`;
}

/** Writes what a replay of past decisions found. */
export function replayText({ examined, counts }: Pick<Replayed, 'examined' | 'counts'>): string {
  if (examined === 0) return 'There are no decisions to replay.';
  const { would_deny, would_ask, would_allow } = counts;
  const asked = would_ask === 0 ? '' : `, asked for ${counted(would_ask, 'approval')}`;
  return `Of ${counted(examined, 'decision')}, the drafts would have denied ${would_deny}${asked} and allowed ${would_allow} more.`;
}

/** The field for the reason of a change, which the list of revisions shows. */
export const whyChanged = {
  name: 'message',
  label: 'Reason',
  hint: 'Shown in the list of revisions.',
  required: false,
};
