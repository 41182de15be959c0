import { createHash } from 'node:crypto';
import type { Target } from '../../../plugins/kit/binary/targets.ts';

/**
 * Computes the digests of what an executable holds, by name: its bundle, its compiled code and each of its files, so that
 * a difference of two executables has a name. The layout is that of Node 24 (src/node_sea.cc, `SeaSerializer`).
 */
export function executableParts({ format }: Target, file: Buffer): Readonly<Record<string, string>> {
  const blob = format.blob(file) ?? Buffer.alloc(0);
  // A number that marks it, flags, and how arguments are extended.
  let at = 9;
  const text = (): Buffer => {
    const begins = at + 8;
    at = begins + Number(blob.readBigUInt64LE(at));
    return blob.subarray(begins, at);
  };
  const flags = blob.readUInt32LE(4);
  text();
  const bundle = digestOf(text());
  const code = (flags & 4) === 0 ? 'none' : digestOf(text());
  const list = blob.toString('utf8', blob.lastIndexOf('[{"path":"'));
  const files = JSON.parse(list.slice(0, list.indexOf('}]') + 2)) as readonly { path: string; sha256: string }[];
  return {
    ...{ executable: digestOf(file), blob: digestOf(blob), bundle, code },
    ...Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256])),
  };
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
