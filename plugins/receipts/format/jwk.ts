import { sha256 } from '@noble/hashes/sha2.js';
import type { Infer } from '../../../kernel/index.ts';
import { encodeBase64Url } from './base64.ts';
import type { keySetSchema } from './key-set.ts';

/** The use of a signing key. */
export type KeyRole = 'receipt' | 'log' | 'certificate';

/** The public half of a signing key. */
export interface PublicKey {
  readonly kid: string;
  readonly role: KeyRole;
  /** The public half stays published in every status. */
  readonly status: 'active' | 'retired' | 'revoked';
  /** 32 bytes, Ed25519. */
  readonly public_key: Uint8Array;
  /** Milliseconds since the Unix epoch. */
  readonly created_at: number;
  /** Of a log key: the log it signs for. */
  readonly origin?: string;
  /** Position of the entry that published the key. */
  readonly since?: Position;
  /** For a revoked key: the position from which it is invalid. */
  readonly revoked_at?: Position;
  /** For a revoked key: positions in other logs before which its signatures stay valid. */
  readonly stands?: readonly Position[];
  /** Of a receipt key in a shared store: the node that signs with it. */
  readonly node?: string;
}

/** A position in the log: {origin, index}, ordered by shard, then index. */
export interface Position {
  readonly origin: string;
  readonly index: number;
}

/** A JWK Set. */
export type KeySet = Infer<typeof keySetSchema>;

/** Computes the key id: RFC 7638 thumbprint of an Ed25519 public key (32 bytes), 43 letters of base64url. */
export function thumbprint(publicKey: Uint8Array): string {
  const jwk = `{"crv":"Ed25519","kty":"OKP","x":"${encodeBase64Url(publicKey)}"}`;
  return encodeBase64Url(sha256(new TextEncoder().encode(jwk)));
}

/** Builds the JWK Set that publishes keys. */
export function keySet(keys: readonly PublicKey[]): KeySet {
  return { keys: keys.map(published) };
}

function published({ kid, role, status, public_key, created_at, ...more }: PublicKey): KeySet['keys'][number] {
  const { origin, since, revoked_at, stands } = more;
  return {
    ...{ kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(public_key), kid, alg: 'EdDSA', use: 'sig' },
    ...{ role, status, nbf: Math.floor(created_at / 1000) },
    ...(origin === undefined ? {} : { origin }),
    ...(role === 'certificate' && since !== undefined ? { since } : {}),
    ...(revoked_at === undefined ? {} : { revoked_at }),
    ...(stands === undefined ? {} : { stands: [...stands] }),
  };
}
