import { defineRoute, holds, PlatformError, type JsonSchema, type Principal, type Route } from '../../kernel/index.ts';
import { receiptDocument } from './contract.ts';
import { documentOf, type Owner } from './document.ts';
import type { KeySet } from './jwk.ts';
import { otherKind } from './kinds/kind.ts';
import type { Reads } from './store.ts';
import type { Trust } from './verifier/trust.ts';

const receiptParams = {
  type: 'object',
  additionalProperties: false,
  required: ['receipt_id'],
  properties: { receipt_id: { type: 'string', maxLength: 64, description: '`rec_<ulid>`' } },
} as const satisfies JsonSchema;

const keySetSchema = {
  $id: 'KeySet',
  type: 'object',
  additionalProperties: false,
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kty', 'crv', 'x', 'kid', 'alg', 'use', 'role', 'status', 'nbf'],
        properties: {
          kty: { const: 'OKP' },
          crv: { const: 'Ed25519' },
          x: { type: 'string' },
          kid: { type: 'string', description: 'RFC 7638 thumbprint' },
          alg: { const: 'EdDSA' },
          use: { const: 'sig' },
          role: { type: 'string', enum: ['receipt', 'log', 'certificate'] },
          status: { type: 'string', enum: ['active', 'retired', 'revoked'] },
          nbf: { type: 'integer', description: 'seconds since the Unix epoch' },
        },
      },
    },
  },
} as const satisfies JsonSchema;

/** Makes the routes: one receipt, verified on every read; the public keys. */
export function routes(reads: Pick<Reads, 'findReceipt'>, trust: Trust, keys: KeySet): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/receipts/{receipt_id}',
      service: 'runtime',
      scope: 'receipts:read',
      summary: 'Read a receipt with its proof; everything is verified anew',
      params: receiptParams,
      response: receiptDocument,
      problems: ['receipt_not_found'],
      handle({ params, principal }) {
        const row = reads.findReceipt(params.receipt_id);
        const found = row === undefined ? undefined : documentOf(row, trust);
        if (found === undefined || !mayRead(principal, found.owner))
          throw new PlatformError('receipt_not_found', `there is no receipt ${params.receipt_id} in this tenant`);
        return found.document;
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/.well-known/jwks.json',
      service: 'shared',
      public: true,
      summary: 'Public keys that verify receipts; retired ones stay',
      response: keySetSchema,
      problems: [],
      handle: () => keys,
    }),
  ];
}

function mayRead({ scopes, tenant }: Principal, { kind, tenants }: Owner): boolean {
  if (holds(scopes, '*')) return true;
  if (tenants.size !== 1) return false;
  if (tenants.has(null)) return (otherKind(kind)?.scopes ?? []).some((scope) => holds(scopes, scope));
  return tenants.has(tenant);
}
