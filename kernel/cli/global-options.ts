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
