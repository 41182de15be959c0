import { provideAuthorModules } from '../boot/author-modules.ts';
import { readPluginSettings } from '../config/config.ts';
import { choosePlugins } from '../boot/plugin-choice.ts';
import type { Environment } from '../config/state-dir.ts';
import type { Command } from './command/command.ts';
import { commandWords } from './global-options.ts';
import type { Builtin } from '../boot/loaded.ts';

/**
 * Reads the commands of plugins that platform.json names by a file, without starting the plugins. Their files are
 * loaded only for words that are no command of the program itself: a shipped command runs no code of the folder it is
 * called in. A plugin that cannot be loaded adds no commands; `note` gets the reason.
 */
export async function externalCommands(
  argv: readonly string[],
  own: readonly Command[],
  { builtin, env, note }: { readonly builtin: Builtin; readonly env: Environment; note(text: string): void },
): Promise<readonly Command[]> {
  const words = commandWords(argv);
  if (own.some(({ path }) => isCallOf(path, words)) || words[0] === '--version') return [];
  provideAuthorModules(builtin);
  const { home, plugins } = readPluginSettings(env, process.cwd());
  const faults: string[] = [];
  const { chosen } = await choosePlugins({ home, plugins }, builtin.plugins, faults);
  for (const fault of faults) note(fault);
  const taken = new Set(own.map(({ path }) => path));
  return chosen
    .flatMap(({ plugin, file }) => (file === undefined ? [] : plugin.commands))
    .filter(({ path }) => !taken.has(path));
}

function isCallOf(path: string, argv: readonly string[]): boolean {
  return path.split(' ').every((word, at) => argv[at] === word);
}
