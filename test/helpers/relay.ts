import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * What a relay does with what it is given. `open`: passes it on. `cut`: holds back both directions, as a network that
 * is down; the bytes arrive when it is open again, however late. `deaf`: passes questions on and throws answers away.
 * `refusing`: takes no connection.
 */
export type RelayState = 'open' | 'cut' | 'deaf' | 'refusing';

/** A TCP port that leads to a server, so that a test can disturb what goes through it. */
export interface Relay {
  readonly port: number;
  set(state: RelayState): void;
  /** Ends all connections by a reset. */
  reset(): void;
  /** Leads new connections to another server. */
  lead(socketPath: string): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** An answer was thrown away: the connection cannot go on. */
  spoiled: boolean;
}

/** Starts a relay that leads to a Unix socket. */
export async function startRelay(socketPath: string, host = '127.0.0.1'): Promise<Relay> {
  const pairs = new Set<Pair>();
  let state: RelayState = 'open';
  let target = socketPath;
  const end = (pair: Pair): void => {
    pairs.delete(pair);
    pair.client.resetAndDestroy();
    pair.server.destroy();
  };
  const pass = (pair: Pair, from: Socket, to: Socket): void => {
    from.on('data', (bytes) => {
      if (state === 'deaf' && from === pair.server) pair.spoiled = true;
      else to.write(bytes);
    });
    from.on('end', () => to.end());
    from.on('error', () => end(pair));
    from.on('close', () => to.end());
  };
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    if (state === 'refusing') return void client.resetAndDestroy();
    const pair = { client, server: createConnection({ path: target, allowHalfOpen: true }), spoiled: false };
    pairs.add(pair);
    pass(pair, client, pair.server);
    pass(pair, pair.server, client);
    if (state === 'cut') hold(pair);
  });
  listener.listen(0, host);
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    set(next) {
      state = next;
      for (const pair of [...pairs])
        if (next === 'cut') hold(pair);
        else if (next === 'refusing' || (next === 'open' && pair.spoiled)) end(pair);
        else for (const socket of [pair.client, pair.server]) socket.resume();
    },
    reset: () => [...pairs].forEach(end),
    lead: (path) => void (target = path),
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      [...pairs].forEach(end);
      await closed;
    },
  };
}

function hold({ client, server }: Pair): void {
  for (const socket of [client, server]) socket.pause();
}
