import { builtin } from '../plugins/builtin.ts';
import { grouped } from './cli/command-group.ts';
import { kernelGroups } from './cli/kernel-groups.ts';
import type { Command } from './cli/command.ts';
import { completion } from './cli/completion.ts';
import { config } from './cli/config.ts';
import { doctor } from './cli/doctor.ts';
import { externalCommands } from './cli/external-commands.ts';
import { environmentOf } from './cli/global-options.ts';
import { init } from './cli/init.ts';
import { newCommands } from './cli/new.ts';
import { providerVerify } from './cli/provider-verify.ts';
import { runProgram } from './cli/program.ts';
import { run } from './cli/run.ts';
import { backupCommands } from './cli/restore.ts';
import { serve } from './cli/serve.ts';
import { storeLoader } from './cli/loaded-store.ts';
import { storeCompact } from './cli/store-compact.ts';
import { storeSize } from './cli/store-size.ts';
import { runtimeCommands } from './runtime/commands.ts';

/**
 * Runs the command `orb …` and resolves to its exit code. To build a platform of your own: copy this page and
 * plugins/builtin.ts, and add your plugins and adapters to the list; for plugins with a store copy plugins/stores.ts
 * too, and name your copy in the list as `stores`.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const shipped = shippedCommands();
  const note = (text: string): void => void process.stderr.write(`orb: ${text}\n`);
  const external = await externalCommands(argv, shipped, { builtin, env: environmentOf(argv, process.env), note });
  const facts = builtin.plugins.flatMap((plugin) => plugin.facts);
  const modules = builtin.plugins.flatMap(({ store }) => (typeof store === 'object' ? [store] : []));
  const { plugins } = builtin;
  return runProgram(argv, [...shipped, ...external], { facts, modules, plugins, loadStore: storeLoader(builtin) });
}

/** Lists the commands that ship: those of the kernel, then those of the plugins. */
export function shippedCommands(): readonly Command[] {
  const contributed = builtin.plugins.flatMap((plugin) => plugin.commands);
  const own = [
    serve(builtin, () => shipped),
    config(builtin),
    doctor(builtin),
    run,
    ...runtimeCommands,
    completion(() => shipped),
  ];
  const kit = [init, ...newCommands, providerVerify(builtin)];
  const state = [...backupCommands(builtin.plugins), storeSize(builtin.plugins), storeCompact];
  const shipped: readonly Command[] = grouped(kernelGroups, [...own, ...kit, ...state, ...contributed]);
  return shipped;
}
