import { createHash, randomBytes } from 'node:crypto';
import { vendors } from '../vendors/index.ts';
import { authOf } from './source.ts';
import type { SourceRecord } from './schema.ts';

/** Makes the unguessable part of a hook's address: 256 bits as base64url. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Hashes a token: only this is stored, and found by. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Makes a secret for a source; undefined when it needs none. */
export function makeSecret(record: Pick<SourceRecord, 'vendor' | 'auth'>): string | undefined {
  if (authOf(record).scheme === 'url') return undefined;
  const bytes = randomBytes(32);
  return vendors[record.vendor].name === 'standard-webhooks'
    ? `whsec_${bytes.toString('base64')}`
    : bytes.toString('base64url');
}
