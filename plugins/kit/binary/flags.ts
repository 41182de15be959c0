import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: { readonly start: string };
};

/** The command of `npm start`: the only place that sets the V8 flags of the program. */
export const startCommand: string = scripts.start;

/** The V8 flags of `startCommand`. */
export const v8Flags: readonly string[] = startCommand.split(' ').filter((word) => word.startsWith('--'));
