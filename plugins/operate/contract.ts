import { ConfigError, type Command, type CommandCall } from '../../kernel/index.ts';
import type { PluginTools, StorePlace } from '../../kernel/maintenance.ts';

/** What the checks of plugins say of a store. */
export interface StoreVerdict {
  /** Exit code of the first check that fails, else 0. */
  readonly exit: number;
  /** The check could not read the store or its public keys, so that nothing is known of the store. */
  readonly unread: boolean;
  /** Why sealed values were not opened. */
  readonly sealed: readonly { readonly unchecked?: string; readonly absent?: true }[];
}

/** The check of a store that a plugin declares. */
export interface StoreCheck {
  readonly command: Command;
  /** Flags of the command. */
  readonly options?: CommandCall['options'];
}

/** Lists the checks of the files that plugins declare next to the store: a command, and flags without a value. */
export function checksOf(plugins: readonly PluginTools[]): readonly StoreCheck[] {
  return plugins.flatMap(({ backup, commands }) => {
    const [words, ...flags] = backup?.check.split(' --') ?? [];
    const command = commands.find(({ path }) => path === words);
    const names = flags.map((flag) => flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()));
    const options = Object.fromEntries(names.map((name) => [name, true]));
    return command === undefined ? [] : [{ command, options }];
  });
}

// Members of what a check prints with --json.
interface CheckResult {
  readonly unread?: unknown;
  readonly sealed?: StoreVerdict['sealed'][number];
}

/**
 * Checks the store of a call, by the checks that the shipped plugins declare: the exit code of the first check that
 * fails, else 0. `unread`: the check could not read the store or its public keys (it says so, or ends with 3 and no
 * result), so that nothing is known of the store.
 */
export async function verdictOf(
  { screen: _screen, ...call }: CommandCall,
  checks: readonly StoreCheck[] = checksOf(call.installation.shipped),
): Promise<StoreVerdict> {
  // What a check prints goes to standard error, which may be another place than the screen.
  const sealed: StoreVerdict['sealed'][number][] = [];
  for (const { command, options = {} } of checks) {
    const said: string[] = [];
    let result: unknown;
    const print = (value: unknown, text: string): void => {
      said.push(text);
      result = value;
    };
    const exit = (await command.run({ ...call, args: [], options, print })) ?? 0;
    const { sealed: report, unread: isUnread } = (result ?? {}) as CheckResult;
    if (report !== undefined) sealed.push(report);
    if (exit === 0) continue;
    if (said.length > 0) call.note(said.join('\n'));
    const unread = result === undefined ? exit === 3 : isUnread === true;
    return { exit, unread, sealed };
  }
  return { exit: 0, unread: false, sealed };
}

/**
 * Finds where the store is, for an examination; undefined when its address has a fault: that is one of the configuration,
 * which is reported by its own examination.
 */
export function placeOf(find: CommandCall['store']): StorePlace | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
