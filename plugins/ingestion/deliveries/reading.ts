import { mappedRow, textColumn, type Connection, type Row, type Value } from '../../../kernel/index.ts';
import { signalOf, type DeliveryEvidence, type Signal, type SignalReads } from '../signals/signal.ts';
import { deliveryOf, type Delivery, type DeliveryState } from './delivery.ts';

/** Which deliveries are listed, newest first. */
export interface DeliveryQuery {
  readonly source_id?: string;
  readonly state?: DeliveryState;
  readonly reason?: string;
  readonly from?: string;
  readonly to?: string;
  /** Id of the last one of the page before. */
  readonly after?: string;
  readonly limit: number;
}

/** A stored body; `reduced`: what must not be stored is gone, so its digest is another one. */
export interface StoredBody {
  readonly form: 'raw' | 'gzip' | 'reduced';
  readonly bytes: Uint8Array;
}

/** One line of a source's usage. */
export interface UsageRow {
  readonly day: string;
  readonly kind: string;
  readonly name: string;
  readonly verified: boolean;
  readonly count: number;
}

/** What can be read of deliveries. */
export interface DeliveryReads extends SignalReads {
  delivery(id: string): Delivery | undefined;
  deliveries(query: DeliveryQuery): Delivery[];
  body(id: string): StoredBody | undefined;
  /** The first deliveries of a source that wait, in the order of acceptance. */
  queued(sourceId: string, limit: number): Delivery[];
  /** Sources of which deliveries wait. */
  waiting(): string[];
  /** How many deliveries of each source wait. */
  depths(): { readonly source_id: string; readonly depth: number }[];
  /** When the oldest was received that waits, those of paused sources left out: they wait as they were told to. */
  oldest(): string | undefined;
  /** Signals of a delivery, without those taken back. */
  signalsOfDelivery(id: string, limit?: number): Signal[];
  usage(sourceId: string, from: string): UsageRow[];
  lastDelivery(sourceId: string): string | undefined;
}

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
export function deliveryReading(connection: Connection): DeliveryReads {
  const delivery = connection.prepare('SELECT * FROM ingestion_deliveries WHERE delivery_id = ?');
  const body = connection.prepare('SELECT form, bytes FROM ingestion_bodies WHERE delivery_id = ?');
  const queued = connection.prepare(
    "SELECT * FROM ingestion_deliveries WHERE source_id = ? AND state = 'queued' ORDER BY delivery_id LIMIT ?",
  );
  const waiting = connection.prepare("SELECT DISTINCT source_id FROM ingestion_deliveries WHERE state = 'queued'");
  const depths = connection.prepare(
    "SELECT source_id, count(*) AS depth FROM ingestion_deliveries WHERE state = 'queued' GROUP BY source_id",
  );
  const oldest = connection.prepare(
    `SELECT min(received_at) AS oldest FROM ingestion_deliveries WHERE state = 'queued' AND source_id NOT IN
      (SELECT source_id FROM ingestion_sources WHERE deleted_at IS NULL AND record ->> 'paused' = 1)`,
  );
  const ofDelivery = connection.prepare(
    'SELECT record FROM ingestion_signals WHERE delivery_id = ? AND withdrawn_at IS NULL ORDER BY ordinal LIMIT ?',
  );
  const usage = connection.prepare(
    'SELECT * FROM ingestion_usage WHERE source_id = ? AND day >= ? AND count > 0 ORDER BY day DESC, count DESC LIMIT 1000',
  );
  const last = connection.prepare(
    'SELECT last_seen_at AS at FROM ingestion_deliveries WHERE source_id = ? ORDER BY delivery_id DESC LIMIT 1',
  );
  return {
    ...signalReading(connection),
    delivery: (id) => mappedRow(delivery.get(id), deliveryOf),
    deliveries: listing(connection),
    body: (id) => mappedRow(body.get(id), bodyOf),
    queued: (sourceId, limit) => queued.all(sourceId, limit).map(deliveryOf),
    waiting: () => waiting.all().map((row) => textColumn(row['source_id'])),
    depths: () => depths.all().map((row) => ({ source_id: textColumn(row['source_id']), depth: Number(row['depth']) })),
    oldest: () => mappedRow(oldest.get(), (row) => (typeof row['oldest'] === 'string' ? row['oldest'] : undefined)),
    signalsOfDelivery: (id, limit = -1) => ofDelivery.all(id, limit).map(signalOf),
    usage: (sourceId, from) => usage.all(sourceId, from).map(usageRowOf),
    lastDelivery: (sourceId) => mappedRow(last.get(sourceId), ({ at }) => (typeof at === 'string' ? at : undefined)),
  };
}

function signalReading(connection: Connection): SignalReads {
  const ofAlert = connection.prepare(
    `SELECT record FROM ingestion_signals WHERE fingerprint = ? AND withdrawn_at IS NULL
     ORDER BY occurred_at, delivery_key, ordinal`,
  );
  const one = connection.prepare('SELECT record FROM ingestion_signals WHERE signal_id = ?');
  const seen = connection.prepare(
    `SELECT max(last_seen_at) AS at, sum(refreshes) AS refreshes FROM ingestion_deliveries
     WHERE delivery_id IN (SELECT delivery_id FROM ingestion_signals WHERE fingerprint = ? AND withdrawn_at IS NULL)`,
  );
  const evidence = connection.prepare(
    `SELECT d.*, (SELECT form FROM ingestion_bodies b WHERE b.delivery_id = d.delivery_id) AS form
     FROM ingestion_deliveries d WHERE d.delivery_id = ?`,
  );
  return {
    signalsOf: (fingerprint) => ofAlert.all(fingerprint).map(signalOf),
    signal: (id) => mappedRow(one.get(id), signalOf),
    lastSeen(fingerprint) {
      const row = seen.get(fingerprint);
      const at = row?.['at'];
      return typeof at === 'string' ? { at, refresh_count: Number(row?.['refreshes']) } : undefined;
    },
    evidence: (id) => mappedRow(evidence.get(id), evidenceOf),
  };
}

function evidenceOf(row: Row): DeliveryEvidence {
  const { delivery_id, source_id, digest, auth_strength, auth_scheme, secret_version, received_at } = deliveryOf(row);
  const head = { delivery_id, source_id, digest, auth_strength, scheme: auth_scheme, received_at };
  const raw_kept = row['form'] === 'raw' || row['form'] === 'gzip';
  return { ...head, ...(secret_version === undefined ? {} : { secret_version }), raw_kept };
}

function listing(connection: Connection): DeliveryReads['deliveries'] {
  const statements = new Map<string, ReturnType<Connection['prepare']>>();
  return ({ after = afterAll, limit, ...wanted }) => {
    const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
    const where = given.map(([name]) => `AND ${conditions[name as keyof typeof conditions]}`).join(' ');
    const sql = `SELECT * FROM ingestion_deliveries WHERE delivery_id < ? ${where} ORDER BY delivery_id DESC LIMIT ?`;
    const statement = statements.get(sql) ?? connection.prepare(sql);
    statements.set(sql, statement);
    return statement.all(after, ...given.map(([, value]) => value as Value), limit).map(deliveryOf);
  };
}

function bodyOf({ form, bytes }: Row): StoredBody {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('ingestion: a column that must be bytes is not');
  return { form: textColumn(form) as StoredBody['form'], bytes };
}

function usageRowOf({ day, kind, name, verified, count }: Row): UsageRow {
  return {
    day: textColumn(day),
    kind: textColumn(kind),
    name: textColumn(name),
    verified: verified === 1,
    count: Number(count),
  };
}
