import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Place, Roster } from '../../tools/roster.ts';

/** An answer that is held open. */
export interface HeldAnswer {
  /** It is answered as soon as it is ended, so it goes before all others. */
  readonly brief: boolean;
  readonly end: () => void;
}

// Members of sockets and answers. A map of them would keep them for longer than they live: see Roster.
const connectionOf = Symbol('connection');
const stateOf = Symbol('state');
type Noted = Socket & { [connectionOf]?: Connection };
type Marked = ServerResponse & { [stateOf]?: 'refused' | HeldAnswer };

/** One connection, and its places among others. */
export class Connection {
  /** Undefined: not counted by address. */
  readonly block: string | undefined;
  readonly secure: boolean;
  /** Number of connections and requests before it. */
  readonly opened: number;
  /** Number of connections and requests before its newest request, or before it was opened. */
  turn: number;
  /** The socket to destroy; for HTTPS the raw socket until the handshake is done. */
  socket: Socket;
  readonly all: Place<Connection>;
  /** Among those of its block. */
  same: { readonly roster: Roster<Connection>; readonly place: Place<Connection> } | undefined = undefined;
  waits: Place<Connection> | undefined = undefined;
  resting: Place<Connection> | undefined = undefined;
  /** Of its first request with a key; `several`: others came too. */
  principal: string | undefined = undefined;
  several = false;
  /** A request that was answered came by way of a proxy. */
  forwarded = false;
  /** Its answers that are not flushed yet; several only when the client sends requests without waiting. */
  readonly answers: ServerResponse[] = [];

  constructor(
    socket: Socket,
    { block, secure, opened }: Pick<Connection, 'block' | 'secure' | 'opened'>,
    all: Roster<Connection>,
  ) {
    this.block = block;
    this.secure = secure;
    this.opened = opened;
    this.turn = opened;
    this.all = all.add(this);
    this.socket = socket;
    (socket as Noted)[connectionOf] = this;
  }

  /** Notes the socket on which its requests come. */
  moveTo(socket: Socket): void {
    this.socket = socket;
    (socket as Noted)[connectionOf] = this;
  }

  /** Nothing of it shows a proxy: no header of one, and no second principal. */
  get isDirect(): boolean {
    return !this.several && !this.forwarded && this.answers.every(({ req }) => !isForwarded(req.headers));
  }

  /** What it is used for. */
  get rank(): number {
    let rank: number = ranks.idle;
    for (const answer of this.answers) {
      // The request is not complete, or has its answer.
      if (!answer.req.complete || answer.writableEnded || answer.closed) continue;
      const state = (answer as Marked)[stateOf];
      if (state === undefined) return ranks.worked;
      if (state !== 'refused' && rank !== ranks.stream) rank = state.brief ? ranks.waits : ranks.stream;
    }
    return rank;
  }
}

/** What a connection is used for. A complete request without its answer may be a run. */
export const ranks = { waits: 0, idle: 1, stream: 2, worked: 3 } as const;

/** Finds the connection of a socket. */
export function connectionAt(socket: Socket): Connection | undefined {
  return (socket as Noted)[connectionOf];
}

/** Notes that an answer is a refusal that waits for its turn, or is held open. */
export function mark(res: ServerResponse, state: 'refused' | HeldAnswer): void {
  (res as Marked)[stateOf] = state;
}

/** Ends an answer that is held open. */
export function endHeld(res: ServerResponse): void {
  const state = (res as Marked)[stateOf];
  if (state !== undefined && state !== 'refused') state.end();
}

// What proxies add to a request.
const proxied = [
  ...['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-server'],
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'x-original-host', 'x-scheme', 'cdn-loop'],
  ...['cf-connecting-ip', 'cf-ray', 'x-amzn-trace-id', 'x-envoy-external-address', 'x-cloud-trace-context'],
] as const;

/** Says whether a request has a header that proxies add. */
export function isForwarded(headers: IncomingMessage['headers']): boolean {
  return proxied.some((name) => headers[name] !== undefined);
}
