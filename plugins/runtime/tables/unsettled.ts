import { queriesOf, rowWriter, type Connection, type WriteConnection } from '../../../kernel/index.ts';
import { asIs } from '../../../kernel/runner.ts';
import type { RunRow } from '../facts/facts.ts';
import { providerKey } from '../facts/provider-key.ts';

/** The table of the keys by which delivery reports find runs whose outcome is unknown; a resolved run leaves it. */
export const unsettledTable = `CREATE TABLE runtime_unsettled (
     key TEXT PRIMARY KEY, run_id TEXT NOT NULL
   ) WITHOUT ROWID;`;

type Silent = Pick<RunRow, 'run_id' | 'silent'>;

/** Lists the calls of a run that have no answer, by the keys that the providers were handed. */
export function silentCalls({ run_id, silent }: Silent): { readonly provider: string; readonly key: string }[] {
  const names = JSON.parse(silent ?? '[]') as readonly string[];
  return names.map((provider) => ({ provider, key: providerKey(run_id, provider) }));
}

/** Prepares the writes of the keys; each is a part of the operation that stores or resolves the run. */
export function unsettledWrites(connection: WriteConnection) {
  const insert = rowWriter(connection, 'runtime_unsettled', ['key', 'run_id']);
  const drop = connection.prepare('DELETE FROM runtime_unsettled WHERE key = ?');
  return {
    insert(run: Silent): void {
      for (const { key } of silentCalls(run)) insert({ key, run_id: run.run_id });
    },
    drop(run: Silent): void {
      for (const { key } of silentCalls(run)) drop.queue(key);
    },
  };
}

/** Prepares the read that finds a run by the key of a call without an answer. */
export function unsettledReads(connection: Connection) {
  const { find } = queriesOf(connection);
  return {
    findUnsettled: find<{ readonly run_id: string }>('SELECT run_id FROM runtime_unsettled WHERE key = ?', asIs),
  };
}
