import { timingSafeEqual } from 'node:crypto';
import type { Clock, Credential, Principal } from '../../kernel/index.ts';
import type { CredentialPort } from '../runtime/contract.ts';
import type { StoredKey } from './store.ts';
import { isToken, tokenDigest } from './token.ts';

/** The keys that are not revoked, in memory; finds the principal of a presented key. */
export type Keyring = ReturnType<typeof createKeyring>;

/** Called on a key's use, at most once a minute per key; `at` in milliseconds since the Unix epoch. */
export type Used = (keyId: string, at: number) => void;

interface Entry {
  readonly principal: Principal;
  readonly digest: Uint8Array;
  /** Milliseconds since the Unix epoch; Infinity: never. */
  readonly expiresAt: number;
  usedAt: number;
}

const minute = 60_000;
const mostRecent = 1024;

/** Creates a keyring from stored keys. */
export function createKeyring(clock: Clock, used: Used, keys: readonly StoredKey[]) {
  const entries = new Map<string, Entry>();
  // Of a key that was removed the digest is empty.
  const digests = new Map<string, string>();
  const add = (stored: StoredKey): void => {
    const { key_id } = stored.key;
    if (digests.has(key_id)) return;
    const digest = Buffer.from(stored.hash).toString('base64');
    entries.set(digest, entryOf(stored));
    digests.set(key_id, digest);
  };
  keys.forEach(add);
  const find = (token: string): Entry | undefined => {
    if (!isToken(token)) return undefined;
    const digest = tokenDigest(token);
    const entry = entries.get(digest.toString('base64'));
    // The look-up compares digests, not secrets; the final comparison still takes constant time.
    return entry !== undefined && timingSafeEqual(digest, entry.digest) ? entry : undefined;
  };
  // Saves hashing the key of a frequent caller. A map compares two strings only when their hashes under the process's
  // random seed are equal, so its timing reveals nothing about a key. Cleared every minute of use and on revocation.
  const recent = new Map<string, Entry>();
  let emptyAt = 0;
  return {
    /** Returns the key's principal, the same frozen object each time; `undefined` for an invalid or expired key. */
    authenticate({ token, cookie }: Credential) {
      // A browser keeps a session in its cookie, never a key.
      if (cookie === true) return undefined;
      const ticks = clock.monotonic();
      if (ticks >= emptyAt || recent.size >= mostRecent) {
        recent.clear();
        emptyAt = ticks + minute;
      }
      const known = recent.get(token);
      const entry = known ?? find(token);
      if (entry === undefined) return undefined;
      if (known === undefined) recent.set(token, entry);
      const now = clock.now();
      if (now >= entry.expiresAt) return undefined;
      noteUse(entry, now, used);
      return entry.principal;
    },
    /** Finds the principal of a key that is not revoked, also when it has expired unless `unexpired`; notes a use. */
    find(keyId: string, { unexpired = false, used: isUsed = false }: Parameters<CredentialPort>[1] = {}) {
      const entry = entries.get(digests.get(keyId) ?? '');
      if (entry === undefined || (unexpired && clock.now() >= entry.expiresAt)) return undefined;
      if (isUsed) noteUse(entry, clock.now(), used);
      return entry.principal;
    },
    /** Accepts a key from now on, unless it is accepted already or was removed: a read may be older than its revocation. */
    add,
    remove(keyId: string) {
      entries.delete(digests.get(keyId) ?? '');
      digests.set(keyId, '');
      recent.clear();
    },
  };
}

function noteUse(entry: Entry, now: number, used: Used): void {
  // abs(): after a clock that ran ahead is set back, uses must still be recorded.
  if (Math.abs(now - entry.usedAt) < minute) return;
  entry.usedAt = now;
  used(entry.principal.key_id, now);
}

function entryOf({ key, hash }: StoredKey): Entry {
  return {
    principal: Object.freeze({
      id: key.principal,
      key_id: key.key_id,
      tenant: key.tenant,
      scopes: Object.freeze([...key.scopes]),
      mode: key.mode,
    }),
    digest: hash,
    expiresAt: key.expires_at === undefined ? Infinity : Date.parse(key.expires_at),
    usedAt: key.last_used_at === undefined ? -Infinity : Date.parse(key.last_used_at),
  };
}
