import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Compiled, Revision } from './revisions/revision.ts';

/** The folder of the shipped policies. */
export const shippedFolder: string = fileURLToPath(new URL('../../policies/', import.meta.url));

const wasmFile = fileURLToPath(new URL('./shipped/policies.wasm', import.meta.url));
const aboutFile = fileURLToPath(new URL('./shipped/policies.json', import.meta.url));

/** The compiled form of the shipped policies, and the digest of the folder it was compiled from. */
export type Shipped = Compiled & { readonly digest: string };

/** Reads the compiled form from the repository; a test proves that a rebuild gives the same result. */
export function readShipped(): Shipped {
  const about = JSON.parse(readFileSync(aboutFile, 'utf8')) as Omit<Shipped, 'wasm'>;
  return { ...about, wasm: readFileSync(wasmFile) };
}

/** Writes the compiled form. */
export function writeShipped(
  { digest, policies, entrypoints, data, wasm }: Revision,
  write: (file: string, content: string | Uint8Array) => void,
): void {
  write(wasmFile, wasm);
  write(aboutFile, `${JSON.stringify({ digest, policies, entrypoints, data }, null, 2)}\n`);
}
