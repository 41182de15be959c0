import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '../../tools/metrics.ts';
import { addressBlock, type Proxies } from './address.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { isForwarded } from './forwarded.ts';

/** Keeps the connections of all listeners within their limits, so that one client cannot use all file descriptors. */
export interface Connections {
  /** Watches the connections of a server. */
  watch(server: Server, options: { readonly secure: boolean }): void;
  /** Notes a request of a connection. */
  begin(req: IncomingMessage, res: ServerResponse): void;
  /** Notes whose request a connection carries. */
  carry(req: IncomingMessage, principal: string): void;
  /**
   * Returns a function that says whether the client has sent another request since: on this connection; or, while it is
   * open, on one that was open before, as clients do that have a pool of them. It never does for a connection that may
   * be one of a proxy: its peer is in `trust_proxy`, a request had a header that proxies add, it carried several
   * principals, or it has not the scheme of the public address.
   */
  follow(req: IncomingMessage): () => boolean;
  /** Notes that an answer is a refusal that waits for its turn: its connection may be closed for another one. */
  refuse(res: ServerResponse): void;
  /** Notes that an answer is held open: its connection may be closed for another one. */
  hold(res: ServerResponse, held: HeldAnswer): void;
}

/** An answer that is held open. */
export interface HeldAnswer {
  /** It is answered as soon as it is ended, so it goes before all others. */
  readonly brief: boolean;
  readonly end: () => void;
}

type Reason = 'total' | 'address' | 'unread';

/** What a connection is used for. A complete request without its answer may be a run. */
const ranks = { waits: 0, idle: 1, stream: 2, worked: 3 } as const;

interface Connection {
  /** The socket to destroy; for HTTPS the raw socket until the handshake is done. */
  socket: Socket;
  /** Undefined: not counted by address. */
  readonly block: string | undefined;
  /** Number of connections and requests before this one was opened or before its newest request. */
  turn: number;
  /** The turn in which it was opened. */
  readonly opened: number;
  readonly secure: boolean;
  /** Of its first request with a key; `several`: others came too. */
  principal: string | undefined;
  several: boolean;
  /** Its further requests are looked at: one of an answer that may be repeated has passed. */
  followed: boolean;
  /** A request that was looked at came by way of a proxy. */
  forwarded: boolean;
  /** Its answers that are not flushed yet; several only when the client sends requests without waiting. */
  readonly answers: ServerResponse[];
}

/** The parts of the keeper. */
export interface ConnectionOptions {
  readonly limits: ConnectionLimits;
  readonly proxies: Proxies;
  readonly metrics: Metrics;
  /** The public address is one of HTTPS. */
  readonly secureUrl: boolean;
}

/** Creates the keeper of the connections. */
export function createConnections(options: ConnectionOptions): Connections {
  return new Keeper(options);
}

