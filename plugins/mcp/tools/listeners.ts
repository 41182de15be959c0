import {
  after,
  every,
  holdsPart,
  refuseHeld,
  type HeldKind,
  type Log,
  type Principal,
  type Reply,
  type RequestInfo,
} from '../../../kernel/index.ts';
import type { Revocations } from '../../runtime/contract.ts';
import { eventStream, type Events } from '../wire/event-stream.ts';
import { codes, isMembers, metaKeys, RpcFault, type Id, type Members } from '../wire/wire.ts';
import type { ToolLists } from './tool-lists.ts';

const listens: HeldKind = { name: 'listen', most: 8 };
// Clients of a revision with a handshake open one each as soon as they have connected.
const streams: HeldKind = { name: 'mcp_stream', most: 64 };
const keyCheckMs = 5000;
// Several changes at once are told once.
const gatherMs = 50;

/** A client that wants to hear of changes. */
interface Listener {
  principal: Principal;
  /** Digest of the list that it knows. */
  digest: string | undefined;
  readonly orbisetId: string;
  readonly callerNow: RequestInfo['callerNow'];
  readonly changed: (digest: string) => void;
  readonly end: () => void;
}

/** A client whose list of tools may change. */
export interface Watching {
  readonly orbiset_id: string;
  readonly principal: Principal;
  readonly info: RequestInfo;
  /** Digest of the list of tools that the client knows. */
  readonly digest: string;
}

/** One request to listen. */
export interface Listening extends Watching {
  readonly id: Id;
  readonly params: Members;
}

/** What telling clients needs. */
interface ListenersOptions {
  readonly lists: ToolLists;
  readonly log: Log;
  /** Absent when no plugin revokes keys. */
  readonly revocations: Revocations | undefined;
}

/** Notifies clients when their list of tools has changed, and ends streams that are no longer permitted. */
export class Listeners {
  readonly #lists: ToolLists;
  readonly #log: Log;
  readonly #all = new Set<Listener>();
  readonly #stops: readonly (() => void)[];
  #waiting: (() => void) | undefined;

  constructor({ lists, log, revocations }: ListenersOptions) {
    this.#lists = lists;
    this.#log = log;
    const failed = (err: unknown): void =>
      log.error({ err }, 'the server could not check the listeners of tool changes');
    this.#stops = [
      lists.onChange(() => this.#soon()),
      every(keyCheckMs, () => this.checkKeys(), failed),
      revocations?.onRevoked(() => this.checkKeys()) ?? (() => undefined),
    ];
  }

  get size(): number {
    return this.#all.size;
  }

  /** Answers `subscriptions/listen` with a stream. Throws an RpcFault: -32602, or 429 when there are too many. */
  listen({ id, orbiset_id, principal, info, params, digest }: Listening, serverInfo: object): Reply {
    const asked = params['notifications'];
    if (!isMembers(asked)) throw new RpcFault(200, codes.params, 'notifications must be an object', { id });
    const needed = info.hold(listens) ?? refuseMany(id);
    const honoured = asked['toolsListChanged'] === true ? { toolsListChanged: true } : {};
    const _meta = { [metaKeys.subscription]: id };
    return eventStream(async (events) => {
      const tell = (method: string, more: object = {}): void =>
        events.send({ jsonrpc: '2.0', method, params: { ...more, _meta } });
      tell('notifications/subscriptions/acknowledged', { notifications: honoured });
      if (asked['toolsListChanged'] === true)
        await this.#untilEnd(
          { orbiset_id, principal, info, digest, needed },
          () => tell('notifications/tools/list_changed'),
          events,
        );
      return {
        jsonrpc: '2.0',
        id,
        result: { resultType: 'complete', _meta: { ..._meta, [metaKeys.server]: serverInfo } },
      };
    }, info);
  }

  /**
   * Answers the GET of a revision with a handshake by a stream of the server's notifications. Its events have the digest of
   * the list as id, so a client that connects again misses no change. `primed`: the client takes an event without a
   * message. Throws 429 when there are too many.
   */
  follow(watching: Watching, { primed }: { readonly primed: boolean }): Reply {
    const needed = watching.info.hold(streams) ?? refuseHeld(streams);
    return eventStream(async (events) => {
      events.prime(primed ? watching.digest : undefined);
      const changed = (digest: string): void =>
        events.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, digest);
      await this.#untilEnd({ ...watching, needed }, changed, events);
      return undefined;
    }, watching.info);
  }

  /** Ends the listeners whose key was revoked, has expired, or has lost its scope. */
  async checkKeys(): Promise<void> {
    await Promise.all([...this.#all].map((listener) => this.#check(listener)));
  }

  async #check(listener: Listener): Promise<void> {
    // Where the caller cannot be looked up now, the client connects again.
    const principal = await listener.callerNow().catch(() => undefined);
    if (principal === undefined || !holdsPart(principal.scopes, 'orbs:execute')) return listener.end();
    if (principal === listener.principal) return;
    listener.principal = principal;
    await this.#compare(listener);
  }

  close(): void {
    this.#waiting?.();
    for (const stop of this.#stops) stop();
    for (const { end } of this.#all) end();
  }

  async #untilEnd(
    { orbiset_id, principal, info, digest, needed }: Watching & { readonly needed: AbortSignal },
    changed: (digest: string) => void,
    events: Events,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): void => resolve();
    const { callerNow, draining } = info;
    const listener: Listener = { principal, digest, orbisetId: orbiset_id, callerNow, changed, end };
    this.#all.add(listener);
    events.onGone(end);
    draining.addEventListener('abort', end, { once: true });
    needed.addEventListener('abort', end, { once: true });
    try {
      // The list may have changed since the client asked.
      await this.#compare(listener);
      if (!draining.aborted && !needed.aborted) await promise;
    } finally {
      draining.removeEventListener('abort', end);
      this.#all.delete(listener);
    }
  }

  #soon(): void {
    const failed = (err: unknown): void =>
      this.#log.error({ err }, 'the server could not notify clients of a change of tools');
    this.#waiting ??= after(
      gatherMs,
      async () => {
        this.#waiting = undefined;
        for (const listener of this.#all) await this.#compare(listener);
      },
      failed,
    );
  }

  async #compare(listener: Listener): Promise<void> {
    const digest = (await this.#lists.of(listener.orbisetId, listener.principal))?.digest;
    if (digest === undefined) return listener.end();
    if (digest === listener.digest) return;
    listener.digest = digest;
    listener.changed(digest);
  }
}

function refuseMany(id: Id): never {
  throw new RpcFault(200, 429, `this caller already has ${listens.most} listening streams, the maximum; end one`, {
    id,
  });
}
