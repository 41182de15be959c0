import type { FactKind } from '../fact-kind.ts';
import type { StorePlace } from '../store/contract.ts';
import type { SealingModules } from '../store/sealed-rows.ts';
import type { Client } from './client.ts';
import { yesOption } from './confirm.ts';
import type { Progress } from './output/progress-bar.ts';
import type { Screen } from './output/screen.ts';
import type { TimeKind } from './arguments/times.ts';

/** One argument or option of a command. `flag` as in `--tenant <name>`; arguments as `<file>` or `[file]`. */
export interface CommandOption {
  readonly flag: string;
  readonly description: string;
  /** May be given several times; the value is then a list. */
  readonly repeat?: boolean;
  readonly default?: string;
  /** Its value is a time or a span as people write it; `run` gets RFC 3339 or a number. */
  readonly time?: TimeKind;
}

/** One positional argument of a command. */
export interface CommandArgument {
  readonly name: string;
  readonly description: string;
  /** All values that it takes; absent: any. */
  readonly choices?: readonly string[];
  readonly time?: TimeKind;
  readonly optional?: boolean;
}

/** The commands that begin with one word, as `orb --help` shows them. */
export interface CommandGroup {
  readonly name: string;
  /** The heading under which `orb --help` lists it. */
  readonly task: 'run' | 'build' | 'operate' | 'access' | 'observe' | 'verify' | 'shell';
  /** One sentence, verb first. Absent: a command has only this word, and its own summary is shown. */
  readonly summary?: string;
}

/** The input of one call of a command. */
export interface CommandCall {
  /** Positional arguments, in order; absent optional ones are undefined. */
  readonly args: readonly (string | undefined)[];
  /** Options by camelCase name: text, list of texts (`repeat`), or true for a flag without a value. */
  readonly options: Readonly<Record<string, string | readonly string[] | boolean | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the client of the server at ORB_URL with ORB_KEY; made when first used. */
  client(): Client;
  /** Absolute path of the state dir by ORB_STATE_DIR and ORB_HOME. */
  readonly stateDir: string;
  /** Where the store is: by ORB_STORE_URL or platform.json, else in the state dir. Throws ConfigError. */
  store(): StorePlace;
  /** Kinds of facts of the plugins that ship: their receipts are verified offline. */
  readonly facts: readonly FactKind[];
  /** Store modules of the plugins that ship: what they seal is opened by a check of the store. */
  readonly modules?: SealingModules;
  /** Where `master.key` is looked for, when not in the state dir. */
  readonly keyDir?: string;
  /** Where the text is shown; absent with `--json`. */
  readonly screen?: Screen;
  /** Shows the progress of long work; absent without a terminal. */
  readonly bar?: Progress;
  /** Prints a result: `value` with `--json`, else `text`. */
  print(value: unknown, text: string): void;
  /** Prints a hint to standard error. */
  note(text: string): void;
}

/** A command of `orb` as data; one file per command. */
export interface Command {
  /** The words of the command: `keys create`. */
  readonly path: string;
  /** One sentence, verb first. */
  readonly summary: string;
  /** Set by `grouped`. */
  readonly group?: CommandGroup;
  /** `<id>`, `[file]`, … in order. */
  readonly args?: readonly CommandArgument[];
  readonly options?: readonly CommandOption[];
  /** Of a command that cannot be undone: what it does. A person confirms it, or `--yes`, which it then has. */
  readonly confirm?: string;
  /** Resolves to the exit code; nothing means 0. */
  run(call: CommandCall): Promise<number | void>;
}

/** Defines a command. */
export function defineCommand(command: Command): Command {
  if (command.confirm === undefined) return Object.freeze(command);
  return Object.freeze({ ...command, options: [...(command.options ?? []), yesOption] });
}
