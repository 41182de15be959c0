import type { FactKind } from '../../fact-kind.ts';
import type { Provider } from '../../provider/adapter.ts';
import type { Operations, StoreModule } from '../../store/contract.ts';
import type { JsonSchema } from '../../tools/schema.ts';
import type { Client } from './client.ts';
import { yesOption } from './confirm.ts';
import type { Progress } from '../output/progress-bar.ts';
import type { Screen } from '../output/screen.ts';
import type { TimeKind } from '../arguments/times.ts';
import type { StorePlace } from '../../store/place.ts';

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
  readonly facts: readonly FactKind[];
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
  /** What `orb doctor` examines for it, beside its own list; they run in the process of the command, not in the server. */
  readonly examinations: readonly Examination[];
  /** Its files in the state dir that `orb backup` and `orb restore` handle, and how a copy is checked. */
  readonly backup?: PluginBackup;
  /** Its tables that grow, and what makes them smaller. */
  readonly keeps: readonly PluginKeeps[];
}

/** The parts that a start of the server would load, by name. */
export interface CheckedConfig {
  readonly state_dir: string;
  readonly plugins: readonly string[];
  readonly providers: readonly { readonly name: string; readonly adapter: string }[];
  /** What plugins define in files, by kind: `{ orbs: ['notify.email@1.0.0'] }`. */
  readonly defined: Readonly<Record<string, readonly string[]>>;
  readonly warnings: readonly string[];
  /** The addresses that are served; `tls`: with a certificate of this server. */
  readonly listeners: readonly { readonly address: string; readonly tls: boolean }[];
  /** Keys are accepted over connections without TLS. */
  readonly insecure_http: boolean;
}

/** What the checks of plugins say of a store. */
export interface StoreVerdict {
  /** Exit code of the first check that fails, else 0. */
  readonly exit: number;
  /** The check could not read the store or its public keys, so that nothing is known of the store. */
  readonly unread: boolean;
  /** Why sealed values were not opened. */
  readonly sealed: readonly { readonly unchecked?: string; readonly absent?: true }[];
}

/** An adapter and its configuration: references resolved, defaults filled in. */
export type ConfiguredAdapter = Pick<Provider, 'adapter' | 'config' | 'config_digest'>;

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
  /** Finds the plugins that run in the home; loads those that platform.json names by a file. */
  plugins(): Promise<readonly PluginTools[]>;
  /** Reads the settings of plugins as platform.json has them; undefined when the file or these settings have a fault. */
  pluginSettings(): Readonly<Record<string, false | { readonly config?: object }>> | undefined;
  /** Loads configuration, manifests, plugins and adapters as a start does. Throws ConfigError with all faults. */
  check(): Promise<CheckedConfig>;
  /**
   * Loads the configuration as a start does, with other variables than those of the call, for the whole store. Throws
   * ConfigError with all faults.
   */
  loadStore(env: CommandCall['env']): Promise<LoadedStore>;
  /** Checks the store of a call by the checks that the shipped plugins declare. */
  checkStore(call: CommandCall): Promise<StoreVerdict>;
  /** Loads an adapter from its file as a start does, with this configuration. Throws ConfigError with all faults. */
  adapter(file: string, config: object): Promise<ConfiguredAdapter>;
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
