import { defineCommand, type Config, type Installation } from '../../kernel/index.ts';
import { painted } from '../terminal/contract.ts';

/** The parts that a start of the server would load, by name. */
export interface CheckedConfig {
  readonly config: Config;
  readonly plugins: readonly string[];
  readonly providers: readonly { readonly name: string; readonly adapter: string }[];
  /** What plugins define in files, by kind: `{ orbs: ['notify.email@1.0.0'] }`. */
  readonly defined: Readonly<Record<string, readonly string[]>>;
  readonly warnings: readonly string[];
}

/** Loads configuration, manifests, plugins and adapters as a start does. Throws ConfigError with all faults. */
export async function checkConfiguration({ load, read }: Installation): Promise<CheckedConfig> {
  const faults: string[] = [];
  const config = read(faults);
  const { place, plugins, providers, warnings } = await load(config, faults);
  for (const { plugin, files } of plugins) await plugin.files?.check(files, place);
  const lists = plugins.flatMap(({ plugin, files }) => Object.entries(plugin.files?.list(files) ?? {}));
  return {
    config,
    plugins: plugins.map(({ plugin }) => plugin.name),
    providers: [...providers.values()].map(({ name, adapter }) => ({ name, adapter: adapter.name })),
    defined: Object.fromEntries(lists),
    warnings,
  };
}

/** `orb config check`: loads everything, starts nothing; exit 78 with all faults. */
export const configCheck = defineCommand({
  path: 'config check',
  summary: 'check platform.json, ORB_*, manifests, plugins and adapters, without starting the server',
  async run({ installation, print, screen }) {
    const { config, plugins, providers, defined, warnings } = await checkConfiguration(installation);
    const found = { plugins, providers, ...defined };
    const mark = painted('warning', screen, '!');
    const counts = Object.entries(found).map(([kind, items]) => `${items.length} ${kind}`);
    print(
      { home: installation.home, state_dir: config.stateDir, ...found, warnings },
      [`The configuration is valid: ${counts.join(', ')}.`, ...warnings.map((one) => `${mark} ${one}`)].join('\n'),
    );
  },
});
