import { textColumn, type Row, type Value } from '../../../kernel/index.ts';
import type { AuthStrength, VendorName } from '../signals/signal.ts';

/** Where a delivery is: waiting, turned into signals, of no use, or stuck until somebody looks. */
export type DeliveryState = 'queued' | 'done' | 'ignored' | 'dead';

/** One row of the ledger of deliveries. */
export interface Delivery {
  readonly delivery_id: string;
  readonly source_id: string;
  readonly vendor: VendorName;
  readonly delivery_key: string;
  readonly received_at: string;
  readonly last_seen_at: string;
  readonly duplicates: number;
  readonly refreshes: number;
  readonly method: 'POST' | 'PUT' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Bytes of the body as received. */
  readonly size: number;
  /** `sha256:<hex>` of the body as received. */
  readonly digest: string;
  readonly auth_strength: AuthStrength;
  readonly auth_scheme: string;
  readonly secret_version?: number;
  readonly clock_skew_ms?: number;
  readonly test: boolean;
  readonly state: DeliveryState;
  readonly reason?: string;
  readonly attempts: number;
  /** How many signals of an unfinished delivery are recorded already. */
  readonly progress: number;
  readonly signals: number;
  readonly normalizer_version?: number;
  readonly processed_at?: string;
  readonly keep_until: string;
}

/** Reads a row of ingestion_deliveries. */
export function deliveryOf(row: Row): Delivery {
  return {
    delivery_id: textColumn(row['delivery_id']),
    source_id: textColumn(row['source_id']),
    // Written by this store alone, from values of these types.
    vendor: textColumn(row['vendor']) as VendorName,
    delivery_key: textColumn(row['delivery_key']),
    received_at: textColumn(row['received_at']),
    last_seen_at: textColumn(row['last_seen_at']),
    duplicates: Number(row['duplicates']),
    refreshes: Number(row['refreshes']),
    method: textColumn(row['method']) as Delivery['method'],
    headers: JSON.parse(textColumn(row['headers'])) as Record<string, string>,
    query: JSON.parse(textColumn(row['query'])) as Record<string, string>,
    size: Number(row['size']),
    digest: textColumn(row['digest']),
    auth_strength: textColumn(row['auth_strength']) as AuthStrength,
    auth_scheme: textColumn(row['auth_scheme']),
    ...optional('secret_version', row['secret_version'], Number),
    ...optional('clock_skew_ms', row['clock_skew_ms'], Number),
    test: row['test'] === 1,
    state: textColumn(row['state']) as DeliveryState,
    ...optional('reason', row['reason'], String),
    attempts: Number(row['attempts']),
    progress: Number(row['progress']),
    signals: Number(row['signals']),
    ...optional('normalizer_version', row['normalizer_version'], Number),
    ...optional('processed_at', row['processed_at'], String),
    keep_until: textColumn(row['keep_until']),
  };
}

function optional<N extends string, T>(
  name: N,
  value: Value | undefined,
  read: (value: Value) => T,
): { readonly [K in N]?: T } {
  return value === null || value === undefined ? {} : ({ [name]: read(value) } as { readonly [K in N]?: T });
}
