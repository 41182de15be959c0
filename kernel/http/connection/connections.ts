import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '../../tools/metrics.ts';
import { Roster } from '../../tools/roster.ts';
import { addressBlock, type Proxies } from './address.ts';
import { Connection, connectionAt, endHeld, isForwarded, mark, ranks, type HeldAnswer } from './connection.ts';
import { readFileSync } from 'node:fs';

/** How many connections are kept, and for how long if the client does not read its response. */
export interface ConnectionLimits {
  /** Connections of all listeners together. */
  readonly total: number;
  /** Connections of one address (of IPv6: one /64); peers in `trust_proxy` are not counted: they serve many callers. */
  readonly per_address: number;
  /** Requests of one principal that are worked on at once, of all its connections. */
  readonly per_caller: number;
  /** Answers that are held open at once: waits and streams, of all callers. */
  readonly held: number;
  /** Milliseconds in which the client took no byte. */
  readonly unread_ms: number;
}

/** Chooses limits that leave at least half of the process's descriptors for other use. */
export function defaultLimits(descriptors: number = openFiles()): ConnectionLimits {
  const total = Math.max(16, Math.min(8192, Math.floor(descriptors / 2)));
  const half = Math.floor(total / 2);
  return { total, per_address: Math.min(1024, half), per_caller: Math.floor(total / 4), held: half, unread_ms: 30_000 };
}

// Node raises its limit to the hard limit at the start. Systems other than Linux do not show it.
function openFiles(): number {
  try {
    const found = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === 'unlimited' ? Infinity : Number(found ?? 1024);
  } catch {
    return 1024;
  }
}

interface ConnectionOptions {
  readonly limits: ConnectionLimits;
  readonly proxies: Proxies;
  readonly metrics: Metrics;
  /** The public address is one of HTTPS. */
  readonly secureUrl: boolean;
}

/** Keeps the connections of all listeners within their limits, so that one client cannot use all file descriptors. */
export class Connections {
  readonly #options: ConnectionOptions;
  /** In the order of their turns. */
  readonly #all = new Roster<Connection>();
  /** Those with an answer that is held open and brief, also some that had one, in the order of their turns. */
  readonly #waits = new Roster<Connection>();
  /** Those whose client was refused and is not read for a while, the longest ones first. */
  readonly #resting = new Roster<Connection>();
  readonly #byBlock = new Map<string, Roster<Connection>>();
  readonly #closed = { total: 0, address: 0, unread: 0 };
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

