import { defineStore, PlatformError, textColumn, type Row } from 'agent-orb-kit';
import { tiers, type Tier } from 'agent-orb-kit/plugins/ledger';
import { problems } from './problems.ts';

/** An Orb that somebody watches. */
export interface Watch {
  readonly watch_id: string;
  readonly orb_id: string;
  /** The least tier that is expected of it. */
  readonly tier: Tier;
  /** Runs since it is watched. */
  readonly run_count: number;
}

/** Watches by Orb. */
export default defineStore({
  name: 'watches',
  migrations: [
    `CREATE TABLE watches_orbs (
       watch_id TEXT PRIMARY KEY, orb_id TEXT NOT NULL UNIQUE, tier TEXT NOT NULL, run_count INTEGER NOT NULL
     ) STRICT`,
  ],
  write({ connection }) {
    const insert = connection.prepare(
      'INSERT INTO watches_orbs (watch_id, orb_id, tier, run_count) VALUES (?, ?, ?, 0)',
    );
    const count = connection.prepare('UPDATE watches_orbs SET run_count = run_count + 1 WHERE orb_id = ?');
    const remove = connection.prepare('DELETE FROM watches_orbs WHERE orb_id = ?');
    return {
      operations: {
        add({ watch_id, orb_id, tier = tiers[0] }: Partial<Watch> & Pick<Watch, 'watch_id' | 'orb_id'>) {
          insert.queue(watch_id, orb_id, tier);
          return watch_id;
        },
        count: (orb_id: string) => count.queue(orb_id),
        async remove(orb_id: string) {
          if ((await remove.run(orb_id)) === 0)
            throw new PlatformError(problems.watch_not_found, `nobody watches ${orb_id}`);
        },
      },
    };
  },
  read(connection) {
    const all = connection.prepare('SELECT watch_id, orb_id, tier, run_count FROM watches_orbs ORDER BY orb_id');
    return { all: (): readonly Watch[] => all.all().map(watchOf) };
  },
});

function watchOf({ watch_id, orb_id, tier, run_count }: Row): Watch {
  const known = tiers.find((one) => one === tier);
  if (known === undefined) throw new TypeError('the tier is not known');
  return { watch_id: textColumn(watch_id), orb_id: textColumn(orb_id), tier: known, run_count: Number(run_count) };
}
