import type { Tile } from '../log/pure/tree.ts';

/** A source of a log: the store, a folder, or an address. Undefined: the source does not have the item. */
export interface LogSource {
  /** The newest checkpoint, unchanged. */
  checkpoint(): Promise<string | undefined>;
  /** The `width` entries from `n`·256 on. */
  bundle(n: number, width: number): Promise<readonly Uint8Array[] | undefined>;
  /** The hashes of a tile, concatenated. */
  tile(tile: Tile): Promise<Uint8Array | undefined>;
}
