import type { AuthorModules } from './author-modules.ts';
import type { Config } from '../config/config.ts';
import { defineService } from '../service.ts';
import type { FactOwner } from '../fact.ts';
import type { Plugin } from '../plugin.ts';
import type { LoadedTools } from '../cli/command/command.ts';
import type { BarScreen, Progress } from '../cli/command/screen.ts';
import type { Adapter } from '../provider/adapter.ts';
import type { Operations, StoreModule } from '../store/contract.ts';

/** What ships: the only list of it is `plugins/builtin.ts`. */
export interface Builtin extends AuthorModules {
  readonly plugins: readonly Plugin[];
  readonly adapters: readonly Adapter[];
  /** Makes what shows the progress of a command at a terminal; absent: nothing is shown. */
  readonly progress?: (screen: BarScreen) => Progress;
  /** Address of the module that lists the stores of the program for the threads of the store. */
  readonly stores?: string;
}

/** A plugin with its validated configuration and, when it has one, its store. */
export interface LoadedPlugin {
  readonly plugin: Plugin;
  /** True when platform.json names the plugin's file. */
  readonly external?: true;
  readonly config: unknown;
  /** What its `files` read. */
  readonly files?: unknown;
  /** Its store modules: its own, then those of its parts. */
  readonly stores: readonly {
    readonly module: StoreModule<Operations, unknown>;
    /** Of one that does not ship. */
    readonly file?: string;
  }[];
}

/** All parts of a kernel; none of them has started. */
export interface Loaded extends LoadedTools {
  readonly plugins: readonly LoadedPlugin[];
  /** The shipped adapters and those that platform.json names. */
  readonly adapters: readonly Adapter[];
  /** Kinds of facts of these plugins, and of shipped plugins that are left out: their receipts are still verified. */
  readonly facts: readonly FactOwner[];
  /** Where the stores without a file are listed. */
  readonly stores?: string;
}

/** Reads platform.json, environment and files again. Throws ConfigError with all faults. */
export type Reread = () => Promise<{ readonly config: Config; readonly loaded: Loaded }>;

/** What is installed and configured, for the plugin that serves the providers: its own service, given by the kernel. */
export interface Configuration {
  readonly config: Config;
  readonly loaded: Loaded;
  readonly reread: Reread;
}

/** The token of the kernel's service: a plugin that requires it sees the whole configuration, secrets included. */
export const configuration = defineService<Configuration>('configuration');
