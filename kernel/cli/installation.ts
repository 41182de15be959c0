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
import { globalOptions } from './global-options.ts';

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
    async define(file) {
      const faults: string[] = [];
      provideAuthorModules(builtin);
      const found = await loadDefinition(file, file, faults);
      if (faults.length > 0) throw new ConfigError(faults);
      return found?.definition;
    },
  };
}
