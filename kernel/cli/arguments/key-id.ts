// A key id is the base64url of a SHA-256, so one in 64 begins like an option.
const dashed = /^-[\w-]{42}$/;
// No argument of a process can hold it.
const mark = '\0';

type Value = string | readonly string[] | boolean | undefined;

/** Marks each word that is a key id and begins with `-`, so that it is an argument and no option. */
export function markKeyIds(argv: readonly string[]): string[] {
  return argv.map((word) => (dashed.test(word) ? mark + word : word));
}

/** Removes the mark from a value, or from each of a list. */
export function unmarked<T extends Value>(value: T): T;
export function unmarked(value: Value): Value {
  if (typeof value === 'string') return value.startsWith(mark) ? value.slice(mark.length) : value;
  return typeof value === 'object' ? value.map((one) => unmarked(one)) : value;
}
