import { ConfigError, type CommandCall } from '../../kernel/index.ts';

/** Name of the file of the store in the state dir. */
export const storeName = 'store.db';

/** Returns where a file is written again before it takes the place of the old one. */
export function freshPath(path: string): string {
  return `${path}.new`;
}

/** Refuses a command about the file of the store when the store is a database. `instead`: what does the work there. */
export function needsOwnFile({ store }: Pick<CommandCall, 'store'>, instead: string): void {
  const { address } = store();
  if (address !== undefined)
    throw new ConfigError([`ORB_STORE_URL: the store is the database ${address.shown}, not a file; ${instead}`]);
}
