import { hashesAt, tileWidth, type Tile } from '../../../../plugins/receipts/log/pure/tree.ts';

/** Lists the partial tiles at the right edge of a tree of a size, from level 0 up. */
export function partialTiles(size: number): Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0; hashesAt(level, size) > 0; level++) {
    const hashes = hashesAt(level, size);
    const width = hashes % tileWidth;
    if (width > 0) tiles.push({ level, n: Math.floor(hashes / tileWidth), width });
  }
  return tiles;
}
