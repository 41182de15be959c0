import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { program } from '../../kernel/index.ts';
import type { ShippedPolicies } from './folder/home.ts';
import type { Revision } from './revisions/revision.ts';

/** The folder of the shipped policies. */
export const shippedFolder: string = fileURLToPath(new URL('../../policies/', import.meta.url));

/** That folder, and the digests of the files in it that ship. */
export const shippedPolicies: ShippedPolicies = { folder: shippedFolder, digests: () => program.shipped('policies') };

const wasmFile = fileURLToPath(new URL('./shipped/policies.wasm', import.meta.url));
const aboutFile = fileURLToPath(new URL('./shipped/policies.json', import.meta.url));

/**
 * Reads the revision of the shipped policies, which was compiled before; a test proves that a rebuild gives the same. Its
 * files come with it: the folder may hold others.
 */
export function readShipped(): Revision {
  const about = JSON.parse(readFileSync(aboutFile, 'utf8')) as Omit<Revision, 'wasm'>;
  return { ...about, wasm: readFileSync(wasmFile) };
}

/** Writes the revision. */
export function writeShipped(
  { digest, files, policies, entrypoints, data, wasm }: Revision,
  write: (file: string, content: string | Uint8Array) => void,
): void {
  write(wasmFile, wasm);
  write(aboutFile, `${JSON.stringify({ digest, files, policies, entrypoints, data }, null, 2)}\n`);
}
