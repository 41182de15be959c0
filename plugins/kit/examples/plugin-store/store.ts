import { defineStore, textColumn } from 'agent-orb-kit';

/** How many runs ended so, of all that were counted. */
export interface Tally {
  readonly status: string;
  readonly runs: number;
}

/** Counts of runs by how they ended. The server loads this file in the threads that write and read, too. */
export default defineStore({
  name: 'tally',
  // Only append: a migration that has run is never changed.
  migrations: [`CREATE TABLE tally_counts (status TEXT PRIMARY KEY, runs INTEGER NOT NULL) STRICT`],
  write({ connection }) {
    const count = connection.prepare(
      `INSERT INTO tally_counts (status, runs) VALUES (?, 1)
       ON CONFLICT (status) DO UPDATE SET runs = tally_counts.runs + excluded.runs`,
    );
    return { operations: { count: (status: string) => count.queue(status) } };
  },
  read(connection) {
    const all = connection.prepare('SELECT status, runs FROM tally_counts ORDER BY status');
    return {
      all: (): readonly Tally[] =>
        all.all().map(({ status, runs }) => ({ status: textColumn(status), runs: Number(runs) })),
    };
  },
});
