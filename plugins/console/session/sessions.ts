import { createHash, randomBytes } from 'node:crypto';
import {
  every,
  operation,
  type Awaitable,
  type Clock,
  type Log,
  type Principal,
  type Store,
} from '../../../kernel/index.ts';
import type { CredentialPort } from '../../runtime/contract.ts';
import consoleStore, { type StoredLink, type StoredSession } from '../store.ts';
import { lasts, minute } from './lifetime.ts';
import { linkFault, sessionFault, sessionOver } from './end-reason.ts';

// A token of a session or a link: 256 random bits that say nothing. It is stored and found by its digest.
const newToken = (): string => randomBytes(32).toString('base64url');
const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

// For this long, the holder of a link can learn why it no longer works.
const day = 1440 * minute;

/** What sessions need. */
export interface SessionScope {
  readonly store: Pick<Store, 'write'>;
  readonly reads: {
    session(hash: string): Awaitable<StoredSession | undefined>;
    link(hash: string): Awaitable<StoredLink | undefined>;
    linkUsed(hash: string): Awaitable<number | undefined>;
    keys(after: string): Awaitable<readonly string[]>;
  };
  readonly credential: CredentialPort;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** A session with the caller that it is of, as the key is now. */
export interface LiveSession {
  readonly principal: Principal;
  /** ms since 1970. */
  readonly created_at: number;
  /** ms since 1970; exact in the process that was asked. */
  readonly used_at: number;
}

/** The sessions of browsers. Each belongs to a key, always has the current scopes of the key, and ends with it. */
export class Sessions {
  readonly #scope: SessionScope;
  /** When each session was last used on this node; it is stored at most once a minute. */
  readonly #uses = new Map<string, number>();
  #stop: (() => void) | undefined;

  constructor(scope: SessionScope) {
    this.#scope = scope;
  }

  /** Finds the live session of a token. */
  async find(token: string): Promise<LiveSession | undefined> {
    const { reads, clock, credential } = this.#scope;
    const stored = await reads.session(digestOf(token));
    if (stored === undefined) return undefined;
    const { hash, key_id, created_at } = stored;
    const now = clock.now();
    const used_at = Math.max(stored.used_at, this.#uses.get(hash) ?? 0);
    // abs(): a clock that was set ends a session rather than making it last.
    if (Math.abs(now - created_at) >= lasts.session || Math.abs(now - used_at) >= lasts.idle) return undefined;
    const principal = credential(key_id, { unexpired: true });
    return principal && { principal, created_at, used_at };
  }

  /** Finds the caller of a session, which counts as a use unless `watching`. */
  async authenticate(
    token: string,
    { watching = false }: { readonly watching?: boolean },
  ): Promise<Principal | undefined> {
    const found = await this.find(token);
    if (found !== undefined && !watching) this.#use(digestOf(token), found);
    return found?.principal;
  }

  /** Begins a session of a caller; answers its token. */
  async begin(principal: Principal): Promise<string> {
    const token = newToken();
    await this.#scope.store.write([operation(consoleStore, 'begin', this.#stored(token, principal))]);
    this.#began(principal);
    return token;
  }

  /** Ends a session. */
  async end(token: string): Promise<void> {
    const hash = digestOf(token);
    this.#uses.delete(hash);
    await this.#scope.store.write([operation(consoleStore, 'end', { hash })]);
  }

  /** Makes a link that signs a caller in once; an earlier link of the key becomes invalid. */
  async link({ key_id }: Principal): Promise<{ readonly token: string; readonly ends_at: number }> {
    const token = newToken();
    const ends_at = this.#scope.clock.now() + lasts.link;
    await this.#scope.store.write([operation(consoleStore, 'link', { key_id, hash: digestOf(token), ends_at })]);
    return { token, ends_at };
  }

  /** Finds the caller that a link signs in, and leaves the link as it is. */
  async findLink(token: string): Promise<Principal | undefined> {
    const { reads, clock, credential } = this.#scope;
    const found = await reads.link(digestOf(token));
    if (found === undefined || clock.now() >= found.ends_at) return undefined;
    return credential(found.key_id, { unexpired: true });
  }

  /** Says why a link cannot sign in. */
  async explainLink(token: string): Promise<string> {
    const { reads, clock, credential } = this.#scope;
    const hash = digestOf(token);
    const [found, used] = [await reads.link(hash), await reads.linkUsed(hash)];
    return linkFault(found, used, {
      now: clock.now(),
      hasKey: found !== undefined && credential(found.key_id, { unexpired: true }) !== undefined,
    });
  }

  /** Says what is wrong with the token of a session that is over. */
  async explain(token: string): Promise<string> {
    const { reads, clock, credential } = this.#scope;
    const found = await reads.session(digestOf(token));
    if (found === undefined) return sessionOver;
    const used_at = Math.max(found.used_at, this.#uses.get(found.hash) ?? 0);
    return sessionFault(
      { ...found, used_at },
      clock.now(),
      credential(found.key_id, { unexpired: true }) !== undefined,
    );
  }

  /** Begins a session by a link, once; answers its token and its caller. */
  async redeem(link: string): Promise<{ readonly token: string; readonly principal: Principal } | undefined> {
    const principal = await this.findLink(link);
    if (principal === undefined) return undefined;
    const token = newToken();
    const redeemed = { link: digestOf(link), session: this.#stored(token, principal) };
    const [taken] = await this.#scope.store.write([operation(consoleStore, 'redeem', redeemed)]);
    if (!taken) return undefined;
    this.#began(principal);
    return { token, principal };
  }

  /** Removes what is over once a minute, until `stop`. */
  start(): void {
    const { log } = this.#scope;
    this.#stop = every(
      minute,
      () => this.tidy(),
      (err) => log.warn({ err }, 'old console sessions could not be deleted'),
    );
  }

  stop(): void {
    this.#stop?.();
  }

  /** Removes sessions and links that are over, and sessions of keys that are no more. */
  async tidy(): Promise<void> {
    const { store, reads, clock, credential } = this.#scope;
    const now = clock.now();
    const past = { created_before: now - lasts.session, used_before: now - lasts.idle - minute };
    await store.write([operation(consoleStore, 'tidy', { ...past, links_before: now - day })]);
    for (const [hash, used] of this.#uses) if (now - used >= lasts.idle) this.#uses.delete(hash);
    for (let after = '', page = await reads.keys(after); page.length > 0; page = await reads.keys(after)) {
      const ended = page.filter((key_id) => credential(key_id, { unexpired: true }) === undefined);
      if (ended.length > 0) await store.write(ended.map((key_id) => operation(consoleStore, 'endOf', { key_id })));
      after = page.at(-1) ?? '';
    }
  }

  #stored(token: string, { key_id }: Principal): StoredSession {
    const now = this.#scope.clock.now();
    return { hash: digestOf(token), key_id, created_at: now, used_at: now };
  }

  #began({ id, key_id }: Principal): void {
    this.#scope.log.info({ key_id, principal: id }, 'a console session started');
  }

  #use(hash: string, { principal, used_at }: LiveSession): void {
    const { store, clock, log, credential } = this.#scope;
    const now = clock.now();
    this.#uses.set(hash, now);
    credential(principal.key_id, { used: true });
    // Compared with the use before: a session that is used all the time is written each minute, not at each use.
    if (Math.floor(now / minute) === Math.floor(used_at / minute)) return;
    store
      .write([operation(consoleStore, 'touch', { hash, at: now })])
      .catch((err: unknown) => log.warn({ err }, 'the last use of a console session could not be stored'));
  }
}
