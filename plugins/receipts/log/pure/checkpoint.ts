import { decodeBase64, encodeBase64 } from '../../format/base64.ts';
import { hashBytes } from './hashing.ts';
import { parseNote, type Note } from './note.ts';
import { isKeyName } from './vkey.ts';

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
