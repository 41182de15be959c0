import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A notification for one channel of a browser; `data` is the body that the push service got. */
interface Notification {
  readonly channel: string;
  readonly data: Buffer;
}

/** The side of a push service that Firefox connects to: a WebSocket on loopback. */
export interface PushSocket {
  /** For the setting `dom.push.serverURL`. */
  readonly url: string;
  /** The versions of the notifications that the browser acknowledged. */
  readonly acknowledged: readonly string[];
  notify(notification: Notification): string;
  close(): Promise<void>;
}

type Message = Readonly<Record<string, unknown>>;

/** Starts it; `endpointOf` gives the address to which senders post the messages of a channel. */
export async function startPushSocket(endpointOf: (channel: string) => string): Promise<PushSocket> {
  const sockets = new Set<Socket>();
  const acknowledged: string[] = [];
  const server = createServer();
  const answers: Readonly<Record<string, (asked: Message) => Message | undefined>> = {
    hello: () => ({ status: 200, uaid: randomUUID().replaceAll('-', ''), use_webpush: true, broadcasts: {} }),
    register: ({ channelID }) => ({ status: 200, channelID, pushEndpoint: endpointOf(String(channelID)) }),
    unregister: ({ channelID }) => ({ status: 200, channelID }),
    ack({ updates }) {
      for (const { version } of updates as readonly { version: string }[]) acknowledged.push(version);
      return undefined;
    },
  };
  server.on('upgrade', (request, socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    const protocol = request.headers['sec-websocket-protocol'];
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n` +
        `${protocol === undefined ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`}\r\n`,
    );
    readTexts(socket, (text) => {
      const asked = JSON.parse(text) as Message;
      const messageType = String(asked['messageType']);
      const answer = answers[messageType]?.(asked);
      if (answer !== undefined) writeText(socket, JSON.stringify({ messageType, ...answer }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    acknowledged,
    notify({ channel, data }) {
      const version = randomUUID();
      const told = { messageType: 'notification', channelID: channel, version, ttl: 60 };
      const whole = { ...told, headers: { encoding: 'aes128gcm' }, data: data.toString('base64url') };
      for (const socket of sockets) writeText(socket, JSON.stringify(whole));
      return version;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

// RFC 6455 §5.2: frames of a client are masked. Firefox sends each message in one frame.
function readTexts(socket: Socket, take: (text: string) => void): void {
  let held = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    for (;;) {
      const [first = 0, second = 0] = held;
      const short = second & 127;
      const start = short === 126 ? 4 : 2;
      if (held.length < start) return;
      const length = short === 126 ? held.readUInt16BE(2) : short;
      if (held.length < start + 4 + length) return;
      const mask = held.subarray(start, start + 4);
      const body = held.subarray(start + 4, start + 4 + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
      held = held.subarray(start + 4 + length);
      const code = first & 15;
      if (code === 1) take(Buffer.from(body).toString('utf8'));
      if (code === 8) socket.end();
      if (code === 9) writeFrame(socket, 10, Buffer.from(body));
    }
  });
}

function writeText(socket: Socket, text: string): void {
  writeFrame(socket, 1, Buffer.from(text));
}

function writeFrame(socket: Socket, code: number, body: Buffer): void {
  const head = Buffer.alloc(body.length < 126 ? 2 : 4);
  head.writeUInt8(128 | code);
  if (body.length < 126) head.writeUInt8(body.length, 1);
  else {
    head.writeUInt8(126, 1);
    head.writeUInt16BE(body.length, 2);
  }
  socket.write(Buffer.concat([head, body]));
}
