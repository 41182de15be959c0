import { connect, type Socket } from 'node:net';

/** One connection to a server, byte by byte. */
export interface RawLine {
  /** Sends a call of a tool and reads its answer whole; its length in bytes beside it. */
  call(params: object): Promise<RawAnswer>;
  /** Sends a call and closes the connection when so many bytes of the answer have come. */
  cut(params: object, at: number): Promise<void>;
  close(): void;
}

/** An answer as it came. */
export interface RawAnswer {
  readonly bytes: number;
  readonly result: {
    readonly isError?: boolean;
    readonly content: readonly { readonly text: string }[];
    readonly _meta: Readonly<Record<string, unknown>>;
    readonly structuredContent?: { readonly run_id: string; readonly outputs: object };
  };
}

/** Opens a connection that stays; `headers` are sent with each request. */
export function rawLine(url: string, key: string, headers: Readonly<Record<string, string>> = {}): RawLine {
  const { hostname, port, host } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  let received = Buffer.alloc(0);
  const failed = new Promise<never>((_, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`the connection closed after ${received.length} bytes`)));
  });
  failed.catch(() => undefined);
  let arrived: () => void = () => undefined;
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    arrived();
  });
  const more = (): Promise<void> => Promise.race([new Promise<void>((resolve) => (arrived = resolve)), failed]);
  const send = (params: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const all = {
      Host: host,
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      ...headers,
    };
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /orbisets/default/mcp HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  };
  return {
    async call(params) {
      received = Buffer.alloc(0);
      send(params);
      for (;;) {
        const end = received.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(received.subarray(0, Math.max(0, end)).toString())?.[1]);
        const bytes = end + 4 + length;
        if (end > 0 && received.length >= bytes) {
          const { result } = JSON.parse(received.subarray(end + 4, bytes).toString()) as Pick<RawAnswer, 'result'>;
          return { bytes, result };
        }
        await more();
      }
    },
    async cut(params, at) {
      received = Buffer.alloc(0);
      send(params);
      while (received.length < at) await more();
      socket.destroy();
    },
    close: () => socket.destroy(),
  };
}
