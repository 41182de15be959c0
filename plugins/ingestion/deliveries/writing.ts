import {
  whenKnown,
  rowWriter,
  textColumn,
  timestamp,
  type Awaitable,
  type Claim,
  type WriteConnection,
  type WriteContext,
  type WriterScope,
} from '../../../kernel/index.ts';
import type { Signal } from '../signals/signal.ts';
import { reachesIncidents } from '../signals/words.ts';
import { deliverySchema, type Delivery } from './delivery.ts';
import type { StoredBody } from './reading.ts';
import { usagePruning, usageWriting, type UsageCount } from './usage.ts';

/** A delivery as the intake passes it on; without the members that the store itself counts. */
export type Arrived = Omit<
  Delivery,
  keyof typeof untouched | 'conflicting_digest' | 'last_seen_at' | 'reason' | 'normalizer_version' | 'processed_at'
> & {
  /** False when the vendor sends no id: an equal body then also counts as a refresh. */
  readonly stable: boolean;
  readonly body: StoredBody;
};

/** Result of an arrival. */
export interface Accepted {
  readonly delivery_id: string;
  readonly status: 'accepted' | 'duplicate';
  readonly refreshed: boolean;
  /** The first delivery with this id has another body. */
  readonly conflict: boolean;
}

/** One step of the work on a delivery, recorded with its signals. */
export interface Settled {
  readonly delivery_id: string;
  /** Absent: more signals follow in later steps. */
  readonly state?: 'done' | 'ignored' | 'dead';
  readonly reason?: string;
  readonly signals: readonly Signal[];
  /** Ids of earlier signals that are withdrawn. */
  readonly withdrawn: readonly string[];
  /** Number of its signals recorded after this step. */
  readonly progress: number;
  readonly usage: readonly UsageCount[];
  readonly normalizer_version: number;
}

/** Makes the named writes of deliveries. */
export function deliveryWriting(scope: WriterScope) {
  const { connection } = scope;
  const free = connection.prepare(
    "UPDATE ingestion_deliveries SET leased_until = NULL WHERE state = 'queued' AND leased_until IS NOT NULL",
  );
  return {
    accept: accepting(connection),
    lease: leasing(connection),
    settle: settling(scope),
    requeue: requeueing(connection),
    freeLeases: (_: null): Awaitable<number> => free.run(),
    purge: purging(connection),
    pruneUsage: usagePruning(connection),
  };
}

const untouched = {
  duplicates: 0,
  refreshes: 0,
  conflicts: 0,
  state: 'queued',
  attempts: 0,
  progress: 0,
  signals: 0,
  evidence: 0,
};

/** The key of a delivery, with its body: a vendor that sends it again finds the first. */
export const deliveryClaim: Claim = {
  table: 'ingestion_deliveries',
  columns: [...Object.keys(deliverySchema.properties), 'evidence'],
  key: ['source_id', 'delivery_key'],
  holder: 'delivery_id',
  dependents: [{ table: 'ingestion_bodies', columns: ['delivery_id', 'form', 'bytes'] }],
};

function accepting(connection: WriteConnection): (arrived: Arrived, write: WriteContext) => Awaitable<Accepted> {
  const repeat = connection.prepare(
    `UPDATE ingestion_deliveries SET duplicates = duplicates + 1, refreshes = refreshes + ?,
       conflicts = conflicts + CASE WHEN digest <> ? THEN 1 ELSE 0 END,
       conflicting_digest = CASE WHEN digest <> ? THEN coalesce(conflicting_digest, ?) ELSE conflicting_digest END,
       last_seen_at = CASE WHEN ? = 1 AND last_seen_at < ? THEN ? ELSE last_seen_at END
     WHERE source_id = ? AND delivery_key = ? AND delivery_id <> ?`,
  );
  const used = connection.prepare(
    'UPDATE ingestion_secrets SET last_used_at = ? WHERE source_id = ? AND version = ? AND coalesce(last_used_at, ?) < ?',
  );
  return (one, write) => {
    const { delivery_id, source_id, delivery_key, digest, received_at } = one;
    const found = write.claim(deliveryClaim, {
      row: { ...one, ...untouched, last_seen_at: received_at },
      dependents: [{ delivery_id, ...one.body }],
    });
    if (one.secret_version !== undefined) used.queue(received_at, source_id, one.secret_version, '', received_at);
    const refresh = one.stable ? 0 : 1;
    const digests = [digest, digest, digest];
    repeat.queue(refresh, ...digests, refresh, received_at, received_at, source_id, delivery_key, delivery_id);
    return whenKnown(found, (first) => {
      if (first === undefined) return { delivery_id, status: 'accepted', refreshed: false, conflict: false };
      const conflict = first['digest'] !== digest;
      return { delivery_id: textColumn(first['delivery_id']), status: 'duplicate', refreshed: !one.stable, conflict };
    });
  };
}

