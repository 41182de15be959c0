import type { Builtin } from '../../boot/loaded.ts';
import { readPluginSettings } from '../../boot/config.ts';
import { choosePlugins } from '../../boot/plugin-choice.ts';
import type { CommandCall, Examination, Finding } from '../command.ts';

/** Makes the examination of what the plugins of this home examine themselves. */
export function checkPlugins(builtin: Builtin): Examination {
  return async (call) => {
    // What is wrong with the choice is a fault of the configuration, which is examined before.
    const { chosen } = await choosePlugins(readPluginSettings(call.env, process.cwd()), builtin.plugins, []);
    const findings: Finding[] = [];
    for (const { plugin } of chosen)
      for (const examine of plugin.examinations ?? []) findings.push(...(await examined(plugin.name, examine, call)));
    return findings;
  };
}

async function examined(name: string, examine: Examination, call: CommandCall): Promise<readonly Finding[]> {
  try {
    return await examine(call);
  } catch (error) {
    const detail = `its check failed: ${error instanceof Error ? error.message : String(error)}`;
    return [{ name: `plugin ${name}`, state: 'fault', detail }];
  }
}
