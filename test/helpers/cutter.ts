import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Where a connection ends: after so many bytes of what the client writes, or of what it reads. */
export interface CutAt {
  readonly way: 'request' | 'answer';
  readonly after: number;
}

/** A TCP port that leads to a server on loopback and ends each connection at a byte. */
export interface Cutter {
  readonly url: string;
  /** Absent: connections are whole. */
  at: CutAt | undefined;
  /** Bytes that passed since the last reset, by way. */
  readonly passed: { request: number; answer: number };
  /** Resolves when no connection is open. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a cutter that leads to a port of 127.0.0.1. */
export async function startCutter(port: number): Promise<Cutter> {
  const open = new Set<Socket>();
  const idle: (() => void)[] = [];
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const ends = { request: [client, server], answer: [server, client] } as const;
    const passed = { request: 0, answer: 0 };
    open.add(client);
    client.once('close', () => {
      open.delete(client);
      server.destroy();
      if (open.size === 0) for (const done of idle.splice(0)) done();
    });
    for (const way of ['request', 'answer'] as const) {
      const [from, to] = ends[way];
      from.on('error', () => undefined);
      from.on('end', () => to.end());
      from.on('data', (bytes: Buffer) => {
        const { at } = cutter;
        const room = at?.way === way ? at.after - passed[way] : Infinity;
        const part = bytes.subarray(0, Math.max(0, Math.min(bytes.length, room)));
        passed[way] += part.length;
        cutter.passed[way] += part.length;
        if (part.length === bytes.length) return void to.write(part);
        // What came before the cut must arrive.
        const cut = (): void => {
          client.destroySoon();
          server.destroySoon();
        };
        to.write(part, cut);
      });
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const cutter: Cutter = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    at: undefined,
    passed: { request: 0, answer: 0 },
    async quiet() {
      if (open.size > 0) await new Promise<void>((resolve) => idle.push(resolve));
    },
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      for (const client of open) client.destroy();
      await closed;
    },
  };
  return cutter;
}
