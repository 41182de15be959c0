import type { LogRow } from '../log/stored/tables.ts';
import type { ReceiptFilter } from '../log/rows/filter.ts';
import { exportFormat } from '../verifier/archive/exported.ts';

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
