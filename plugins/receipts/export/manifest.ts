import type { LogRow } from '../log/stored/tables.ts';
import type { ReceiptFilter } from '../log/rows/filter.ts';
import type { StoredReceipt } from '../log/rows/stored-receipt.ts';

/** Name of the manifest file, at the top of an export. */
export const manifestFile = 'export.json';
/** Name of the format; other formats are not read. */
export const exportFormat = 'agent-orb-export/1';

/** The manifest of an export. It is not signed: it defines what to check, and proves nothing. */
export interface Manifest {
  readonly format: typeof exportFormat;
  readonly installation: string;
  /** RFC 3339 UTC. */
  readonly exported_at: string;
  /** The filter that selected the receipts. */
  readonly filter: ReceiptFilter;
  /** It contains every receipt of its logs, so a missing receipt is a failure. */
  readonly complete: boolean;
  /** The receipts of each Orbiset are consecutive from the first, so a gap is a failure. */
  readonly unbroken: boolean;
  /** The tiles and entries of the logs are included. */
  readonly tiles: boolean;
  readonly logs: readonly { readonly shard: string; readonly origin: string; readonly size: number }[];
}

/** An exported log, at the size of its newest checkpoint. */
export interface ExportedLog extends Pick<LogRow, 'log' | 'shard' | 'origin' | 'size'> {
  readonly note: string;
}

/** Builds the manifest of an export. */
export function manifestOf(
  { at, ...scope }: Pick<Manifest, 'installation' | 'filter' | 'tiles'> & { readonly at: string },
  logs: readonly ExportedLog[],
): Manifest {
  const { filter, installation, tiles } = scope;
  const asked = Object.keys(filter);
  return {
    ...{ format: exportFormat, installation, exported_at: at, filter },
    complete: asked.length === 0,
    // An Orbiset belongs to one tenant; every other filter leaves gaps in its chain.
    unbroken: asked.every((name) => name === 'tenant' || name === 'orbiset_id'),
    tiles,
    logs: logs.map(({ origin, shard, size }) => ({ shard, origin, size })),
  };
}

/** Names the file of a receipt: `receipts/<shard>/<thousand>/<index>-<receipt_id>.json`, in the order of the log. */
export function receiptPath(shard: string, { idx, receipt_id: id }: Pick<StoredReceipt, 'idx' | 'receipt_id'>): string {
  const thousand = String(Math.floor(idx / 1000)).padStart(9, '0');
  return `receipts/${shard}/${thousand}/${String(idx).padStart(12, '0')}-${id}.json`;
}
