import type { Environment } from '../config/state-dir.ts';

/** The options that every command has, before its words or after them; each has a value. */
export const globalOptions = [
  { flag: '--home <folder>', description: 'home of the server, with data/ and policies/; overrides ORB_HOME' },
  { flag: '--ca <file>', description: 'also trust this CA (PEM), for a server with a private certificate' },
] as const;

const names = globalOptions.map(({ flag }) => flag.split(' ')[0] ?? flag);

/** Returns the words of a call without the options of every command that stand before them. */
export function commandWords(argv: readonly string[]): readonly string[] {
  const [first = '', ...rest] = argv;
  if (names.includes(first)) return commandWords(rest.slice(1));
  return names.some((name) => first.startsWith(`${name}=`)) ? commandWords(rest) : argv;
}

/** Returns the environment of a call: ORB_HOME is the value of `--home`, if the call has it. */
export function environmentOf(argv: readonly string[], env: Environment): Environment {
  const home = valueOf(argv, '--home');
  return home === undefined ? env : { ...env, ORB_HOME: home };
}

// The last one counts, as for the parser of the words.
function valueOf(argv: readonly string[], name: string): string | undefined {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  return words.reduce<string | undefined>((found, word, at) => {
    if (word.startsWith(`${name}=`)) return word.slice(name.length + 1);
    return word === name ? words[at + 1] : found;
  }, undefined);
}

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
