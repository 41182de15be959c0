import { after, every, ProviderError, within, type Log } from '../../../kernel/adapter.ts';
import type { Connection } from './client.ts';
import { readDefinition, twice, type ToolDefinition } from './definition.ts';
import { isLostSession, messageOf, notSent, Reason } from './failure.ts';

/** How connections that a server keeps state for are shared. */
export type Sharing = 'auto' | 'shared' | 'per_principal' | 'per_run';

/** The options of one connection. */
export interface DialOptions {
  readonly signal: AbortSignal;
  /** Absent: the server is not asked to tell that its tools changed. */
  readonly onListChanged?: () => void;
  readonly onClose: () => void;
  readonly onError: (error: Error) => void;
}

/** The options of a server. */
export interface ServerOptions {
  /** Makes one connection. */
  readonly dial: (options: DialOptions) => Promise<Connection>;
  /** Releases what the connections had in common, after the last of them. */
  readonly end?: () => Promise<void>;
  readonly sharing: Sharing;
  /** Most connections that belong to one principal each. */
  readonly mostSessions: number;
  /** Names of the tools that are used; all when absent. */
  readonly tools: readonly string[] | undefined;
  /** Connections that may fail or end in a minute before the rest of the minute is waited out. */
  readonly maxRestartsPerMin: number;
  /** Longest time before a new connection is tried, ms. */
  readonly longestDelayMs: number;
  /** Time for starting and connecting, ms. */
  readonly connectMs: number;
  /** For how long a list of tools is good enough for a call that cannot be taken back; 30 s unless given. */
  readonly freshMs?: number;
  readonly log: Log;
}

/** A connection that a call holds. */
export interface Held {
  readonly connection: Connection;
  /** To be called when the call has ended. */
  release(): void;
}

interface Session {
  readonly opening: Promise<Connection>;
  used: number;
  calls: number;
}

const listMs = 10_000;
const refreshMs = 300_000;
const freshMs = 30_000;
const idleMs = 600_000;
const sweepMs = 60_000;
const firstDelayMs = 250;

