import { decodeBase64, encodeBase64 } from '../../format/base64.ts';
import type { VerifySignature } from '../../format/portable-ed25519.ts';
import { equalBytes, portableSha256, hashBytes } from './tree.ts';

// C2SP signed-note.

/** One signature line. */
export interface NoteSignature {
  readonly name: string;
  /** Four bytes. */
  readonly keyId: Uint8Array;
  /** The bytes after the key id. */
  readonly signature: Uint8Array;
}

/** A parsed signed note. `text` is the signed part; it ends in a newline. */
export interface Note {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const longestNote = 65_536;
const mostSignatures = 64;
const dash = '\u2014';

/** Writes one signature line. */
export function signatureLine({ name, id }: Pick<NoteKey, 'name' | 'id'>, signature: Uint8Array): string {
  return `${dash} ${name} ${encodeBase64(Uint8Array.of(...id, ...signature))}\n`;
}

/** Builds a note from a text, which ends in a newline, and its signature lines. */
export function noteOf(text: string, lines: readonly string[]): string {
  return `${text}\n${lines.join('')}`;
}

/** Parses a note without verifying it; undefined when it is malformed. */
export function parseNote(note: string): Note | undefined {
  if (note.length > longestNote || !note.endsWith('\n') || !note.isWellFormed()) return undefined;
  if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(note)) return undefined;
  // Cut at the last blank line: the text may contain blank lines.
  const cut = note.lastIndexOf('\n\n');
  if (cut <= 0) return undefined;
  const lines = note.slice(cut + 2, -1).split('\n');
  if (lines.length > mostSignatures) return undefined;
  const signatures = lines.flatMap((line) => parseLine(line) ?? []);
  return signatures.length === lines.length ? { text: note.slice(0, cut + 1), signatures } : undefined;
}

function parseLine(line: string): NoteSignature | undefined {
  const [mark, name = '', encoded = '', ...more] = line.split(' ');
  const bytes = decodeBase64(encoded);
  if (mark !== dash || more.length > 0 || !isKeyName(name) || bytes === undefined || bytes.length < 5) return undefined;
  return { name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) };
}

/** The result of checking a note: the keys that signed it, or the known key with a line that does not verify. */
export type Opened = { readonly by: readonly NoteKey[] } | { readonly forged: NoteKey };

/** Checks the lines of known keys and ignores those of unknown keys. A failing line of a known key is a forgery. */
export function openNote({ text, signatures }: Note, keys: readonly NoteKey[], verify: VerifySignature): Opened {
  const by: NoteKey[] = [];
  for (const { name, keyId, signature } of signatures) {
    const key = keys.find((known) => known.name === name && equalBytes(known.id, keyId));
    if (key === undefined || by.includes(key)) continue;
    if (!verifyLine(key, text, signature, verify)) return { forged: key };
    by.push(key);
  }
  return { by };
}

/** Says whether one of these keys signed a note and none of their lines is a forgery. */
export function isSignedBy(note: Note, keys: readonly NoteKey[], verify: VerifySignature): boolean {
  const opened = openNote(note, keys, verify);
  return 'by' in opened && opened.by.length > 0;
}

function verifyLine(key: NoteKey, text: string, signature: Uint8Array, verify: VerifySignature): boolean {
  if (key.type === 'ed25519') return verify(key.publicKey, new TextEncoder().encode(text), signature);
  const time = cosignatureTime(signature);
  return time !== undefined && verify(key.publicKey, cosigned(text, time), signature.subarray(8));
}

/** Reads the time (seconds since the Unix epoch) of a witness's signature; undefined when it has another length. */
export function cosignatureTime(signature: Uint8Array): bigint | undefined {
  if (signature.length !== 72) return undefined;
  return new DataView(signature.buffer, signature.byteOffset, 8).getBigUint64(0);
}

/** Builds the bytes that a witness signs: the time and the whole text of the checkpoint (C2SP tlog-cosignature v1). */
export function cosigned(text: string, time: bigint): Uint8Array {
  return new TextEncoder().encode(`cosignature/v1\ntime ${time}\n${text}`);
}

/** What a key of a signed note signs: the note itself or, for a witness, the note with a time. */
export type NoteKeyType = 'ed25519' | 'cosignature';