class Keeper implements Connections {
  readonly #options: ConnectionOptions;
  /** In the order of their turns. */
  readonly #all = new Set<Connection>();
  /** Those with an answer that is held open and brief, also some that had one, in the order of their turns. */
  readonly #waits = new Set<Connection>();
  readonly #byBlock = new Map<string, Set<Connection>>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  readonly #refused = new WeakSet<ServerResponse>();
  readonly #held = new WeakMap<ServerResponse, HeldAnswer>();
  readonly #closed: Record<Reason, number> = { total: 0, address: 0, unread: 0 };
  #turn = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { metrics } = options;
    metrics.collect('orb_http_connections', 'Open connections', 'gauge', () => [{ labels: {}, value: this.#all.size }]);
    metrics.collect(
      'orb_http_connections_closed_total',
      'Connections closed because of a limit: in total, per address, or because the client did not read the answer',
      'counter',
      () => Object.entries(this.#closed).map(([reason, value]) => ({ labels: { reason }, value })),
    );
  }

  watch(server: Server, { secure }: { readonly secure: boolean }): void {
    const shaking = new Map<string, Connection>();
    server.on('connection', (socket: Socket) => {
      const connection = this.#open(socket, secure);
      if (connection === undefined || !secure) return;
      const name = nameOf(socket);
      shaking.set(name, connection);
      socket.once('close', () => shaking.delete(name));
    });
    server.on('secureConnection', (socket: Socket) => {
      const connection = shaking.get(nameOf(socket));
      if (connection === undefined) return;
      connection.socket = socket;
      this.#bySocket.set(socket, connection);
    });
    server.timeout = this.#options.limits.unread_ms;
    server.on('timeout', (socket: Socket) => this.#idle(socket));
  }

  begin(req: IncomingMessage, res: ServerResponse): void {
    const connection = this.#bySocket.get(req.socket);
    if (connection === undefined) return;
    const { answers } = connection;
    connection.turn = this.#turn += 1;
    if (this.#all.delete(connection)) this.#add(connection);
    if (connection.followed) connection.forwarded ||= isForwarded(req.headers);
    while (answers[0]?.writableFinished === true) answers.shift();
    answers.push(res);
  }

  carry({ socket }: IncomingMessage, principal: string): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined || connection.principal === principal) return;
    if (connection.principal === undefined) connection.principal = principal;
    else connection.several = true;
  }

  follow({ headers, socket }: IncomingMessage): () => boolean {
    const connection = this.#bySocket.get(socket);
    if (connection?.block === undefined || connection.secure !== this.#options.secureUrl) return () => false;
    connection.followed = true;
    connection.forwarded ||= isForwarded(headers);
    const turn = this.#turn;
    return () => isDirect(connection) && (connection.turn > turn || this.#isAtWork(connection, turn));
  }

  // The client of a connection that is still open has sent a request since on another one that it had then. Who lost an
  // answer with its connection has closed that, or opens another one.
  #isAtWork({ socket, block, principal }: Connection, turn: number): boolean {
    if (block === undefined || !socket.readable || socket.destroyed) return false;
    for (const other of this.#byBlock.get(block) ?? [])
      if (other.opened <= turn && other.turn > turn && other.principal === principal && isDirect(other)) return true;
    return false;
  }

  refuse(res: ServerResponse): void {
    this.#refused.add(res);
  }

  hold(res: ServerResponse, held: HeldAnswer): void {
    this.#held.set(res, held);
    const connection = this.#bySocket.get(res.req.socket);
    if (held.brief && connection !== undefined && this.#all.has(connection)) this.#waits.add(connection);
  }

  // Behind all others of its sets.
  #add(connection: Connection): void {
    this.#all.add(connection);
    if (connection.block === undefined) return;
    const same = this.#byBlock.get(connection.block);
    same?.delete(connection);
    same?.add(connection);
  }

  #open(socket: Socket, secure: boolean): Connection | undefined {
    const { limits, proxies } = this.#options;
    const peer = socket.remoteAddress;
    // The connection is closed already.
    if (peer === undefined) return undefined;
    const block = proxies.isTrusted(peer) ? undefined : addressBlock(proxies.clientAddress(peer, undefined));
    const same = block === undefined ? undefined : (this.#byBlock.get(block) ?? new Set());
    const room =
      (same === undefined || this.#makeRoom(same, limits.per_address, 'address')) &&
      this.#makeRoom(this.#all, limits.total, 'total');
    if (!room) {
      socket.destroy();
      return undefined;
    }
    const turn = (this.#turn += 1);
    const connection: Connection = {
      ...{ socket, block, secure, turn, opened: turn, answers: [] },
      ...{ principal: undefined, several: false, followed: false, forwarded: false },
    };
    if (block !== undefined && same !== undefined) this.#byBlock.set(block, same);
    this.#add(connection);
    this.#bySocket.set(socket, connection);
    socket.once('close', () => this.#forget(connection));
    return connection;
  }

  /** Ends one connection when there are too many. Returns false when all have work. */
  #makeRoom(among: ReadonlySet<Connection>, most: number, reason: Reason): boolean {
    if (among.size < most) return true;
    const first = this.#leastOf(among);
    this.#closed[reason] += 1;
    if (first === undefined) return false;
    if (this.#waits.has(first)) this.#answerNow(first);
    else this.#end(first);
    return true;
  }

  // The oldest of those that only wait, else of those without work, else of those that are streams. Those without work
  // are the first of their set, but for the few that have some: to look at all for each new connection costs too much.
  #leastOf(among: ReadonlySet<Connection>): Connection | undefined {
    for (const connection of this.#waits) {
      if (this.#rankOf(connection) !== ranks.waits) this.#waits.delete(connection);
      else if (among.has(connection)) return connection;
    }
    let stream: Connection | undefined;
    for (const connection of among) {
      const rank = this.#rankOf(connection);
      if (rank === ranks.idle) return connection;
      if (rank === ranks.stream) stream ??= connection;
    }
    return stream;
  }

  #rankOf({ answers }: Connection): number {
    let rank: number = ranks.idle;
    for (const answer of answers) {
      // The request is not complete, or has its answer.
      if (!answer.req.complete || answer.writableEnded || answer.closed || this.#refused.has(answer)) continue;
      const held = this.#held.get(answer);
      if (held === undefined) return ranks.worked;
      if (rank !== ranks.stream) rank = held.brief ? ranks.waits : ranks.stream;
    }
    return rank;
  }

  // A wait is answered with the present state, and its connection closes behind the answer.
  #answerNow(connection: Connection): void {
    this.#forget(connection);
    for (const answer of connection.answers) {
      answer.shouldKeepAlive = false;
      this.#held.get(answer)?.end();
    }
    // An answer before it was never read, so the one of the wait would not leave either.
    if (connection.socket.writableLength > 0) connection.socket.destroy();
  }

  // No byte was taken or sent for a while. An incomplete request is ended by node's own limits.
  #idle(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    const answers = connection?.answers.filter((answer) => !answer.writableFinished) ?? [];
    if (connection !== undefined && answers.length > 0) {
      if (socket.writableLength === 0) return;
      this.#closed.unread += 1;
    }
    if (connection === undefined) socket.destroy();
    else this.#end(connection);
  }

  #end(connection: Connection): void {
    this.#forget(connection);
    connection.socket.destroy();
  }

  #forget(connection: Connection): void {
    this.#all.delete(connection);
    this.#waits.delete(connection);
    if (connection.block === undefined) return;
    const same = this.#byBlock.get(connection.block);
    same?.delete(connection);
    if (same?.size === 0) this.#byBlock.delete(connection.block);
  }
}

function isDirect({ several, forwarded, answers }: Connection): boolean {
  return !several && !forwarded && answers.every(({ req }) => !isForwarded(req.headers));
}

function nameOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