/** One MCP server as all Orbs of a provider use it: its tools as last listed, and its connections. */
export class UpstreamServer {
  readonly #options: ServerOptions;
  readonly #listeners = new Set<() => void>();
  readonly #sessions = new Map<string, Session>();
  readonly #stops: (() => void)[];
  #definitions: ReadonlyMap<string, ToolDefinition> = new Map();
  #listedAt = -Infinity;
  #base: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #listing: Promise<void> | undefined;
  /** Whose state the first connection keeps, once a call of somebody went over it. */
  #owner: string | undefined;
  #ends: number[] = [];
  #notBefore = 0;
  #closed = false;
  #cancelRestart: () => void = () => undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    const failed = (error: unknown): void =>
      options.log.warn({ reason: messageOf(error) }, 'the tools of an MCP server could not be listed');
    this.#stops = [
      every(refreshMs, () => (this.#base === undefined ? undefined : this.refresh()), failed),
      every(sweepMs, () => this.#evict((one) => one.calls === 0 && performance.now() - one.used > idleMs), failed),
    ];
  }

  /** The tools as last listed, by name. */
  get definitions(): ReadonlyMap<string, ToolDefinition> {
    return this.#definitions;
  }

  /** Calls back whenever the tools were listed; returns a function that unsubscribes. */
  onListed(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Connects, if there is no connection; a new one lists the tools. Throws ProviderError `not_sent`. */
  async start(): Promise<void> {
    await this.#connected();
  }

  /** Lists the tools, over a new connection if need be. Throws ProviderError `not_sent`, or what the list throws. */
  async refresh(): Promise<void> {
    const base = await this.#connected();
    this.#listing ??= this.#relisted(base).finally(() => (this.#listing = undefined));
    await this.#listing;
  }

  /** Lists the tools again unless they were listed a short time ago. Throws as `refresh` does. */
  async renew(): Promise<void> {
    if (performance.now() - this.#listedAt > (this.#options.freshMs ?? freshMs)) await this.refresh();
  }

  /** Finds the connection for a call of a principal. Throws ProviderError `not_sent`. */
  async hold(principal: string): Promise<Held> {
    const base = await this.#connected();
    const { sharing } = this.#options;
    const mode = sharing === 'auto' ? (base.session === undefined ? 'shared' : 'per_principal') : sharing;
    if (mode === 'per_run') return this.#own();
    if (mode === 'shared' || (this.#owner ??= principal) === principal)
      return { connection: base, release: () => undefined };
    return this.#sessionOf(principal);
  }

  /** Drops a connection whose session the server no longer knows. */
  async drop(connection: Connection): Promise<void> {
    if (this.#base === connection) this.#base = undefined;
    for (const [principal, { opening }] of this.#sessions)
      if ((await opening.catch(() => undefined)) === connection) this.#sessions.delete(principal);
    await connection.close().catch(() => undefined);
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const stop of [...this.#stops, this.#cancelRestart]) stop();
    const pending = [...this.#sessions.values()].map(({ opening }) => opening);
    if (this.#connecting !== undefined) pending.push(this.#connecting);
    const open = await Promise.all(pending.map((opening) => opening.catch(() => undefined)));
    open.push(this.#base);
    this.#base = undefined;
    this.#sessions.clear();
    const closing = [...new Set(open)].flatMap((connection) => (connection === undefined ? [] : [connection.close()]));
    await Promise.allSettled(closing);
    await this.#options.end?.();
  }

  async #connected(): Promise<Connection> {
    if (this.#base !== undefined) return this.#base;
    if (this.#closed) throw notSent(new Reason('the connection is closing'));
    if (performance.now() < this.#notBefore)
      throw notSent(new Reason('it ended or could not be reached; the platform tries again later'));
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting.catch((error: unknown) => Promise.reject(notSent(error)));
  }

  async #connect(): Promise<Connection> {
    let made: Connection | undefined;
    let ended = false;
    const onClose = (): void => {
      ended = true;
      if (made !== undefined && this.#base === made) this.#restart();
    };
    try {
      made = await this.#dial({ onClose, onListChanged: () => this.#relist() });
      if (ended || this.#closed) throw new Reason('the connection ended immediately');
      await this.#list(made);
      this.#base = made;
      this.#owner = undefined;
      return made;
    } catch (error) {
      await made?.close().catch(() => undefined);
      this.#delay();
      throw error;
    }
  }

  /** The process of the server ended by itself: it is started again, later each time. */
  #restart(): void {
    this.#base = undefined;
    this.#sessions.clear();
    const wait = this.#delay();
    if (this.#closed) return;
    const { log } = this.#options;
    log.warn({ wait_ms: Math.round(wait) }, 'an MCP server ended; it is being restarted');
    this.#cancelRestart = after(
      wait,
      () => (this.#closed ? undefined : this.refresh()),
      (error) => log.warn({ reason: messageOf(error) }, 'an MCP server could not be restarted'),
    );
  }

  // A minute with too many ends is waited out.
  #delay(): number {
    const now = performance.now();
    this.#ends = [...this.#ends.filter((at) => now - at < 60_000), now];
    const { maxRestartsPerMin, longestDelayMs } = this.#options;
    const few = this.#ends.length <= maxRestartsPerMin;
    const wait = few ? Math.min(longestDelayMs, firstDelayMs * 2 ** (this.#ends.length - 1)) : longestDelayMs;
    this.#notBefore = now + wait - 1;
    return wait;
  }

  #relist(): void {
    if (this.#closed || this.#base === undefined) return;
    this.refresh().catch((error: unknown) =>
      this.#options.log.warn({ reason: messageOf(error) }, 'the changed tools of an MCP server could not be listed'),
    );
  }

  // A new connection lists the tools.
  async #relisted(base: Connection): Promise<void> {
    try {
      await this.#list(base);
    } catch (error) {
      if (!isLostSession(error, base)) throw error;
      await this.drop(base);
      await this.#connected();
    }
  }

  async #list(connection: Connection): Promise<void> {
    const listed = await connection.list(AbortSignal.timeout(listMs));
    const found = new Map<string, ToolDefinition>();
    for (const value of listed) {
      const definition = readDefinition(value);
      if (definition === undefined || this.#options.tools?.includes(definition.tool) === false) continue;
      const twin = found.get(definition.tool);
      found.set(definition.tool, twin === undefined ? definition : twice(twin, definition));
    }
    this.#definitions = found;
    this.#listedAt = performance.now();
    for (const listener of this.#listeners) listener();
  }

  async #own(): Promise<Held> {
    const connection = await this.#dialed(() => undefined);
    return { connection, release: () => void connection.close().catch(() => undefined) };
  }

  async #sessionOf(principal: string): Promise<Held> {
    const known = this.#sessions.get(principal);
    if (known === undefined) this.#makeRoom();
    const session = known ?? this.#begin(principal);
    // The order of the map is the order of use.
    this.#sessions.delete(principal);
    this.#sessions.set(principal, session);
    session.calls += 1;
    const release = (): void => {
      session.calls -= 1;
      session.used = performance.now();
    };
    try {
      return { connection: await session.opening, release };
    } catch (error) {
      if (this.#sessions.get(principal) === session) this.#sessions.delete(principal);
      throw error;
    }
  }

  #begin(principal: string): Session {
    const forget = (): void => void (this.#sessions.get(principal) === session && this.#sessions.delete(principal));
    const session: Session = { opening: this.#dialed(forget), used: performance.now(), calls: 0 };
    this.#sessions.set(principal, session);
    return session;
  }

  // The one that was unused for longest goes first; one with calls stays.
  #makeRoom(): void {
    const { mostSessions } = this.#options;
    this.#evict(({ calls }) => calls === 0 && this.#sessions.size >= mostSessions);
    if (this.#sessions.size < mostSessions) return;
    throw new ProviderError('not_sent', 'too many principals use the server at the same time', { phase: 'sessions' });
  }

  #dialed(onClose: () => void): Promise<Connection> {
    const dialed = within(this.#options.connectMs, this.#dial({ onClose }));
    return dialed.catch((error: unknown) => Promise.reject(notSent(error)));
  }

  async #dial(how: Pick<DialOptions, 'onClose' | 'onListChanged'>): Promise<Connection> {
    const { connectMs, dial, log } = this.#options;
    const onError = (error: Error): void => log.debug({ reason: error.message }, 'an MCP server violated the protocol');
    return dial({ ...how, signal: AbortSignal.timeout(connectMs), onError });
  }

  #evict(goes: (session: Session) => boolean): void {
    for (const [principal, session] of [...this.#sessions]) {
      if (!goes(session)) continue;
      this.#sessions.delete(principal);
      session.opening.then((connection) => connection.close()).catch(() => undefined);
    }
  }
}
