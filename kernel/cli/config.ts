import { readConfig } from '../boot/config.ts';
import { load } from '../boot/loader.ts';
import { defineCommand, type Command } from './command.ts';
import { painted } from './output/meaning.ts';
import type { Builtin, LoadedPlugin } from '../boot/loaded.ts';

/** Makes `orb config check`: loads everything, starts nothing; exit 78 with all faults. */
export function config(builtin: Builtin): Command {
  return defineCommand({
    path: 'config check',
    summary: 'check platform.json, ORB_*, manifests, plugins and adapters, without starting the server',
    async run({ env, print, screen }) {
      const faults: string[] = [];
      const read = readConfig(env, process.cwd(), faults);
      const { plugins, providers, warnings } = await load(read, builtin, faults);
      for (const { plugin, files } of plugins) await plugin.files?.check(files, read.store);
      const found = {
        plugins: plugins.map(({ plugin }) => plugin.name),
        providers: [...providers.values()].map(({ name, adapter }) => ({ name, adapter: adapter.name })),
        ...listed(plugins),
      };
      const mark = painted('warning', screen, '!');
      const counts = Object.entries(found).map(([kind, items]) => `${items.length} ${kind}`);
      print(
        { home: read.home, state_dir: read.stateDir, ...found, warnings },
        [`The configuration is valid: ${counts.join(', ')}.`, ...warnings.map((one) => `${mark} ${one}`)].join('\n'),
      );
    },
  });
}

// What the plugins define in files, by kind.
function listed(plugins: readonly LoadedPlugin[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(plugins.flatMap(({ plugin, files }) => Object.entries(plugin.files?.list(files) ?? {})));
}
