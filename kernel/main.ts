import './cli/working-dir.ts';
import { builtin } from '../plugins/builtin.ts';
import { grouped } from './cli/command/command-group.ts';
import type { Command } from './cli/command/command.ts';
import { externalCommands } from './cli/installation.ts';
import { environmentOf } from './cli/global-options.ts';
import { runProgram } from './cli/program.ts';
import { serve } from './cli/serve.ts';

/**
 * Runs the command `orb …` and resolves to its exit code. For a platform of your own, copy this page,
 * plugins/builtin.ts and, for plugins with a store, plugins/stores.ts; then add your plugins and adapters to the lists.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const shipped = shippedCommands();
  const note = (text: string): void => void process.stderr.write(`orb: ${text}\n`);
  const external = await externalCommands(argv, shipped, { builtin, env: environmentOf(argv, process.env), note });
  return runProgram(argv, [...shipped, ...external], builtin);
}

/** Lists the commands that ship: those of the kernel, and those of the plugins. */
export function shippedCommands(): readonly Command[] {
  const all = [serve(builtin), ...builtin.plugins.flatMap((plugin) => plugin.commands)];
  return grouped(
    all.flatMap(({ group }) => group ?? []),
    all,
  );
}
