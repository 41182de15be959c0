import type { StoreAddress, StoreEngine } from '../../kernel/engine.ts';
import type { PostgresAddress } from './connection/address.ts';
import type { Shares } from './peers/attendance.ts';
import type { BridgeData } from './reader/bridge.ts';

/** The engine of stores on PostgreSQL: it gets addresses that its plugin read, and shares of its `attend`. */
export const engine: StoreEngine = {
  attend: async (options) => (await import('./peers/attendance.ts')).attend(options),
  async open({ shares, address, ...options }) {
    const { openPostgres } = await import('./writer/opening.ts');
    return openPostgres({ ...options, ...(shares as Shares), address: address as StoreAddress & PostgresAddress });
  },
  view: async (address, options) =>
    (await import('./reader/bridge.ts')).openBridge(address as StoreAddress & PostgresAddress, options),
  serve: async (data) => (await import('./reader/bridge.ts')).serveBridge(data as BridgeData),
};
