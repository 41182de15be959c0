import type { Description } from '../../../kernel/index.ts';
import { membersOf, settingsTable } from './schema.ts';
import { code, table, words } from './table.ts';

/** Lists every member of `data/platform.json`. */
export function configurationReference(settings: Description['settings']): string {
  return settingsTable(membersOf(settings));
}

/** Lists every environment variable. */
export function variableReference(variables: Description['variables']): string {
  return table(
    ['Variable', 'Meaning'],
    Object.entries(variables).map(([name, text]) => [code(name), words(text)]),
  );
}

/** Lists the settings of each running plugin that has any. */
export function pluginReference(plugins: Description['plugins']): string {
  const parts = plugins.flatMap(({ name, config }) => {
    const members = membersOf(config);
    return members.length === 0 ? [] : [`### ${name}\n\n${settingsTable(members)}`];
  });
  const none = plugins.filter(({ config }) => membersOf(config).length === 0).map(({ name }) => code(name));
  return [...parts, none.length === 0 ? '' : `Without settings: ${none.join(', ')}.\n`].join('\n');
}
