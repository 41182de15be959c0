import { canonical, digest } from '../../../kernel/adapter.ts';
import type { UpstreamServer } from './server.ts';

interface Entry {
  readonly server: UpstreamServer;
  holders: number;
}

// One process, connection and handshake for a configuration, whatever number of Orbs, generations and swaps use it.
const entries = new Map<string, Entry>();

/** Names a configuration of an adapter in one installation; the secrets in it cannot be read back. */
export function keyOf(adapter: string, stateDir: string, config: unknown): string {
  return digest(canonical([adapter, stateDir, config]));
}

/** Returns the server of a key, created if it is not in use, and the function that releases it. */
export function holdShared(
  key: string,
  make: () => UpstreamServer,
): { readonly server: UpstreamServer; readonly release: () => Promise<void> } {
  const known = entries.get(key);
  const entry = known ?? { server: make(), holders: 0 };
  if (known === undefined) entries.set(key, entry);
  entry.holders += 1;
  return {
    server: entry.server,
    async release() {
      entry.holders -= 1;
      if (entry.holders > 0) return;
      entries.delete(key);
      await entry.server.close();
    },
  };
}