/** Counts a try before it is made, so a delivery that crashes the process still counts as tried. */
function leasing(connection: WriteConnection) {
  const lease = connection.prepare(
    "UPDATE ingestion_deliveries SET attempts = attempts + 1, leased_until = ? WHERE delivery_id = ? AND state = 'queued'",
  );
  return ({ delivery_ids, until }: { readonly delivery_ids: readonly string[]; readonly until: string }): void => {
    for (const id of delivery_ids) lease.queue(until, id);
  };
}

const signalColumns = [
  ...(['signal_id', 'delivery_id', 'source_id', 'fingerprint', 'type', 'occurred_at', 'delivery_key'] as const),
  ...(['ordinal', 'record'] as const),
];

function settling({ connection, now }: WriterScope): (settled: Settled) => Promise<void> {
  const insert = rowWriter(connection, 'ingestion_signals', signalColumns);
  const withdraw = connection.prepare(
    'UPDATE ingestion_signals SET withdrawn_at = ? WHERE signal_id = ? AND withdrawn_at IS NULL',
  );
  const go = connection.prepare(
    `UPDATE ingestion_deliveries SET progress = ?, signals = signals + ?,
       evidence = CASE WHEN ? = 1 THEN 1 ELSE evidence END,
       normalizer_version = ?, attempts = CASE WHEN ? > 0 THEN 1 ELSE attempts END WHERE delivery_id = ?`,
  );
  const finish = connection.prepare(
    `UPDATE ingestion_deliveries SET state = ?, reason = ?, leased_until = NULL, progress = 0, processed_at = ?
     WHERE delivery_id = ?`,
  );
  const count = usageWriting(connection);
  return async (settled) => {
    const { delivery_id, signals, withdrawn, progress, usage, normalizer_version } = settled;
    const at = timestamp(now());
    let gone = 0;
    for (const id of withdrawn) gone += await withdraw.run(at, id);
    for (const signal of signals) insert({ ...signal, record: signal });
    const evidence = signals.some(({ type }) => reachesIncidents(type)) ? 1 : 0;
    go.queue(progress, signals.length - gone, evidence, normalizer_version, signals.length, delivery_id);
    if (settled.state !== undefined) finish.queue(settled.state, settled.reason ?? null, at, delivery_id);
    await count(usage);
  };
}

function requeueing(connection: WriteConnection) {
  const requeue = connection.prepare(
    `UPDATE ingestion_deliveries SET state = 'queued', reason = NULL, attempts = 0, leased_until = NULL, progress = 0
     WHERE delivery_id = ? AND state <> 'queued'
       AND EXISTS (SELECT 1 FROM ingestion_bodies b WHERE b.delivery_id = ingestion_deliveries.delivery_id)`,
  );
  return async ({ delivery_ids }: { readonly delivery_ids: readonly string[] }): Promise<number> => {
    let requeued = 0;
    for (const id of delivery_ids) requeued += await requeue.run(id);
    return requeued;
  };
}

/**
 * Selects deliveries whose time is over. `evidence` is 0 when nothing depends on a delivery, 1 when incidents may, and 2
 * when they may and its body is gone. The condition is that of the index `ingestion_deliveries_due`, word for word:
 * deliveries that wait or have lost their bodies are not visited.
 */
export const dueDeliveries = `SELECT delivery_id, evidence FROM ingestion_deliveries
  WHERE keep_until < ? AND evidence < 2 AND state <> 'queued' ORDER BY keep_until LIMIT 200`;

/** Deletes bodies that are due, and their deliveries unless incidents may depend on them; a limited number per call. */
function purging(connection: WriteConnection) {
  const due = connection.prepare(dueDeliveries);
  const dropBody = connection.prepare('DELETE FROM ingestion_bodies WHERE delivery_id = ?');
  const bodyGone = connection.prepare('UPDATE ingestion_deliveries SET evidence = 2 WHERE delivery_id = ?');
  const dropSignals = connection.prepare('DELETE FROM ingestion_signals WHERE delivery_id = ?');
  const drop = connection.prepare('DELETE FROM ingestion_deliveries WHERE delivery_id = ?');
  return async ({ now }: { readonly now: string }): Promise<number> => {
    const rows = await due.all(now);
    for (const row of rows) {
      const id = String(row['delivery_id']);
      dropBody.queue(id);
      if (row['evidence'] === 1) bodyGone.queue(id);
      else {
        dropSignals.queue(id);
        drop.queue(id);
      }
    }
    return rows.length;
  };
}
