import {
  mappedRow,
  rowReader,
  textColumn,
  timestamp,
  type Connection,
  type Infer,
  type Row,
  type RowOf,
  type Value,
} from '../../../kernel/index.ts';
import type { Signal } from '../signals/signal.ts';
import { deliveryOf, type deliveryFilters } from './delivery.ts';
import { usageRow } from './usage.ts';

/** Which deliveries are listed, newest first; `after`: id of the last one of the page before. */
export type DeliveryQuery = Infer<typeof deliveryFilters> & {
  readonly after?: string | undefined;
  readonly limit: number;
};

/** A stored body; `reduced`: what must not be stored is gone, so its digest is another one. */
export interface StoredBody {
  readonly form: 'raw' | 'gzip' | 'reduced';
  readonly bytes: Uint8Array;
}

/** What can be read of deliveries. */
export type DeliveryReads = ReturnType<typeof deliveryReading>;

const afterAll = 'dlv_~';

// The whole of what may be asked for; the words of a query never reach the statement.
const conditions = {
  source_id: 'source_id = ?',
  state: 'state = ?',
  reason: 'reason = ?',
  from: 'received_at >= ?',
  to: 'received_at < ?',
} as const;

/** Prepares the reads of deliveries. */
export function deliveryReading(connection: Connection) {
  const delivery = connection.prepare('SELECT * FROM ingestion_deliveries WHERE delivery_id = ?');
  const body = connection.prepare('SELECT form, bytes FROM ingestion_bodies WHERE delivery_id = ?');
  const queued = connection.prepare(
    "SELECT * FROM ingestion_deliveries WHERE source_id = ? AND state = 'queued' ORDER BY delivery_id LIMIT ?",
  );
  const depths = connection.prepare(
    "SELECT source_id, count(*) AS depth FROM ingestion_deliveries WHERE state = 'queued' GROUP BY source_id",
  );
  const oldest = connection.prepare(
    `SELECT min(received_at) AS at FROM ingestion_deliveries WHERE state = 'queued' AND source_id NOT IN
      (SELECT source_id FROM ingestion_sources WHERE deleted_at IS NULL AND record ->> 'paused' = 1)`,
  );
  const usage = connection.prepare(
    'SELECT * FROM ingestion_usage WHERE source_id = ? AND day >= ? AND count > 0 ORDER BY day DESC, count DESC LIMIT 1000',
  );
  const last = connection.prepare(
    'SELECT last_seen_at AS at FROM ingestion_deliveries WHERE source_id = ? ORDER BY delivery_id DESC LIMIT 1',
  );
  return {
    ...signalReading(connection),
    delivery: (id: string) => mappedRow(delivery.get(id), deliveryOf),
    deliveries: listing(connection),
    body: (id: string) => mappedRow(body.get(id), bodyOf),
    /** The first deliveries of a source that wait, in the order of acceptance. */
    queued: (sourceId: string, limit: number) => queued.all(sourceId, limit).map(deliveryOf),
    /** How many deliveries of each source wait. */
    depths: () => depths.all().map((row) => ({ source_id: textColumn(row['source_id']), depth: Number(row['depth']) })),
    /** When the oldest was received that waits, those of paused sources left out: they wait as they were told to. */
    oldest: () => momentOf(oldest.get()),
    usage: (sourceId: string, from: string) =>
      usage.all(sourceId, from).map(rowReader<RowOf<typeof usageRow>>(usageRow)),
    lastDelivery: (sourceId: string) => momentOf(last.get(sourceId)),
  };
}

function signalReading(connection: Connection) {
  const ofDelivery = connection.prepare(
    'SELECT record FROM ingestion_signals WHERE delivery_id = ? AND withdrawn_at IS NULL ORDER BY ordinal LIMIT ?',
  );
  const seen = connection.prepare(
    `SELECT max(last_seen_at) AS at FROM ingestion_deliveries
     WHERE delivery_id IN (SELECT delivery_id FROM ingestion_signals WHERE fingerprint = ? AND withdrawn_at IS NULL)`,
  );
  const evidence = connection.prepare(
    `SELECT d.*, (SELECT form FROM ingestion_bodies b WHERE b.delivery_id = d.delivery_id) AS form
     FROM ingestion_deliveries d WHERE d.delivery_id = ?`,
  );
  return {
    /** Signals of a delivery, without those taken back. */
    signalsOfDelivery: (id: string, limit = -1) => ofDelivery.all(id, limit).map(signalOf),
    /**
     * When the alert's deliveries were last received, duplicates included, RFC 3339: a duplicate without a vendor's id is
     * a refresh (Alertmanager's repeat) and makes no signal.
     */
    lastSeen: (fingerprint: string) => momentOf(seen.get(fingerprint)),
    /** What an incident's evidence shows of a delivery, as long as it is kept; `raw_kept`: retention has not dropped its body. */
    evidence: (id: string) => mappedRow(evidence.get(id), evidenceOf),
  };
}

function signalOf(row: Row): Signal {
  return JSON.parse(textColumn(row['record'])) as Signal;
}

function evidenceOf(row: Row) {
  const { auth_scheme: scheme, secret_version, received_at } = deliveryOf(row);
  const raw_kept = row['form'] === 'raw' || row['form'] === 'gzip';
  return { scheme, received_at, raw_kept, ...(secret_version === undefined ? {} : { secret_version }) };
}

function listing(connection: Connection) {
  const statements = new Map<string, ReturnType<Connection['prepare']>>();
  return ({ after = afterAll, limit, ...wanted }: DeliveryQuery) => {
    const given = Object.entries(wanted) as [keyof typeof conditions, string][];
    const where = given.map(([name]) => `AND ${conditions[name]}`).join(' ');
    const sql = `SELECT * FROM ingestion_deliveries WHERE delivery_id < ? ${where} ORDER BY delivery_id DESC LIMIT ?`;
    const statement = statements.get(sql) ?? connection.prepare(sql);
    statements.set(sql, statement);
    // Stored times have three decimals, and are compared as text.
    const values = given.map(([name, value]): Value =>
      name === 'from' || name === 'to' ? timestamp(Date.parse(value)) : value,
    );
    return statement.all(after, ...values, limit).map(deliveryOf);
  };
}

function momentOf(row: Row | undefined): string | undefined {
  return typeof row?.['at'] === 'string' ? row['at'] : undefined;
}

function bodyOf({ form, bytes }: Row): StoredBody {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('ingestion: a column that must be bytes is not');
  return { form: textColumn(form) as StoredBody['form'], bytes };
}
