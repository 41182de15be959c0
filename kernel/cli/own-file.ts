import { ConfigError } from '../error.ts';
import type { CommandCall } from './command.ts';

/** Refuses a command about the file of the store when the store is a database. `instead`: what does the work there. */
export function needsOwnFile({ store }: Pick<CommandCall, 'store'>, instead: string): void {
  const { address } = store();
  if (address !== undefined)
    throw new ConfigError([`ORB_STORE_URL: the store is the database ${address.shown}, not a file; ${instead}`]);
}
