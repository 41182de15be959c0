import { decodeBase64, encodeBase64 } from '../../format/base64.ts';
import { equalBytes, portableSha256 } from './hashing.ts';

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
