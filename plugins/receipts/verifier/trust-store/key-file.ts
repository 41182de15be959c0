import { join } from 'node:path';
import { replaceFileSync } from '../../../../kernel/index.ts';
import { keySet, type PublicKey } from '../../format/jwk.ts';

/** Name of the file in the state dir that holds the public keys. */
export const keyFile = 'jwks.json';

/** Mirrors the public keys to `jwks.json` in the state dir, so that receipts are verified without the store. */
export function mirrorKeys(stateDir: string, keys: readonly PublicKey[]): void {
  replaceFileSync(join(stateDir, keyFile), `${JSON.stringify(keySet(keys), undefined, 2)}\n`);
}
