import type { Tile } from '../log/pure/tile.ts';

/** Where a log is read from: the store, a folder, or an address. Undefined: it has no such thing. */
export interface LogSource {
  /** The newest checkpoint, as it is. */
  checkpoint(): Promise<string | undefined>;
  /** The entries from `n`·256 on, `width` of them. */
  bundle(n: number, width: number): Promise<readonly Uint8Array[] | undefined>;
  /** The hashes of a tile, concatenated. */
  tile(tile: Tile): Promise<Uint8Array | undefined>;
}
