import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/state-dir.ts';
import type { FactOwner } from '../../fact.ts';
import type { PluginFiles } from '../../plugin-files.ts';
import type { Provider } from '../../provider/adapter.ts';
import type { Operations, StoreModule, StorePlace } from '../../store/contract.ts';
import type { JsonSchema } from '../../tools/schema.ts';
import type { Clock } from '../../tools/clock.ts';
import type { Client } from './client.ts';
import { yesOption } from './confirm.ts';
import type { Screen, Progress } from './screen.ts';
import type { TimeKind } from './times.ts';

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
  /** The program that runs the command, and the home that it is called for. */
  readonly installation: Installation;
  /** Kinds of facts of the plugins that ship: their receipts are verified offline. */
  readonly facts: FactOwner['facts'];
  /** Store modules of the plugins that ship: what they seal is opened by a check of the store. */
  readonly modules?: readonly Pick<StoreModule<never>, 'opens'>[];
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

/** The result for one thing that was examined. */
export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'fault' | 'skipped';
  readonly detail: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** Examines some things. One that throws shows as a fault; what cannot be asked, such as a server, is `skipped`. */
export type Examination = (call: CommandCall) => readonly Finding[] | Promise<readonly Finding[]>;

/** Files of a plugin in the state dir that belong to one store. */
export interface PluginBackup {
  /** A backup holds them; a restore puts them back. */
  readonly copied: readonly string[];
  /** They stay out of a backup; a restore moves them aside with the store that was there. */
  readonly aside: readonly string[];
  /** An empty file that a restore leaves, so that the plugin detects the restore at its next start. */
  readonly mark: string;
  /** Words of its command that checks a copy, and flags without a value; it exits with 0 when the copy is whole. */
  readonly check: string;
}

/** Tables of a plugin that grow, and what makes them smaller: `orb store size` shows it. */
export interface PluginKeeps {
  /** The rows, in the plural: `decisions of policies`. */
  readonly what: string;
  readonly tables: readonly string[];
  /** Names of its settings that keep less. */
  readonly settings?: readonly string[];
  /** Name of a member of Orbisets that keeps less. */
  readonly orbiset?: string;
  /** Sentences: what else keeps less, or why nothing does. */
  readonly advice?: string;
  /** A query of its tables whose rows (`name`, `value`) are the present values that `advice` speaks of. */
  readonly values?: string;
}

/** The part of a plugin that commands use; nothing of it starts the plugin. */
export interface PluginTools {
  readonly name: string;
  readonly config: JsonSchema;
  readonly commands: readonly Command[];
  /** What `orb doctor` examines for it, too; they run in the process of the command, not in the server. */
  readonly examinations: readonly Examination[];
  /** Its files in the state dir that `orb backup` and `orb restore` handle, and how a copy is checked. */
  readonly backup?: PluginBackup;
  /** Its tables that grow, and what makes them smaller. */
  readonly keeps: readonly PluginKeeps[];
  /** Files of the home that it reads next to its `config`. */
  readonly files?: PluginFiles;
  /** Its store module, or, outside the tree, the path of its file next to the plugin. */
  readonly store?: StoreModule<Operations, unknown> | string;
}

/** What a start of the server loads, as far as commands use it; nothing of it has started. */
export interface LoadedTools {
  readonly plugins: readonly {
    readonly plugin: PluginTools;
    /** What its `files` read. */
    readonly files?: unknown;
    /** Its store modules: its own, then those of its parts. */
    readonly stores: readonly { readonly module: StoreModule<Operations, unknown> }[];
  }[];
  readonly providers: ReadonlyMap<string, Provider>;
  readonly place: StorePlace;
  /** Warnings for the operator at the start. */
  readonly warnings: readonly string[];
}

/** The program that runs a command, and the home that the command is called for. Nothing of it is started. */
export interface Installation {
  /** Version of the program, semver. */
  readonly version: string;
  /** Absolute path of ORB_HOME, the folder of `data/` and `policies/`. */
  readonly home: string;
  /** The plugins that ship with the program, also those that the home leaves out. */
  readonly shipped: readonly PluginTools[];
  /** All commands of the program. */
  readonly commands: readonly Command[];
  /** The first words of the commands, as `orb --help` lists them, each with what it is for. */
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  /** The options of every command. */
  readonly options: readonly CommandOption[];
  /** Finds the plugins that run in the home; loads those that platform.json names by a file. */
  plugins(): Promise<readonly PluginTools[]>;
  /** Reads platform.json and the variables, by default those of the call. Faults are added; throws ConfigError. */
  read(faults: string[], env?: Environment): Config;
  /** Loads plugins, adapters and manifests as a start does. Throws ConfigError with all faults, those given included. */
  load(config: Config, faults: string[]): Promise<LoadedTools>;
  /** Starts a server of the home that `env` names, with its own time and id; the caller stops it. */
  simulate(env: Environment, own: { clock: Clock; installation: string }): Promise<{ stop(): Promise<void> }>;
  /** Loads what a file outside the tree defines. Throws ConfigError with all faults. */
  define(file: string): Promise<unknown>;
}

/** Defines a command. */
export function defineCommand(command: Command): Command {
  if (command.confirm === undefined) return Object.freeze(command);
  return Object.freeze({ ...command, options: [...(command.options ?? []), yesOption] });
}

/** Makes the finding of a thing that is in order. */
export function fine(name: string, detail: string): Finding {
  return { name, state: 'ok', detail };
}
