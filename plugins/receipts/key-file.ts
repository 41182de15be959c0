import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { keySet, type PublicKey } from './jwk.ts';

/** Name of the file in the state dir that holds the public keys. */
export const keyFile = 'jwks.json';

/** Mirrors the public keys to `jwks.json` in the state dir, so that receipts are verified without the store. */
export function mirrorKeys(stateDir: string, keys: readonly PublicKey[]): void {
  const path = join(stateDir, keyFile);
  const temporary = `${path}.new`;
  const file = openSync(temporary, 'w', 0o644);
  try {
    // The mode of openSync is cut by the umask, and public keys are for everybody.
    fchmodSync(file, 0o644);
    writeSync(file, `${JSON.stringify(keySet(keys), undefined, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
