import { resolve } from 'node:path';
import { provideAuthorModules } from '../boot/author-modules.ts';
import { readConfig, readPluginSettings } from '../config/config.ts';
import { loadDefinition } from '../boot/definition-file.ts';
import { load } from '../boot/loader.ts';
import { choosePlugins } from '../boot/plugin-choice.ts';
import type { Environment } from '../config/state-dir.ts';
import { ConfigError } from '../error.ts';
import { version } from '../tools/version.ts';
import { byTask, firstWord, summaryOf } from './command/command-group.ts';
import type { Command, Installation } from './command/command.ts';
import type { Builtin } from '../boot/loaded.ts';
import { globalOptions, commandWords } from './global-options.ts';
import { simulating } from './serve.ts';

/** Describes the program that consists of these parts and commands, and the home that the environment names. */
export function installationOf(builtin: Builtin, commands: readonly Command[], env: Environment): Installation {
  const words = [...new Set(byTask(commands).map(({ path }) => firstWord(path)))];
  return {
    version,
    home: resolve(env['ORB_HOME'] ?? '.'),
    shipped: builtin.plugins,
    commands,
    words: words.map((word) => ({ word, summary: summaryOf(word, commands) })),
    options: globalOptions,
    async plugins() {
      // What is wrong with the choice is a fault of the configuration, which `load` reports.
      const { chosen } = await choosePlugins(readPluginSettings(env, process.cwd()), builtin.plugins, []);
      return chosen.map(({ plugin }) => plugin);
    },
    read: (faults, variables = env) => readConfig(variables, process.cwd(), faults),
    load: (config, faults) => load(config, builtin, faults),
    simulate: simulating(builtin, commands),
    async define(file) {
      const faults: string[] = [];
      provideAuthorModules(builtin);
      const found = await loadDefinition(file, file, faults);
      if (faults.length > 0) throw new ConfigError(faults);
      return found?.definition;
    },
  };
}

/**
 * Reads the commands of plugins that platform.json names by a file, without starting them; `note` gets what cannot be
 * loaded. Nothing is loaded for words of a shipped command: it runs no code of the folder it is called in.
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
