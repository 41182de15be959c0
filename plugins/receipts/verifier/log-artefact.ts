import { decodeBase64 } from '../format/base64.ts';
import { parseUint64, readCheckpoint, type Checkpoint, type Note } from '../log/pure/note.ts';
import { equalBytes, hashBytes } from '../log/pure/tree.ts';
import { parseProof } from '../log/pure/proof-file.ts';
import { isRecord } from '../format/strict-json.ts';

/** What an artefact claims of its position in a log, parsed but not verified. */
export interface LogClaim {
  readonly index: bigint;
  readonly hashes: readonly Uint8Array[];
  readonly note: Note;
  readonly checkpoint: Checkpoint;
  /** The entry, when the artefact contains it. */
  readonly leaf?: Uint8Array;
  /** Values that the artefact repeats next to the checkpoint; they must agree. */
  readonly origin?: string;
  readonly size?: bigint;
  readonly root?: Uint8Array;
}

/** The unverified claim that the artefact's tree extends a smaller tree. */
export interface Growth {
  readonly from: bigint;
  /** Root of the smaller tree. */
  readonly root: Uint8Array;
  /** RFC 6962 consistency proof from it to the tree that the artefact shows. */
  readonly hashes: readonly Uint8Array[];
}

const mostHashes = 64;
const mostGrowths = 64;

/** Reads `consistency`, which `orb receipts get` saves next to a receipt. Undefined when it is malformed. */
export function growthOf(list: unknown): readonly Growth[] | undefined {
  if (!Array.isArray(list) || list.length > mostGrowths) return undefined;
  const growths = list.flatMap((entry: unknown): Growth[] => {
    if (!isRecord(entry)) return [];
    const [from, root, hashes] = [natural(entry['from']), bytes(entry['root']), hashesOf(entry['hashes'])];
    return from === undefined || root?.length !== hashBytes || hashes === undefined ? [] : [{ from, root, hashes }];
  });
  return growths.length === list.length ? growths : undefined;
}

/** Reads `proof` of a receipt as the API answers it. Undefined when it is malformed. */
export function nativeClaim(proof: unknown): LogClaim | undefined {
  if (!isRecord(proof) || typeof proof['origin'] !== 'string' || typeof proof['checkpoint'] !== 'string')
    return undefined;
  const index = natural(proof['index']);
  const size = natural(proof['tree_size']);
  const leaf = bytes(proof['leaf']);
  const claim = claimOf(index, hashesOf(proof['hashes']), proof['checkpoint']);
  if (claim === undefined || size === undefined || leaf === undefined) return undefined;
  return { ...claim, origin: proof['origin'], size, leaf };
}

/** Reads a `.tlog-proof` file. Undefined when it is malformed. */
export function fileClaim(text: string): LogClaim | undefined {
  const proof = parseProof(text);
  return proof === undefined ? undefined : claimOf(proof.index, proof.hashes, proof.checkpoint);
}

/** Reads the one log entry in a Sigstore bundle. Undefined when it is malformed or there is not exactly one. */
export function bundleClaim(bundle: Readonly<Record<string, unknown>>): LogClaim | undefined {
  const material = bundle['verificationMaterial'];
  const entries = isRecord(material) ? material['tlogEntries'] : undefined;
  const entry: unknown = Array.isArray(entries) && entries.length === 1 ? entries[0] : undefined;
  const inclusion = isRecord(entry) ? entry['inclusionProof'] : undefined;
  if (!isRecord(entry) || !isRecord(inclusion) || !isRecord(inclusion['checkpoint'])) return undefined;
  const { envelope } = inclusion['checkpoint'];
  const index = decimal(inclusion['logIndex']);
  const size = decimal(inclusion['treeSize']);
  const [leaf, root] = [bytes(entry['canonicalizedBody']), bytes(inclusion['rootHash'])];
  const claim = claimOf(index, hashesOf(inclusion['hashes']), envelope);
  if (claim === undefined || size === undefined || leaf === undefined || root === undefined) return undefined;
  return decimal(entry['logIndex']) === index ? { ...claim, size, leaf, root } : undefined;
}

function claimOf(index?: bigint, hashes?: readonly Uint8Array[], text?: unknown): LogClaim | undefined {
  const read = typeof text === 'string' ? readCheckpoint(text) : undefined;
  return index === undefined || hashes === undefined || read === undefined ? undefined : { index, hashes, ...read };
}

/** Says whether the values next to the checkpoint agree with it. */
export function agrees({ checkpoint, origin, root, size }: LogClaim): boolean {
  return (
    (origin === undefined || origin === checkpoint.origin) &&
    (size === undefined || size === checkpoint.size) &&
    (root === undefined || equalBytes(root, checkpoint.root))
  );
}

function hashesOf(list: unknown): readonly Uint8Array[] | undefined {
  if (!Array.isArray(list) || list.length > mostHashes) return undefined;
  const hashes = list.flatMap((text) => bytes(text) ?? []);
  return hashes.length === list.length && hashes.every(({ length }) => length === hashBytes) ? hashes : undefined;
}

function bytes(text: unknown): Uint8Array | undefined {
  return typeof text === 'string' ? decodeBase64(text) : undefined;
}

function natural(value: unknown): bigint | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? BigInt(value as number) : undefined;
}

function decimal(value: unknown): bigint | undefined {
  return typeof value === 'string' ? parseUint64(value) : undefined;
}
