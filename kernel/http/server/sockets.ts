import { Server, type AddressInfo, type ListenOptions, type ServerOpts } from 'node:net';

// In each turn of the event loop, libuv accepts one connection of a socket: behind a flood of new ones, others would wait for
// many turns. On Linux, sockets of one user may share a port.
const beside = process.platform === 'linux' ? 7 : 0;

/** The sockets of one address, which hand their connections to one server. */
export class Sockets {
  readonly #server: Server;
  readonly #more: readonly Server[];

  /** `options`: those that `server` was made with. */
  constructor(server: Server, options: ServerOpts) {
    this.#server = server;
    const hand = (socket: unknown): boolean => server.emit('connection', socket);
    this.#more = Array.from({ length: beside }, () => new Server(options, hand));
  }

  /** Opens them; resolves to the port taken. Rejects with the error of the system. */
  async open(at: ListenOptions): Promise<number> {
    // A port that is shared from the start may be another program's.
    const alone = new Server();
    const { port } = await listen(alone, at);
    alone.close();
    const shared = { ...at, port, reusePort: beside > 0 };
    // A sandbox may not know how to share.
    await listen(this.#server, shared).catch(() => listen(this.#server, { ...at, port }));
    for (const one of this.#more) {
      await listen(one, shared).catch(() => undefined);
      one.on('error', (error) => this.#server.emit('error', error));
    }
    return port;
  }

  /** Takes no new connection; resolves when all have ended. */
  async close(): Promise<void> {
    // http's own close also ends idle connections, whose next request would then get a reset instead of a 503.
    const close = (one: Server): Promise<void> => new Promise((done) => Server.prototype.close.call(one, () => done()));
    await Promise.all([this.#server, ...this.#more].map(close));
  }
}

function listen(server: Server, at: ListenOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => resolve(server.off('error', reject).address() as AddressInfo));
  });
}
