import { isObject } from './object.ts';
import { decodeBase64, encodeBase64, type Bytes } from './base64.ts';
import { isSame, isSigned, joined, sha256, utf8, type Ed25519 } from './bytes.ts';

/** The key of a log, and the four bytes that name it in a signature line. */
export type LogKey = NonNullable<Awaited<ReturnType<typeof logKey>>>;
/** What a receipt claims of its position in a log, parsed but not verified. */
export type Claim = NonNullable<ReturnType<typeof readClaim>>;

/** Makes the key of a log; undefined if its name is not allowed in a signature line. */
export async function logKey(name: string, publicKey: Bytes) {
  const id = (await sha256(joined(utf8(`${name}\n`), Uint8Array.of(1), publicKey))).slice(0, 4);
  return isKeyName(name) ? { name, publicKey, id } : undefined;
}

function isKeyName(name: string): boolean {
  return name !== '' && !/[\p{White_Space}\p{Cc}+]/u.test(name) && name.isWellFormed();
}

// Parses a signed checkpoint (C2SP); undefined when it is malformed.
function readCheckpoint(note: unknown) {
  if (typeof note !== 'string' || note.length > 65_536 || !note.endsWith('\n') || !note.isWellFormed())
    return undefined;
  // The text may contain blank lines: the signatures follow the last one.
  const cut = note.lastIndexOf('\n\n');
  const lines = note.slice(cut + 2, -1).split('\n');
  const text = note.slice(0, cut + 1);
  const [origin = '', size = '', encoded, ...more] = text.split('\n');
  const [root, read] = [decodeBase64(encoded), lines.flatMap((line) => readLine(line) ?? [])];
  const isPlain = !/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(note);
  if (cut <= 0 || lines.length > 64 || read.length < lines.length || !isPlain) return undefined;
  if (root?.length !== 32 || more.indexOf('') !== more.length - 1 || !isKeyName(origin)) return undefined;
  if (!/^(0|[1-9]\d{0,19})$/.test(size) || BigInt(size) >= 2n ** 64n) return undefined;
  return { origin, size: BigInt(size), root, text, lines: read };
}

function readLine(line: string) {
  const [mark, name = '', encoded, ...more] = line.split(' ');
  const bytes = decodeBase64(encoded);
  const isWhole = mark === '\u2014' && more.length === 0 && isKeyName(name) && bytes !== undefined && bytes.length > 4;
  return isWhole ? { name, id: bytes.slice(0, 4), signature: bytes.slice(4) } : undefined;
}

/** Reads a whole number from 0; undefined for anything else. */
export const natural = (value: unknown): bigint | undefined =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? BigInt(value as number) : undefined;

/** Reads `proof` of a receipt; undefined when it is malformed. */
export function readClaim(proof: unknown) {
  if (!isObject(proof)) return undefined;
  const { hashes: listed, index, leaf, origin, tree_size } = proof;
  const hashes = hashesOf(listed);
  const [checkpoint, entry] = [readCheckpoint(proof['checkpoint']), decodeBase64(leaf)];
  const [at, size] = [natural(index), natural(tree_size)];
  const isWhole = typeof origin === 'string' && checkpoint !== undefined && entry !== undefined;
  if (!isWhole || hashes === undefined || at === undefined || size === undefined) return undefined;
  return { index: at, hashes, checkpoint, leaf: entry, origin, size };
}

/** Says whether an entry of `consistency` is well-formed; nothing asks for what it proves. */
export function isGrowth(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { from, hashes, root } = value;
  return natural(from) !== undefined && decodeBase64(root)?.length === 32 && hashesOf(hashes) !== undefined;
}

// At most 64; undefined when they are malformed.
function hashesOf(listed: unknown): readonly Bytes[] | undefined {
  if (!Array.isArray(listed) || listed.length > 64) return undefined;
  const hashes = listed.flatMap((one) => decodeBase64(one) ?? []);
  return hashes.length === listed.length && hashes.every(({ length }) => length === 32) ? hashes : undefined;
}

// RFC 8410: DER of an Ed25519 public key is this before the 32 bytes.
const spki = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/** Builds the entry of an envelope in the log. */
export async function entryOf(payload: Bytes, signature: Bytes, publicKey: Bytes): Promise<Bytes> {
  const key = encodeBase64(Uint8Array.of(...spki, ...publicKey));
  const [digest, content] = [encodeBase64(await sha256(payload)), encodeBase64(signature)];
  return utf8(
    `{"apiVersion":"0.0.2","kind":"dsse","spec":{"dsseV002":{"payloadHash":{"algorithm":"SHA2_256","digest":"${digest}"},"signatures":[{"content":"${content}","verifier":{"keyDetails":"PKIX_ED25519","publicKey":{"rawBytes":"${key}"}}}]}}}`,
  );
}

/** Verifies an inclusion proof (RFC 9162 §2.1.3.2). */
export async function isIncluded({ index, hashes, checkpoint: { root, size } }: Claim, entry: Bytes): Promise<boolean> {
  let [at, end] = [index, size - 1n];
  if (at > end) return false;
  let hash = await sha256(joined(Uint8Array.of(0), entry));
  for (const sibling of hashes) {
    if (end === 0n) return false;
    const isLeft = at % 2n === 1n || at === end;
    hash = await sha256(joined(Uint8Array.of(1), ...(isLeft ? [sibling, hash] : [hash, sibling])));
    // Up to the level where the node has a left sibling: it is the last of each level between.
    while (isLeft && at % 2n === 0n && at !== 0n) [at, end] = [at >> 1n, end >> 1n];
    [at, end] = [at >> 1n, end >> 1n];
  }
  return end === 0n && isSame(hash, root);
}

/** Lists the known keys that signed; none if a line of one of them does not verify: it is a forgery. */
export async function signersOf(
  { lines, text }: Claim['checkpoint'],
  keys: readonly LogKey[],
  ed25519: Ed25519,
): Promise<readonly LogKey[]> {
  const found: LogKey[] = [];
  for (const { id, name, signature } of lines) {
    const key = keys.find((one) => one.name === name && isSame(one.id, id));
    if (key === undefined || found.includes(key)) continue;
    if (!(await isSigned(key.publicKey, utf8(text), signature, ed25519))) return [];
    found.push(key);
  }
  return found;
}
