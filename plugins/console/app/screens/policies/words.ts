/** Shortens a digest to its first digits. */
export function shortOf(digest: string): string {
  return digest.replace('sha256:', '').slice(0, 12);
}

/** Writes a number with its word: `1 test`, `2 tests`. */
export function counted(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

/** The field for the reason of a change, which the list of revisions shows. */
export const whyChanged = {
  name: 'message',
  label: 'Reason',
  hint: 'Shown in the list of revisions.',
  required: false,
};
