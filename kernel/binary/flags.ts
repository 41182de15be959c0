import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: { readonly start: string };
};

/** The command by which `npm start` serves: the one place that says with which flags of V8 the program runs. */
export const startCommand: string = scripts.start;

/** Those flags. */
export const v8Flags: readonly string[] = startCommand.split(' ').filter((word) => word.startsWith('--'));
