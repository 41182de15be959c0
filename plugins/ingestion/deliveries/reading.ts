import {
  queriesOf,
  rowReader,
  textColumn,
  timesBetween,
  type AwaitableReads,
  type Connection,
  type Infer,
  type Row,
  type RowOf,
} from '../../../kernel/index.ts';
import type { Signal } from '../signals/signal.ts';
import { deliveryColumns, deliveryOf, type Delivery, type deliveryFilters } from './delivery.ts';
import type { SourceRecord } from '../sources/settings/schema.ts';
import { usageRow } from './usage.ts';

/** Selects the deliveries to list, newest first; `after`: id of the last delivery of the previous page. */
export type DeliveryQuery = Infer<typeof deliveryFilters> & {
  readonly after?: string | undefined;
  readonly limit: number;
};

/**
 * A stored body; `reduced`: parts that must not be stored were removed, so its digest differs from that of the received
 * body.
 */
export interface StoredBody {
  readonly form: 'raw' | 'gzip' | 'reduced';
  readonly bytes: Uint8Array;
}

/** Reads of deliveries. */
export type DeliveryReads = AwaitableReads<ReturnType<typeof deliveryReading>>;

const select = deliveryColumns.join(', ');
const deliveries = `SELECT ${select} FROM ingestion_deliveries WHERE`;

/** Prepares the reads of deliveries. */
export function deliveryReading(connection: Connection) {
  const { find, list } = queriesOf(connection);
  return {
    ...signalReading(connection),
    delivery: find(`${deliveries} delivery_id = ?`, deliveryOf),
    deliveries: listing(connection),
    body: find('SELECT form, bytes FROM ingestion_bodies WHERE delivery_id = ?', bodyOf),
    queued: list<Delivery, [sourceId: string, limit: number]>(
      `${deliveries} source_id = ? AND state = 'queued' ORDER BY delivery_id LIMIT ?`,
      deliveryOf,
    ),
    depths: list<Depth, []>(
      "SELECT source_id, count(*) AS depth FROM ingestion_deliveries WHERE state = 'queued' GROUP BY source_id",
      rowReader<Depth>({ properties: { source_id: {}, depth: {} } }),
    ),
    /** Finds the newest delivery of a source with a digest. */
    newestWith: find<SameBody, [sourceId: string, digest: string]>(
      `SELECT delivery_id, source_id, delivery_key, state FROM ingestion_deliveries
       WHERE source_id = ? AND digest = ? ORDER BY delivery_id DESC LIMIT 1`,
      rowReader<SameBody>({ properties: { delivery_id: {}, source_id: {}, delivery_key: {}, state: {} } }),
    ),
    oldest: oldestReading(connection),
    usage: list<UsageRow, [sourceId: string, from: string]>(
      'SELECT day, kind, name, verified, count FROM ingestion_usage WHERE source_id = ? AND day >= ? AND count > 0 ORDER BY day DESC, count DESC LIMIT 1000',
      rowReader<UsageRow>(usageRow),
    ),
    activity: activityReading(connection),
  };
}

/** Prepares what a source did last: of its dead letters and waiting deliveries at most 1000 are counted. */
function activityReading(connection: Connection) {
  const { find } = queriesOf(connection);
  const countDead = countWhere(connection, "state = 'dead'");
  const countQueued = countWhere(connection, "state = 'queued'");
  const conflicting = countWhere(connection, 'conflicts > 0');
  const newest = find(`${deliveries} source_id = ? ORDER BY delivery_id DESC LIMIT 1`, deliveryOf);
  const lastDelivery = find(
    'SELECT last_seen_at AS at FROM ingestion_deliveries WHERE source_id = ? ORDER BY delivery_id DESC LIMIT 1',
    momentOf,
  );
  return (id: string) => ({
    last: lastDelivery(id),
    dead: countDead(id),
    queued: countQueued(id),
    conflicts: conflicting(id),
    newest: newest(id),
  });
}

/** Prepares the time of the oldest delivery that waits; those of a paused source wait without limit. */
function oldestReading(connection: Connection): () => string | undefined {
  const { list } = queriesOf(connection);
  const waiting = list<OldestOfSource, []>(
    "SELECT source_id, min(received_at) AS at FROM ingestion_deliveries WHERE state = 'queued' GROUP BY source_id",
    rowReader<OldestOfSource>({ properties: { source_id: {}, at: {} } }),
  );
  // The text selects more than the paused sources when another member has the name.
  const records = list<Pick<SourceRecord, 'source_id' | 'paused'>, []>(
    `SELECT record FROM ingestion_sources WHERE deleted_at IS NULL AND record LIKE '%"paused":true%'`,
    ({ record }) => JSON.parse(textColumn(record)) as SourceRecord,
  );
  return () => {
    const paused = new Set(records().flatMap((source) => (source.paused === true ? [source.source_id] : [])));
    const served = waiting().filter(({ source_id }) => !paused.has(source_id));
    return served.map(({ at }) => at).sort()[0];
  };
}

