import type { Command } from '../../kernel/index.ts';

type Options = NonNullable<Command['options']>;

/** Makes the options of a command from a table: `{ '--write': 'write the files' }`, or with more than a description. */
export function optionsOf(table: Readonly<Record<string, string | Omit<Options[number], 'flag'>>>): Options {
  return Object.entries(table).map(([flag, about]) =>
    typeof about === 'string' ? { flag, description: about } : { flag, ...about },
  );
}
