import {
  defineStore,
  queriesOf,
  rowReader,
  rowWriter,
  type Connection,
  type WriteConnection,
} from '../../kernel/index.ts';

/** A session as it is stored; times in ms since 1970. */
export interface StoredSession {
  /** SHA-256 of its token. */
  readonly hash: string;
  readonly key_id: string;
  readonly created_at: number;
  /** Written at most once a minute. */
  readonly used_at: number;
}

/** A link that signs in once, as it is stored; each key has at most one. */
export interface StoredLink {
  readonly key_id: string;
  /** SHA-256 of its token. */
  readonly hash: string;
  readonly ends_at: number;
}

const tables = `
CREATE TABLE console_sessions (
  hash TEXT PRIMARY KEY,
  key_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX console_sessions_key ON console_sessions (key_id, created_at);
CREATE INDEX console_sessions_created ON console_sessions (created_at);
CREATE INDEX console_sessions_used ON console_sessions (used_at);
CREATE TABLE console_links (
  key_id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX console_links_end ON console_links (ends_at);
`;

// Keep it, so that the holder of a used link can learn when it was used.
const usedLinks = `
CREATE TABLE console_used_links (
  hash TEXT PRIMARY KEY,
  used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX console_used_links_at ON console_used_links (used_at);
`;

/** Which sessions and links are over; times in ms since 1970. */
export interface Past {
  readonly created_before: number;
  readonly used_before: number;
  /** Links that ended or were used before it. */
  readonly links_before: number;
}

/** The store of sessions: neither a key nor a token is in it. */
const consoleStore = defineStore({
  name: 'console',
  migrations: [tables, usedLinks],
  write: ({ connection }) => ({ operations: writing(connection) }),
  read: reading,
});

export default consoleStore;

// A key that signs in again and again leaves no more sessions than this.
const mostOfKey = 20;

const newest = 'ON CONFLICT (key_id) DO UPDATE SET hash = excluded.hash, ends_at = excluded.ends_at';

function writing(connection: WriteConnection) {
  const insert = rowWriter(connection, 'console_sessions', ['hash', 'key_id', 'created_at', 'used_at']);
  const drop = connection.prepare(
    `DELETE FROM console_sessions WHERE hash IN (
       SELECT hash FROM console_sessions WHERE key_id = ? ORDER BY created_at DESC LIMIT 100 OFFSET ${mostOfKey})`,
  );
  const touch = connection.prepare('UPDATE console_sessions SET used_at = ? WHERE hash = ? AND used_at < ?');
  const end = connection.prepare('DELETE FROM console_sessions WHERE hash = ?');
  const endOf = connection.prepare('DELETE FROM console_sessions WHERE key_id = ?');
  const endCreated = connection.prepare('DELETE FROM console_sessions WHERE created_at < ?');
  const endUsed = connection.prepare('DELETE FROM console_sessions WHERE used_at < ?');
  const link = rowWriter(connection, 'console_links', ['key_id', 'hash', 'ends_at'], newest);
  const take = connection.prepare('DELETE FROM console_links WHERE hash = ? AND key_id = ? AND ends_at > ?');
  const noteUsed = rowWriter(connection, 'console_used_links', ['hash', 'used_at']);
  const endLinks = connection.prepare('DELETE FROM console_links WHERE ends_at <= ?');
  const endUsedLinks = connection.prepare('DELETE FROM console_used_links WHERE used_at <= ?');
  const begin = (session: StoredSession): null => {
    insert(session);
    drop.queue(session.key_id);
    return null;
  };
  return {
    begin,
    /** Begins a session by a link; answers false when the link is over or was used. */
    async redeem({
      link: hash,
      session,
    }: {
      readonly link: string;
      readonly session: StoredSession;
    }): Promise<boolean> {
      if ((await take.run(hash, session.key_id, session.created_at)) === 0) return false;
      noteUsed({ hash, used_at: session.created_at });
      begin(session);
      return true;
    },
    /** Stores a use, unless another node stored a later one. */
    touch: ({ hash, at }: { readonly hash: string; readonly at: number }): void => touch.queue(at, hash, at),
    end: ({ hash }: { readonly hash: string }): void => end.queue(hash),
    /** Ends the sessions of a key that is no more. */
    endOf: ({ key_id }: { readonly key_id: string }): void => endOf.queue(key_id),
    /** Removes what is over. */
    tidy({ created_before, used_before, links_before }: Past): null {
      endCreated.queue(created_before);
      endUsed.queue(used_before);
      endLinks.queue(links_before);
      endUsedLinks.queue(links_before);
      return null;
    },
    link: (row: StoredLink): void => link(row),
  };
}

const number = { type: 'integer' } as const;
const sessionOf = rowReader<StoredSession>({
  properties: { hash: {}, key_id: {}, created_at: number, used_at: number },
});
const linkOf = rowReader<StoredLink>({ properties: { key_id: {}, hash: {}, ends_at: number } });

function reading(connection: Connection) {
  const { find, list } = queriesOf(connection);
  return {
    session: find<StoredSession, [hash: string]>(
      'SELECT hash, key_id, created_at, used_at FROM console_sessions WHERE hash = ?',
      sessionOf,
    ),
    link: find<StoredLink, [hash: string]>('SELECT key_id, hash, ends_at FROM console_links WHERE hash = ?', linkOf),
    /** When a link was used, ms since 1970; undefined: it was not, or more than a day ago. */
    linkUsed: find<number, [hash: string]>('SELECT used_at FROM console_used_links WHERE hash = ?', ({ used_at }) =>
      Number(used_at),
    ),
    /** Ids of keys that have sessions, after an id. */
    keys: list<string, [after: string]>(
      'SELECT DISTINCT key_id FROM console_sessions WHERE key_id > ? ORDER BY key_id LIMIT 100',
      ({ key_id }) => String(key_id),
    ),
  };
}

/** Reads of the store. */
export type ConsoleReads = ReturnType<typeof reading>;