type OldestOfSource = Readonly<Record<'source_id' | 'at', string>>;

type UsageRow = RowOf<typeof usageRow>;

/** A delivery whose bytes came again. */
export type SameBody = Pick<Delivery, 'delivery_id' | 'source_id' | 'delivery_key' | 'state'>;

/** How many deliveries of a source wait. */
export type Depth = Pick<Delivery, 'source_id'> & { readonly depth: number };

type SignalPlace = Pick<Signal, 'fingerprint' | 'occurred_at'>;

function signalReading(connection: Connection) {
  const { find, list } = queriesOf(connection);
  const ofDelivery = list<Signal, [id: string, limit: number]>(
    'SELECT record FROM ingestion_signals WHERE delivery_id = ? AND withdrawn_at IS NULL ORDER BY ordinal LIMIT ?',
    signalOf,
  );
  const lastSeen = find('SELECT last_seen_at AS at FROM ingestion_deliveries WHERE delivery_id = ?', momentOf);
  const places = list<SignalPlace, [id: string]>(
    'SELECT DISTINCT fingerprint, occurred_at FROM ingestion_signals WHERE delivery_id = ? AND withdrawn_at IS NULL',
    rowReader<SignalPlace>({ properties: { fingerprint: {}, occurred_at: {} } }),
  );
  const ofPlace = list<Signal, [fingerprint: string, occurredAt: string]>(
    `SELECT record FROM ingestion_signals WHERE fingerprint = ? AND occurred_at = ? AND withdrawn_at IS NULL
     ORDER BY delivery_key, ordinal LIMIT 50`,
    signalOf,
  );
  const ofMessage = list<Signal, [fingerprint: string]>(
    `SELECT record FROM ingestion_signals WHERE fingerprint = ? AND withdrawn_at IS NULL ORDER BY occurred_at LIMIT 200`,
    signalOf,
  );
  const evidence = find(
    `SELECT ${deliveryColumns.map((name) => `d.${name}`).join(', ')}, (SELECT form FROM ingestion_bodies b WHERE b.delivery_id = d.delivery_id) AS form
     FROM ingestion_deliveries d WHERE d.delivery_id = ?`,
    evidenceOf,
  );
  return {
    signalsOfDelivery: (id: string, limit = Number.MAX_SAFE_INTEGER) => ofDelivery(id, limit),
    /** Finds when each of some deliveries arrived last; in their order. */
    lastSeen: (ids: readonly string[]): readonly (string | undefined)[] => ids.map((id) => lastSeen(id)),
    /** Lists the alerts and times that deliveries name, with the last arrival of each delivery. */
    namedBy: (ids: readonly string[]) =>
      ids.flatMap((id) => {
        const seen_at = lastSeen(id);
        return seen_at === undefined ? [] : places(id).map((place) => ({ ...place, seen_at }));
      }),
    /** Lists some signals of each of some alerts at a time; in their order. */
    signalsAt: (asked: readonly SignalPlace[]) =>
      asked.map(({ fingerprint, occurred_at }) => ofPlace(fingerprint, occurred_at)),
    /** Lists the reports on messages, at most 200 on each. */
    reportsOf: (fingerprints: readonly string[]) => fingerprints.flatMap((one) => ofMessage(one)),
    evidence,
    /** Finds what is kept of each of some deliveries; in their order. */
    evidenceOfEach: (ids: readonly string[]) => ids.map((id) => evidence(id)),
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
  const table = { select, table: 'ingestion_deliveries', id: 'delivery_id', read: deliveryOf };
  const newest = queriesOf(connection).pages(table);
  return ({ after, limit, source_id, state, reason, from, to }: DeliveryQuery) => {
    const { tried, ...bounds } = timesBetween('dlv', 'received_at', { from, to });
    return newest({
      indexed: [
        { where: 'source_id = ?', values: source_id },
        { where: 'state = ?', values: state },
        { where: "source_id = ? AND state = 'dead'", values: state === 'dead' ? source_id : undefined },
        { where: "source_id = ? AND state = 'queued'", values: state === 'queued' ? source_id : undefined },
      ],
      tried: [...tried, { where: 'reason = ?', values: reason }],
      ...{ ...bounds, before: after, limit },
    });
  };
}

function countWhere(connection: Connection, condition: string): (sourceId: string) => number {
  const first = `SELECT 1 FROM ingestion_deliveries WHERE source_id = ? AND ${condition} LIMIT 1000`;
  const count = connection.prepare(`SELECT count(*) AS n FROM (${first}) AS first`);
  return (sourceId) => Number(count.get(sourceId)?.['n']);
}

function momentOf({ at }: Row): string | undefined {
  return typeof at === 'string' ? at : undefined;
}

function bodyOf({ form, bytes }: Row): StoredBody {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('ingestion: a column that must be bytes is not');
  return { form: textColumn(form) as StoredBody['form'], bytes };
}
