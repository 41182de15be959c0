import { decodeBase64, encodeBase64 } from '../../format/base64.ts';
import type { VerifySignature } from '../../format/portable-ed25519.ts';
import { equalBytes } from './hashing.ts';
import { isKeyName, type NoteKey } from './vkey.ts';

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
