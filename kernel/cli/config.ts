import { readConfig } from '../boot/config.ts';
import { load, type Builtin } from '../boot/loader.ts';
import { checkStored } from '../runtime/manifests/stored.ts';
import { defineCommand, type Command } from './command.ts';
import { painted } from './output/meaning.ts';

/** Makes `orb config check`: loads everything, starts nothing; exit 78 with all faults. */
export function config(builtin: Builtin): Command {
  return defineCommand({
    path: 'config check',
    summary: 'check platform.json, ORB_*, manifests, plugins and adapters, without starting the server',
    async run({ env, print, screen }) {
      const faults: string[] = [];
      const read = readConfig(env, process.cwd(), faults);
      const { place, plugins, providers, catalog, warnings } = await load(read, builtin, faults);
      await checkStored(catalog, place);
      const found = {
        plugins: plugins.map(({ plugin }) => plugin.name),
        providers: [...providers.values()].map(({ name, adapter }) => ({ name, adapter: adapter.name })),
        orbs: [...catalog.orbs.keys()],
        orbisets: [...catalog.orbisets.keys()],
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
