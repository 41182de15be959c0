import type { FilesSource, PluginFiles } from '../../kernel/index.ts';

const floors = {
  // Articles 19(1) and 26(6) of Regulation (EU) 2024/1689 ask for six months: 183 days is the longest half of a year.
  'six-months': {
    days: 183,
    settings: [
      ['policy', ['retention_days']],
      ['ingestion', ['retention_days']],
      ['subscriptions', ['retention_days']],
      ['observability', ['retention_days']],
      ['receipts', ['retention', 'reasons_days']],
    ],
  },
} as const;

/** Names of the profiles. */
export const profiles = Object.keys(floors) as readonly (keyof typeof floors)[];

/** Lists the settings that are shorter than a profile demands; those of a plugin that is off keep nothing. */
export function profileFaults(profile: keyof typeof floors, plugins: FilesSource['config']['plugins']): string[] {
  const { days, settings } = floors[profile];
  return settings.flatMap(([plugin, path]) => {
    const own = plugins[plugin];
    if (own === false) return [];
    const set = path.reduce<unknown>((value, name) => memberOf(value, name), own?.config);
    if (typeof set === 'number' && set >= days) return [];
    const now = typeof set === 'number' ? `it is ${set}` : 'its default is shorter';
    return [`plugins.${plugin}/${path.join('/')}: the profile ${profile} needs at least ${days} days, and ${now}`];
  });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Checks the profile with the configuration, at the start and by `orb config check`. */
export const profileCheck: PluginFiles<null> = {
  read({ config: { plugins } }, faults) {
    const own = plugins['audit'];
    const profile = own === false ? undefined : memberOf(own?.config, 'profile');
    const known = profiles.find((name) => name === profile);
    if (known !== undefined) faults.push(...profileFaults(known, plugins));
    return null;
  },
  check: () => Promise.resolve(),
  list: () => ({}),
};
