import type { Config } from './config/config.ts';
import { defineService } from './service.ts';
import type { Loaded } from './boot/loaded.ts';

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
