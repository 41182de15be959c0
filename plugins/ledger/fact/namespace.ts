import { exactly, optional } from '../../../kernel/index.ts';
import { factParts, defineFact, type FactOf } from '../../receipts/contract.ts';

const { base64UrlOf32, factsThat: facts, id, kid, text } = factParts;

/** Declares the fact that a namespace was granted or revoked; it belongs to its owner's tenant. */
export const namespaceFact = defineFact({
  kind: 'namespace',
  predicate: exactly({
    tenant: text,
    namespace: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]*$' },
    facts: exactly({
      change: { type: 'string', enum: ['granted', 'revoked'] },
      owner: exactly({ tenant: text, principal: optional(id('prn')) }),
      manifest_key: optional({
        description: 'Verifies the manifests of the namespace',
        ...exactly({ kty: { const: 'OKP' }, crv: { const: 'Ed25519' }, x: kid }),
      }),
      reason: optional(text),
      principal: optional({ ...id('prn'), description: 'Absent: the platform itself' }),
    }),
  }),
  subject: ['namespace'],
  scopes: [],
  rules: [
    { fault: 'a namespace belongs to the tenant of its owner', compare: ['facts.owner.tenant', 'equals', 'tenant'] },
    {
      fault: 'a revocation has a reason',
      when: facts({ properties: { change: { const: 'revoked' } } }),
      must: facts({ required: ['reason'] }),
    },
    {
      fault: 'the manifest key is not base64url of 32 bytes',
      must: facts({ properties: { manifest_key: { type: 'object', properties: { x: base64UrlOf32 } } } }),
    },
  ],
});

/** A namespace that was granted or revoked, as it is attested. */
export type NamespaceFact = FactOf<typeof namespaceFact>;
