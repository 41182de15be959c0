import { createHash } from 'node:crypto';
import { canonical } from '../../../../kernel/index.ts';

/** Computes the id of an Ed25519 key: its RFC 7638 thumbprint, 43 letters of base64url. */
export function thumbprint({ x }: { readonly x: string }): string {
  return createHash('sha256')
    .update(canonical({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
}
