import { isRecord, parseStrict } from '../../format/strict-json.ts';

/** Name of the manifest file, at the top of an export. */
export const manifestFile = 'export.json';
/** Name of the format; other formats are not read. */
export const exportFormat = 'agent-orb-export/1';
/** The form of the name of a shard. */
export const shardName = /^\d{1,15}(-[0-9a-f]{8})?$/;

/** The parts of an export's manifest that are read; they define the checks to make. */
export interface ReadManifest {
  /** It contains every receipt of its logs, so a missing receipt is a failure. */
  readonly complete: boolean;
  /** The receipts of each Orbiset are consecutive from the first, so a gap is a failure. */
  readonly unbroken: boolean;
  /** The tiles and entries of the logs are included. */
  readonly tiles: boolean;
  /** Shards of its logs. */
  readonly shards: readonly string[];
  /** Names of its logs. */
  readonly origins: readonly string[];
}

/** Reads the text of a manifest. Throws when it is malformed. */
export function parseManifest(text: string): ReadManifest {
  const value = parseStrict(text);
  if (!isRecord(value) || value['format'] !== exportFormat || !Array.isArray(value['logs']))
    throw new Error(`${manifestFile} is not of the format ${exportFormat}`);
  const shards = value['logs'].flatMap((log: unknown) => {
    const shard = isRecord(log) ? log['shard'] : undefined;
    return typeof shard === 'string' && shardName.test(shard) ? [shard] : [];
  });
  if (new Set(shards).size !== shards.length) throw new Error(`${manifestFile} lists a shard twice`);
  if (shards.length !== value['logs'].length) throw new Error(`${manifestFile} contains an invalid log name`);
  const { complete, tiles, unbroken } = value;
  const origins = value['logs'].map((log: unknown) => String(isRecord(log) ? log['origin'] : ''));
  return { complete: complete === true, unbroken: unbroken === true, tiles: tiles === true, shards, origins };
}

/** One file that should be a receipt. */
export interface ReceiptFile {
  /** Path relative to the folder. */
  readonly path: string;
  readonly text: string;
}

/** Names the file of a receipt: `receipts/<shard>/<thousand>/<index>-<receipt_id>.json`, in the order of the log. */
export function receiptPath(
  shard: string,
  { idx, receipt_id: id }: { readonly idx: number; readonly receipt_id: string },
): string {
  const thousand = String(Math.floor(idx / 1000)).padStart(9, '0');
  return `receipts/${shard}/${thousand}/${String(idx).padStart(12, '0')}-${id}.json`;
}