const typeBytes: Readonly<Record<NoteKeyType, number>> = { ed25519: 0x01, cosignature: 0x04 };

/** A key that verifies signed notes. */
export interface NoteKey {
  readonly name: string;
  readonly type: NoteKeyType;
  /** 32 bytes, Ed25519. */
  readonly publicKey: Uint8Array;
  /** Four bytes that identify the key in a signature line. */
  readonly id: Uint8Array;
}

/** Makes a key from a name and a public key (32 bytes). Throws when the name is not allowed in a signature line. */
export function noteKey(name: string, publicKey: Uint8Array, type: NoteKeyType = 'ed25519'): NoteKey {
  if (!isKeyName(name))
    throw new TypeError('the name of a note key must not be empty, and must not contain a space or a +');
  return { name, type, publicKey, id: keyDigest(name, publicKey, type).subarray(0, 4) };
}

/** Computes the whole digest of a key, whose first four bytes are its id: SHA-256(name ‖ LF ‖ type ‖ public key). */
export function keyDigest(name: string, publicKey: Uint8Array, type: NoteKeyType = 'ed25519'): Uint8Array {
  const head = new TextEncoder().encode(`${name}\n`);
  const data = new Uint8Array(head.length + 1 + publicKey.length);
  data.set(head);
  data[head.length] = typeBytes[type];
  data.set(publicKey, head.length + 1);
  return portableSha256(data);
}

/** Says whether a name is allowed in a signature line. */
export function isKeyName(name: string): boolean {
  return name !== '' && !/[\p{White_Space}\p{Cc}+]/u.test(name) && name.isWellFormed();
}

/** Writes a key as a vkey: `name+hex of the id+base64 of type and public key`. */
export function formatVkey({ name, type, publicKey, id }: NoteKey): string {
  const hex = Array.from(id, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${name}+${hex}+${encodeBase64(Uint8Array.of(typeBytes[type], ...publicKey))}`;
}

/** Reads a vkey; undefined when it is malformed, of an unknown type, or its id does not match the key. */
export function parseVkey(text: string): NoteKey | undefined {
  const match = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text);
  const bytes = decodeBase64(match?.[3] ?? '');
  const name = match?.[1] ?? '';
  const type = (['ed25519', 'cosignature'] as const).find((known) => typeBytes[known] === bytes?.[0]);
  if (bytes?.length !== 33 || type === undefined || !isKeyName(name)) return undefined;
  const key = noteKey(name, bytes.slice(1), type);
  const hex = (match?.[2] ?? '').match(/../g) ?? [];
  const id = Uint8Array.from(hex, (pair) => parseInt(pair, 16));
  return equalBytes(key.id, id) ? key : undefined;
}

/** The claimed state of a log: C2SP tlog-checkpoint. */
export interface Checkpoint {
  readonly origin: string;
  /** Number of leaves; an unsigned 64-bit integer. */
  readonly size: bigint;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

/** Writes the text of a checkpoint, without extension lines. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${encodeBase64(root)}\n`;
}

/** Reads the text of a checkpoint; ignores extension lines. Undefined when it is malformed. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin = '', size = '', encoded = '', ...rest] = text.split('\n');
  const root = decodeBase64(encoded);
  // The text ends in a newline, so the last line is empty; an extension is not.
  if (rest.at(-1) !== '' || rest.slice(0, -1).includes('')) return undefined;
  const count = parseUint64(size);
  if (count === undefined || root?.length !== hashBytes || !isKeyName(origin)) return undefined;
  return { origin, size: count, root };
}

/** A checkpoint with the note that it is the text of. */
export type SignedCheckpoint = { readonly note: Note; readonly checkpoint: Checkpoint };

/** Parses a signed checkpoint without verifying it; undefined when there is none, or its note or text is malformed. */
export function readCheckpoint(signed: string | undefined): SignedCheckpoint | undefined {
  const note = parseNote(signed ?? '');
  const checkpoint = note && parseCheckpoint(note.text);
  return note && checkpoint && { note, checkpoint };
}

/** Reads an unsigned 64-bit decimal without leading zeros. */
export function parseUint64(text: string): bigint | undefined {
  if (!/^(0|[1-9]\d{0,19})$/.test(text)) return undefined;
  const value = BigInt(text);
  return value < 2n ** 64n ? value : undefined;
}
