import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { CertificateSigner, Position } from '../../../../plugins/receipts/contract.ts';

type Key = ReturnType<CertificateSigner['keys']>[number] & { readonly secret: KeyObject };

/** A signer whose keys a test rotates and revokes. */
export interface TestSigner extends CertificateSigner {
  /** Makes a new active key, whose entry stands at this index; the old one retires. */
  rotate(index: number): void;
  /** Revokes a key; without another one there is no active key then. */
  revoke(kid: string, index: number): void;
  /** The published form, as in `jwks.json`. */
  keySet(): object;
  /** Refuses to sign until it is called again with `false`. */
  fail(failing: boolean): void;
}

/** Name of the log of these tests. */
export const origin = 'ins_01M6B1YQ000000000000000001.orb/receipts/0';

/** Makes a signer with one active key whose entry stands at index 0. */
export function createTestSigner(): TestSigner {
  let keys: readonly Key[] = [newKey({ origin, index: 0 })];
  let failing = false;
  const change = (kid: string, changed: Partial<Key>): void => {
    keys = keys.map((key) => (key.kid === kid ? { ...key, ...changed } : key));
  };
  const active = (): Key | undefined => keys.find(({ status }) => status === 'active');
  return {
    keys: () => keys.map(({ secret: _, ...key }) => key),
    async sign(message) {
      const key = active();
      if (failing || key === undefined) throw new Error('the signer is out of order');
      return Promise.resolve({ kid: key.kid, signature: sign(null, message, key.secret) });
    },
    rotate(index) {
      const before = active();
      if (before !== undefined) change(before.kid, { status: 'retired' });
      keys = [newKey({ origin, index }), ...keys];
    },
    revoke: (kid, index) => change(kid, { status: 'revoked', revoked_at: { origin, index } }),
    keySet: () => ({
      keys: keys.map(({ kid, public_key, since, status, revoked_at }) => ({
        ...{
          kty: 'OKP',
          crv: 'Ed25519',
          x: Buffer.from(public_key).toString('base64url'),
          kid,
          alg: 'EdDSA',
          use: 'sig',
        },
        ...{ role: 'certificate', status, nbf: 0, since },
        ...(revoked_at === undefined ? {} : { revoked_at }),
      })),
    }),
    fail(now) {
      failing = now;
    },
  };
}

function newKey(since: Position): Key {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const public_key = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(12));
  const kid = createHash('sha256').update(public_key).digest('base64url');
  return { kid, public_key, status: 'active', since, secret: privateKey };
}
