import { sha256 } from '@noble/hashes/sha2.js';
import { encodeBase64Url } from './base64.ts';

/** What a signing key is for. */
export type KeyRole = 'receipt' | 'log' | 'certificate';

/** Where a key is in its life; its public half stays published in all of them. */
export type KeyStatus = 'active' | 'retired' | 'revoked';

/** The public half of a signing key. */
export interface PublicKey {
  readonly kid: string;
  readonly role: KeyRole;
  readonly status: KeyStatus;
  /** 32 bytes, Ed25519. */
  readonly public_key: Uint8Array;
  /** Milliseconds since the Unix epoch. */
  readonly created_at: number;
  /** Of a log key: the log it signs for. */
  readonly origin?: string;
  /** Where the entry stands that made it known. */
  readonly since?: Position;
  /** Of a revoked key: from which position on it counts for nothing. */
  readonly revoked_at?: Position;
}

/** A position in a log. */
export interface Position {
  readonly origin: string;
  readonly index: number;
}

/** A public key as it is published (RFC 8037), with members of our own. */
export interface PublishedKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** base64url of the 32 bytes. */
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
  readonly role: KeyRole;
  readonly status: KeyStatus;
  /** Seconds since the Unix epoch. */
  readonly nbf: number;
  /** Of a log key: its name in signed notes. */
  readonly origin?: string;
  /** Of a certificate key: where the entry stands that made it known. */
  readonly since?: Position;
  /** Of a revoked key: receipts from this position on are refused. */
  readonly revoked_at?: Position;
}

/** A JWK Set. */
export interface KeySet {
  readonly keys: readonly PublishedKey[];
}

/** Computes the key id: RFC 7638 thumbprint of an Ed25519 public key (32 bytes), 43 letters of base64url. */
export function thumbprint(publicKey: Uint8Array): string {
  const jwk = `{"crv":"Ed25519","kty":"OKP","x":"${encodeBase64Url(publicKey)}"}`;
  return encodeBase64Url(sha256(new TextEncoder().encode(jwk)));
}

/** Builds the JWK Set that publishes keys. */
export function keySet(keys: readonly PublicKey[]): KeySet {
  return {
    keys: keys.map(
      ({ kid, role, status, public_key: publicKey, created_at: createdAt, origin, since, revoked_at }) => ({
        kty: 'OKP',
        crv: 'Ed25519',
        x: encodeBase64Url(publicKey),
        kid,
        alg: 'EdDSA',
        use: 'sig',
        role,
        status,
        nbf: Math.floor(createdAt / 1000),
        ...(origin === undefined ? {} : { origin }),
        ...(role === 'certificate' && since !== undefined ? { since } : {}),
        ...(revoked_at === undefined ? {} : { revoked_at }),
      }),
    ),
  };
}
