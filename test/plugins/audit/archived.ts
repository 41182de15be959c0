import { shippedFacts } from '../../helpers/command.ts';
import { verifyBundle, type BundleReport } from '../../../plugins/audit/verify.ts';
import { readTrust, type Trust } from '../../../plugins/receipts/verifier/trust.ts';
import { verifySignature } from '../../../plugins/receipts/format/ed25519.ts';

const block = 512;

/** One file of an archive, and where its header begins. */
export interface Archived {
  readonly path: string;
  readonly at: number;
  readonly size: number;
  /** Bytes with header and padding. */
  readonly whole: number;
}

/** Lists the files of an archive that nothing has changed. */
export function filesOf(archive: Buffer): Archived[] {
  const files: Archived[] = [];
  for (let at = 0; archive[at] !== 0; at += files.at(-1)?.whole ?? 0) {
    const size = parseInt(archive.toString('latin1', at + 124, at + 135), 8);
    const path = archive.toString('latin1', at, at + 100).replace(/\0+$/, '');
    files.push({ path, at, size, whole: block + Math.ceil(size / block) * block });
  }
  return files;
}

/** Reads one file of an archive. */
export function contentOf(archive: Buffer, path: string): string {
  const file = filesOf(archive).find((one) => one.path === path);
  return file === undefined ? '' : archive.toString('utf8', file.at + block, file.at + block + file.size);
}

/** Gives bytes in parts of whatever size. */
export async function* inParts(bytes: Buffer, size = 1000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Makes the trust of a server's own key set. */
export function trustOf(jwks: object): Trust {
  return { ...(readTrust(JSON.stringify(jwks)) ?? { keys: [] }), facts: shippedFacts };
}

/** Verifies an archive. */
export function verified(archive: Buffer, trust: Trust, size?: number): Promise<BundleReport> {
  return verifyBundle(inParts(archive, size), trust, { verifySignature });
}
