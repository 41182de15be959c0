import type { Row, Value } from '../../../kernel/index.ts';
import { text } from '../column.ts';
import type { AuthStrength, VendorName } from '../signal.ts';

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
    delivery_id: text(row['delivery_id']),
    source_id: text(row['source_id']),
    // Written by this store alone, from values of these types.
    vendor: text(row['vendor']) as VendorName,
    delivery_key: text(row['delivery_key']),
    received_at: text(row['received_at']),
    last_seen_at: text(row['last_seen_at']),
    duplicates: Number(row['duplicates']),
    refreshes: Number(row['refreshes']),
    method: text(row['method']) as Delivery['method'],
    headers: JSON.parse(text(row['headers'])) as Record<string, string>,
    query: JSON.parse(text(row['query'])) as Record<string, string>,
    size: Number(row['size']),
    digest: text(row['digest']),
    auth_strength: text(row['auth_strength']) as AuthStrength,
    auth_scheme: text(row['auth_scheme']),
    ...optional('secret_version', row['secret_version'], Number),
    ...optional('clock_skew_ms', row['clock_skew_ms'], Number),
    test: row['test'] === 1,
    state: text(row['state']) as DeliveryState,
    ...optional('reason', row['reason'], String),
    attempts: Number(row['attempts']),
    progress: Number(row['progress']),
    signals: Number(row['signals']),
    ...optional('normalizer_version', row['normalizer_version'], Number),
    ...optional('processed_at', row['processed_at'], String),
    keep_until: text(row['keep_until']),
  };
}

function optional<N extends string, T>(
  name: N,
  value: Value | undefined,
  read: (value: Value) => T,
): { readonly [K in N]?: T } {
  return value === null || value === undefined ? {} : ({ [name]: read(value) } as { readonly [K in N]?: T });
}
