import { Frontier } from '../pure/frontier.ts';
import { hashBytes, hashesAt, subtreesOf, tileWidth } from '../pure/tree.ts';
import { nativeSha256, type WriterReads } from './tables.ts';

/** The right edge of a stored log: per level, lowest first, the hashes after its last full tile. */
export type Edge = readonly (readonly Uint8Array[])[];

/** Reads the edge of a log at a size. Throws RangeError when a tile lacks hashes. */
export async function readEdge(reads: Pick<WriterReads, 'tile'>, log: number, size: number): Promise<Edge> {
  const edge: Uint8Array[][] = [];
  for (let level = 0; hashesAt(level, size) > 0; level++) {
    const count = hashesAt(level, size);
    const width = count % tileWidth;
    const tile = { level, n: Math.floor(count / tileWidth), width };
    const bytes = width === 0 ? new Uint8Array() : await reads.tile(log, tile);
    if (bytes.length !== width * hashBytes) throw new RangeError('a tile of the log is truncated');
    edge.push(Array.from({ length: width }, (_, at) => bytes.subarray(at * hashBytes, (at + 1) * hashBytes)));
  }
  return edge;
}

/** Makes the frontier of a tree of a size from the edge of its log. */
export function frontierAt(edge: Edge, size: number): Frontier {
  const subtrees = subtreesOf(({ level }) => Buffer.concat(edge[level] ?? []), size, nativeSha256);
  return Frontier.of(size, subtrees, nativeSha256);
}

/** Computes the root of a stored log at a size; empty, which no signed root is, when a tile lacks hashes. */
export async function edgeRoot(reads: Pick<WriterReads, 'tile'>, log: number, size: number): Promise<Uint8Array> {
  try {
    return frontierAt(await readEdge(reads, log, size), size).root();
  } catch (error) {
    if (error instanceof RangeError) return new Uint8Array();
    throw error;
  }
}