  /** Watches the connections of a server. */
  watch(server: Server, { secure }: { readonly secure: boolean }): void {
    const shaking: Record<string, Connection | undefined> = {};
    server.on('connection', (socket: Socket) => {
      const connection = this.#open(socket, secure);
      if (connection === undefined || !secure) return;
      const name = nameOf(socket);
      shaking[name] = connection;
      socket.once('close', () => delete shaking[name]);
    });
    server.on('secureConnection', (socket: Socket) => {
      shaking[nameOf(socket)]?.moveTo(socket);
    });
    server.timeout = this.#options.limits.unread_ms;
    server.on('timeout', (socket: Socket) => this.#idle(socket));
  }

  /** Notes a request of a connection. */
  begin(req: IncomingMessage, res: ServerResponse): void {
    const connection = connectionAt(req.socket);
    if (connection === undefined) return;
    const { all, answers, same } = connection;
    connection.turn = this.#turn += 1;
    this.#all.renew(all);
    same?.roster.renew(same.place);
    answers.push(res);
  }

  /** Notes that an answer is flushed, or its client has gone: else it would stay in memory until the next request. */
  ended(res: ServerResponse): void {
    const connection = connectionAt(res.req.socket);
    const at = connection?.answers.indexOf(res) ?? -1;
    if (connection === undefined || at < 0) return;
    connection.forwarded ||= isForwarded(res.req.headers);
    connection.answers.splice(at, 1);
  }

  /**
   * Reads no further request of the connection for so many milliseconds, once the one at hand is answered: a refused
   * client does not keep the process busy by asking again. It may be closed for another one meanwhile. False: the
   * connection may be one of a proxy, or further requests have come already; the refusal itself has to wait then.
   */
  rest({ socket }: IncomingMessage, ms: number): boolean {
    const connection = connectionAt(socket);
    if (connection === undefined || connection.resting?.listed === true || connection.answers.length > 1) return false;
    if (!this.#isOwn(connection) || !connection.isDirect) return false;
    connection.resting = this.#resting.add(connection);
    socket.pause();
    // Few different times: those that are equal share a timer.
    setTimeout(this.#wake, Math.ceil(ms / 100) * 100, connection).unref();
    return true;
  }

  readonly #wake = (connection: Connection): void => {
    if (connection.resting !== undefined && this.#resting.remove(connection.resting)) connection.socket.resume();
  };

  /** Notes whose request a connection carries. */
  carry({ socket }: IncomingMessage, principal: string): void {
    const connection = connectionAt(socket);
    if (connection === undefined || connection.principal === principal) return;
    if (connection.principal === undefined) connection.principal = principal;
    else connection.several = true;
  }

  /**
   * Returns a function that says whether the client has sent another request since: on this connection; or, while it is
   * open, on one that was open before, as clients do that have a pool of them. It never does for a connection that may
   * be one of a proxy: its peer is in `trust_proxy`, a request had a header that proxies add, it carried several
   * principals, or it has not the scheme of the public address.
   */
  follow({ headers, socket }: IncomingMessage): () => boolean {
    const connection = connectionAt(socket);
    if (connection === undefined || !this.#isOwn(connection)) return () => false;
    connection.forwarded ||= isForwarded(headers);
    const turn = this.#turn;
    return () => connection.isDirect && (connection.turn > turn || this.#isAtWork(connection, turn));
  }

  // It is none of a declared proxy, and not the plain one of a proxy that speaks HTTPS with clients.
  #isOwn({ block, secure }: Connection): boolean {
    return block !== undefined && secure === this.#options.secureUrl;
  }

  // The client of a connection that is still open has sent a request since on another one that it had then. Who lost an
  // answer with its connection has closed that, or opens another one.
  #isAtWork({ socket, same, principal }: Connection, turn: number): boolean {
    if (same === undefined || !socket.readable || socket.destroyed) return false;
    for (const other of same.roster)
      if (other.opened <= turn && other.turn > turn && other.principal === principal && other.isDirect) return true;
    return false;
  }

  /** Notes that an answer is a refusal that waits for its turn: its connection may be closed for another one. */
  refuse(res: ServerResponse): void {
    mark(res, 'refused');
  }

  /** Notes that an answer is held open: its connection may be closed for another one. */
  hold(res: ServerResponse, held: HeldAnswer): void {
    mark(res, held);
    const connection = connectionAt(res.req.socket);
    if (held.brief && connection?.all.listed === true && connection.waits?.listed !== true)
      connection.waits = this.#waits.add(connection);
  }

  #open(socket: Socket, secure: boolean): Connection | undefined {
    const { limits, proxies } = this.#options;
    const peer = socket.remoteAddress;
    // The connection is closed already.
    if (peer === undefined) return undefined;
    const block = proxies.isTrusted(peer) ? undefined : addressBlock(proxies.clientAddress(peer));
    const roster = block === undefined ? undefined : (this.#byBlock.get(block) ?? new Roster<Connection>());
    const room =
      (roster === undefined || this.#makeRoom(roster, limits.per_address, block)) &&
      this.#makeRoom(this.#all, limits.total);
    if (!room) {
      socket.destroy();
      return undefined;
    }
    const connection = new Connection(socket, { block, secure, opened: (this.#turn += 1) }, this.#all);
    if (block !== undefined && roster !== undefined) {
      this.#byBlock.set(block, roster);
      connection.same = { roster, place: roster.add(connection) };
    }
    socket.once('close', () => this.#forget(connection));
    return connection;
  }

  /** Ends one connection when there are too many, in all or of one block. Returns false when all have work. */
  #makeRoom(among: Roster<Connection>, most: number, block?: string): boolean {
    if (among.size < most) return true;
    const first = this.#leastOf(among, block);
    this.#closed[block === undefined ? 'total' : 'address'] += 1;
    if (first === undefined) return false;
    if (first.waits?.listed === true) this.#answerNow(first);
    else this.#end(first);
    return true;
  }

  // The oldest of those whose client was refused, else of those that only wait, else of those without work, else of those
  // that are streams. Those without work are the first of their roster, but for the few that have some: to look at all
  // for each new connection costs too much.
  #leastOf(among: Roster<Connection>, block: string | undefined): Connection | undefined {
    const isAmong = (connection: Connection): boolean => block === undefined || connection.block === block;
    for (const connection of this.#resting)
      if (connection.answers.length === 0 && isAmong(connection)) return connection;
    for (const connection of this.#waits) {
      if (connection.rank === ranks.waits && isAmong(connection)) return connection;
      if (connection.rank !== ranks.waits && connection.waits !== undefined) this.#waits.remove(connection.waits);
    }
    let stream: Connection | undefined;
    for (const connection of among) {
      const rank = connection.rank;
      if (rank === ranks.idle) return connection;
      if (rank === ranks.stream) stream ??= connection;
    }
    return stream;
  }

  // A wait is answered with the present state, and its connection closes behind the answer.
  #answerNow(connection: Connection): void {
    this.#forget(connection);
    for (const answer of connection.answers) {
      answer.shouldKeepAlive = false;
      endHeld(answer);
    }
    // An answer before it was never read, so the one of the wait would not leave either.
    if (connection.socket.writableLength > 0) connection.socket.destroy();
  }

  // No byte was taken or sent for a while. An incomplete request is ended by node's own limits.
  #idle(socket: Socket): void {
    const connection = connectionAt(socket);
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
    const { all, block, resting, same, waits } = connection;
    this.#all.remove(all);
    if (waits !== undefined) this.#waits.remove(waits);
    if (resting !== undefined) this.#resting.remove(resting);
    if (same?.roster.remove(same.place) === true && same.roster.size === 0) this.#byBlock.delete(block ?? '');
  }
}

function nameOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
