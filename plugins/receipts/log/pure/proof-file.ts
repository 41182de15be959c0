import { decodeBase64, encodeBase64 } from '../../format/base64.ts';
import { parseUint64 } from './note.ts';
import { hashBytes } from './tree.ts';

/** A proof that a leaf is in a log: C2SP tlog-proof. */
export interface LogProof {
  readonly index: bigint;
  /** From the leaf's sibling upwards. */
  readonly hashes: readonly Uint8Array[];
  /** The signed note, unchanged. */
  readonly checkpoint: string;
}

const firstLine = 'c2sp.org/tlog-proof@v1';
// A tree of 2^64 leaves has proofs of 64 hashes.
const mostHashes = 64;
const longestFile = 131_072;

/** Writes a `.tlog-proof` file. */
export function formatProof({ index, hashes, checkpoint }: LogProof): string {
  return `${firstLine}\nindex ${index}\n${hashes.map((hash) => `${encodeBase64(hash)}\n`).join('')}\n${checkpoint}`;
}

/** Reads a `.tlog-proof` file; ignores its `extra` line, which is not signed. Undefined when malformed. */
export function parseProof(text: string): LogProof | undefined {
  if (text.length > longestFile) return undefined;
  const cut = text.indexOf('\n\n');
  if (cut < 0) return undefined;
  const [first, ...lines] = text.slice(0, cut).split('\n');
  if (first !== firstLine) return undefined;
  const extra = /^extra (.*)$/.exec(lines[0] ?? '');
  if (extra !== null) {
    if (decodeBase64(extra[1] ?? '') === undefined) return undefined;
    lines.shift();
  }
  const index = parseUint64(/^index (\d+)$/.exec(lines.shift() ?? '')?.[1] ?? '');
  const hashes = lines.flatMap((line) => decodeBase64(line) ?? []);
  if (index === undefined || lines.length > mostHashes || hashes.length !== lines.length) return undefined;
  if (hashes.some(({ length }) => length !== hashBytes)) return undefined;
  return { index, hashes, checkpoint: text.slice(cut + 2) };
}
