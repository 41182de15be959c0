import type { FactKind } from '../fact-kind.ts';
import type { Operations, StoreModule, StorePlace } from '../store/contract.ts';
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

/** The store of an installation with all that its configuration loads, for commands that work on the whole store. */
export interface LoadedStore extends StorePlace {
  /** Value of ORB_MASTER_KEY. */
  readonly masterKey: string | undefined;
  /** Value of ORB_NODE. */
  readonly node: string | undefined;
  /** The modules of the configuration, and those that ship and are left out, which may have left rows. */
  readonly modules: readonly StoreModule<Operations, unknown>[];
  /** Checks a store by the checks that plugins declare; resolves to the exit code of the first that fails, else 0. */
  check(call: CommandCall, place: StorePlace): Promise<number>;
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
  /** Loads the configuration, with other variables than those of the call. Throws ConfigError with all faults. */
  loadStore?(env: CommandCall['env']): Promise<LoadedStore>;
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
