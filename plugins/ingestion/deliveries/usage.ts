import { exactly, type Answered, type WriteConnection } from '../../../kernel/index.ts';
import type { Signal } from '../signals/signal.ts';

/** Schema of one line of a source's usage: a row of the table as answers show it. */
export const usageRow = exactly({
  day: { type: 'string', description: '`YYYY-MM-DD`, UTC' },
  kind: { type: 'string', description: 'Kind of event' },
  name: { type: 'string', description: 'Name of the event' },
  verified: { type: 'boolean', description: 'False: no signature covers these events' },
  count: { type: 'integer', description: 'Number of events' },
});

/**
 * Number of analytics events of one kind that a source sent on one day; `by` is negative when signals are withdrawn.
 */
export type UsageCount = Omit<Answered<typeof usageRow>, 'count'> & { readonly source_id: string; readonly by: number };

/** Most names per source and day; further names are counted together. */
const mostNames = 200;

// The name for all further names.
const otherName = '(other)';

/** Counts the analytics signals; `sign` −1 subtracts them. */
export function usageOf(signals: readonly Signal[], sign: 1 | -1 = 1): readonly UsageCount[] {
  const counts = new Map<string, UsageCount>();
  for (const { type, source_id, occurred_at, vendor_type, title, auth_strength } of signals) {
    if (type !== 'orb.signal.analytics') continue;
    const one = {
      source_id,
      day: occurred_at.slice(0, 10),
      kind: vendor_type,
      name: title,
      verified: auth_strength === 'strong' || auth_strength === 'shared_secret',
    };
    const key = JSON.stringify(one);
    counts.set(key, { ...one, by: (counts.get(key)?.by ?? 0) + sign });
  }
  return [...counts.values()];
}

/** Makes the write that deletes counts of days before one; at most `most` rows per call, and returns how many. */
export function usagePruning(connection: WriteConnection) {
  // By source, so that only rows that go are visited: the key begins with it. Sources are never deleted from the table.
  const prune = connection.prepare(
    `DELETE FROM ingestion_usage WHERE (source_id, day, kind, name, verified) IN (
       SELECT u.source_id, u.day, u.kind, u.name, u.verified
       FROM ingestion_sources s CROSS JOIN ingestion_usage u WHERE u.source_id = s.source_id AND u.day < ? LIMIT ?)`,
  );
  return ({ before, most }: { readonly before: string; readonly most: number }) => prune.run(before, most);
}

/** Makes the write that adds counts. */
export function usageWriting(connection: WriteConnection): (counts: readonly UsageCount[]) => Promise<void> {
  const add = connection.prepare(
    `INSERT INTO ingestion_usage (source_id, day, kind, name, verified, count) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (source_id, day, kind, name, verified) DO UPDATE SET count = ingestion_usage.count + excluded.count`,
  );
  const known = connection.prepare(
    'SELECT 1 FROM ingestion_usage WHERE source_id = ? AND day = ? AND kind = ? AND name = ? AND verified = ?',
  );
  const names = connection.prepare(
    'SELECT count(*) AS n FROM (SELECT 1 FROM ingestion_usage WHERE source_id = ? AND day = ? LIMIT ?) AS first',
  );
  return async (counts) => {
    for (const { source_id, day, kind, name, verified, by } of counts) {
      const flag = verified ? 1 : 0;
      const full =
        (await known.get(source_id, day, kind, name, flag)) === undefined &&
        Number((await names.get(source_id, day, mostNames))?.['n']) >= mostNames;
      add.queue(source_id, day, full ? otherName : kind, full ? otherName : name, flag, by);
    }
  };
}
