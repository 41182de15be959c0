/** A word that may follow, and what it means. */
export interface Entry {
  readonly word: string;
  readonly summary: string;
}

/** An option that may follow. */
export interface Flag extends Entry {
  readonly takesValue: boolean;
}

/** What may follow after `orb` and the words `at`. */
export interface Branch {
  readonly at: string;
  readonly words: readonly Entry[];
  readonly flags: readonly Flag[];
}

/** Writes a text as one literal word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Lists words with blanks between them. */
export function listed(entries: readonly Entry[]): string {
  return entries.map(({ word }) => word).join(' ');
}

/** Lists the options of a branch that take a value. */
export function valued({ flags }: Branch): string {
  return listed(flags.filter(({ takesValue }) => takesValue));
}
