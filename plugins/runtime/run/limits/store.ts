import { defineStore, type Awaitable, type WriteConnection, type WriteContext } from '../../../../kernel/index.ts';

/** Asks for a part of what a limit of rate allows in its window. */
export interface Drawing {
  readonly name: string;
  readonly count: number;
  readonly window_ms: number;
  /** How much is asked for. */
  readonly chunk: number;
  /** Id of the request: a repeated request counts once. */
  readonly asked: string;
}

/** What was drawn. */
export interface Drawn {
  /** 0: nothing is left in the window. */
  readonly granted: number;
  /** What all nodes have drawn in the window. */
  readonly used: number;
  /** How long the window lasted when it was asked; milliseconds. */
  readonly left_ms: number;
}

/** The permits of a limit of concurrency that a process wants, or gives back. */
export interface Holding {
  readonly name: string;
  readonly incarnation: string;
  /** Total number that the process wants; 0: it wants none. */
  readonly wanted: number;
}

/** A question for permits. */
export interface Wanting extends Holding {
  readonly limit: number;
  /** Number of these that are in use and cannot be returned. */
  readonly running: number;
  /** Processes with permits must return some for processes without. */
  readonly shares: boolean;
}

/** What a process has, and whether others want what it has. */
export interface Held {
  readonly held: number;
  readonly contended: boolean;
}

const migrations = [
  `CREATE TABLE limits_windows (
     name TEXT PRIMARY KEY, ends_at INTEGER NOT NULL, used INTEGER NOT NULL, asked TEXT NOT NULL,
     granted INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX limits_windows_by_end ON limits_windows (ends_at);
   CREATE TABLE limits_permits (
     name TEXT NOT NULL, incarnation TEXT NOT NULL, held INTEGER NOT NULL, wanted INTEGER NOT NULL,
     PRIMARY KEY (name, incarnation)
   ) WITHOUT ROWID;
   CREATE INDEX limits_permits_by_incarnation ON limits_permits (incarnation);`,
];

/** What several nodes share of limits: the windows of rates, and the permits of runs at once. */
export default defineStore({
  name: 'limits',
  migrations,
  write: ({ connection }) => ({ operations: { ...windows(connection), ...permits(connection) } }),
  read: () => ({}),
});

function windows(connection: WriteConnection) {
  const over = 'limits_windows.ends_at <= ?';
  const again = 'limits_windows.asked = excluded.asked';
  const fits = 'limits_windows.used + excluded.granted <= ?';
  // One statement compares and writes the row, so that concurrent requests cannot interfere.
  const draw = connection.prepare(
    `INSERT INTO limits_windows (name, ends_at, used, asked, granted) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET
       ends_at = CASE WHEN ${over} THEN excluded.ends_at ELSE limits_windows.ends_at END,
       used = CASE WHEN ${over} THEN excluded.used WHEN ${again} THEN limits_windows.used
                   WHEN ${fits} THEN limits_windows.used + excluded.used ELSE ? END,
       granted = CASE WHEN ${over} THEN excluded.granted WHEN ${again} THEN limits_windows.granted
                      WHEN ${fits} THEN excluded.granted ELSE ? - limits_windows.used END,
       asked = excluded.asked
     RETURNING ends_at, used, granted`,
  );
  const forget = connection.prepare('DELETE FROM limits_windows WHERE ends_at <= ?');
  return {
    /**
     * Draws from the window of a limit, which begins with the first question after the one before has ended; all nodes
     * together never draw more than its count. It uses the clock of the store, so that a node with a wrong clock cannot
     * end a window.
     */
    async draw({ name, count, window_ms, chunk, asked }: Drawing, write: WriteContext): Promise<Drawn> {
      const now = await write.time();
      const some = Math.min(chunk, count);
      const row = await draw.get(
        ...[name, now + window_ms, some, asked, some],
        ...[now, now, count, count, now, count, count],
      );
      if (row === undefined) throw new Error(`the window of ${name} was not written`);
      return {
        granted: Number(row['granted']),
        used: Number(row['used']),
        left_ms: Number(row['ends_at']) - now,
      };
    },
    /** Deletes windows that ended so long ago. */
    async forgetWindows({ ms }: { readonly ms: number }, write: WriteContext): Promise<number> {
      return forget.run((await write.time()) - ms);
    },
  };
}

// Guards are never deleted, so use few: with one per name, their number would grow with the keys.
const guards = 64;

function guardOf(name: string): string {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (hash * 31 + name.charCodeAt(at)) | 0;
  return `permits ${(hash >>> 0) % guards}`;
}

function permits(connection: WriteConnection) {
  const all = connection.prepare('SELECT incarnation, held, wanted FROM limits_permits WHERE name = ?');
  const put = connection.prepare(
    `INSERT INTO limits_permits (name, incarnation, held, wanted) VALUES (?, ?, ?, ?)
     ON CONFLICT (name, incarnation) DO UPDATE SET held = excluded.held, wanted = excluded.wanted`,
  );
  const lower = connection.prepare(
    `UPDATE limits_permits SET held = CASE WHEN limits_permits.held < ? THEN limits_permits.held ELSE ? END, wanted = ?
     WHERE name = ? AND incarnation = ?`,
  );
  const remove = connection.prepare('DELETE FROM limits_permits WHERE name = ? AND incarnation = ?');
  const leave = connection.prepare('DELETE FROM limits_permits WHERE incarnation = ?');
  return {
    /** Takes permits, as many as are free of those that are wanted; answers how many the process has now. */
    async wantPermits(asked: Wanting, write: WriteContext): Promise<Held> {
      const { name, incarnation, wanted } = asked;
      write.guard(guardOf(name));
      const rows = (await all.all(name)).map((row) => ({
        own: row['incarnation'] === incarnation,
        held: Number(row['held']),
        wanted: Number(row['wanted']),
      }));
      const own = rows.find((row) => row.own)?.held ?? 0;
      const shared = sharedOut(
        rows.filter((row) => !row.own),
        { ...asked, own },
      );
      // A process that does not wait for permits wants no more than it gets.
      if (asked.shares || shared.held > 0)
        put.queue(name, incarnation, shared.held, asked.shares ? wanted : shared.held);
      else remove.queue(name, incarnation);
      return shared;
    },
    /** Gives permits back, so that so many are left. */
    lowerPermits({ name, incarnation, wanted }: Holding): void {
      if (wanted === 0) remove.queue(name, incarnation);
      else lower.queue(wanted, wanted, wanted, name, incarnation);
    },
    /** Gives back all permits of a process that has ended. */
    voidPermits({ incarnation }: Pick<Holding, 'incarnation'>): Awaitable<number> {
      return leave.run(incarnation);
    },
  };
}

/** Decides how many permits a process has from now on, by what the others have and want. */
export function sharedOut(
  others: readonly { readonly held: number; readonly wanted: number }[],
  { limit, own, running, shares, wanted }: Pick<Wanting, 'limit' | 'running' | 'shares' | 'wanted'> & { own: number },
): Held {
  const free = Math.max(0, limit - others.reduce((sum, { held }) => sum + held, 0));
  const contended = others.some((other) => other.wanted > other.held);
  if (!shares || !contended) return { held: Math.min(wanted, free), contended };
  const fair = Math.floor(limit / (others.filter((other) => other.wanted > 0).length + 1));
  // With fewer permits than nodes, the nodes take turns.
  const most = fair > 0 ? fair : own > 0 ? 0 : 1;
  return { held: Math.min(wanted, free, Math.max(running, most)), contended };
}
