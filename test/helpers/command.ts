import type { FactKind } from '../../plugins/receipts/contract.ts';
import { expect } from 'chai';
import { builtin } from './shipped.ts';
import { installationOf } from '../../kernel/cli/installation.ts';
import type { Command, CommandCall } from '../../kernel/index.ts';

/** What a command printed, and its exit code. */
export interface Said<T> {
  readonly exit: number;
  readonly value: T;
  readonly text: string;
  readonly notes: readonly string[];
}

/** Kinds of facts of the plugins that ship. */
export const shippedFacts: readonly FactKind[] = builtin.plugins.flatMap(({ facts }) => facts as readonly FactKind[]);

/** The program that ships, called for the home of an environment; commands are looked for nowhere. */
export const shippedInstallation = (env: CommandCall['env'] = {}) => installationOf(builtin, [], env);

/** Finds a command of the plugins that ship by its words. */
export function shippedCommand(path: string): Command {
  const commands = builtin.plugins.flatMap((plugin) => plugin.commands);
  return commands.find((command) => command.path === path) ?? expect.fail(path);
}

/** Runs a command that needs no server, or the client that is given. */
export async function runCommand<T>(
  command: { run(call: CommandCall): Promise<number | void> },
  stateDir: string,
  args: readonly string[] = [],
  more: Partial<CommandCall> = {},
): Promise<Said<T>> {
  let [value, text]: [unknown, string] = [undefined, ''];
  const notes: string[] = [];
  const exit = await command.run({
    ...{ args, stateDir, options: {}, env: {}, facts: shippedFacts, installation: shippedInstallation(more.env) },
    store: () => ({ stateDir }),
    client: () => expect.fail('there is no server'),
    print: (printed, shown) => {
      value = printed;
      text = shown;
    },
    note: (said) => void notes.push(said),
    ...more,
  });
  return { exit: exit ?? 0, value: value as T, text, notes };
}

/** Runs a command that fails, and gives the message of its error. */
export async function failing(...call: Parameters<typeof runCommand>): Promise<string> {
  const error = await runCommand(...call).catch((thrown: unknown) => thrown);
  return error instanceof Error ? error.message : expect.fail('it did not fail');
}

// The real one: what a test that ran out of time left behind must not be kept for all that follow.
const { now } = Date;

/** Runs something while the clock of the process stands; gives the clock back whatever comes of it. */
export async function atTime<T>(ms: number, run: () => Promise<T>): Promise<T> {
  Date.now = () => ms;
  try {
    return await run();
  } finally {
    Date.now = now;
  }
}
