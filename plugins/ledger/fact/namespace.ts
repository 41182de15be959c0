import { defineFact, type FactOf } from '../../../kernel/index.ts';
import { factParts } from '../../receipts/contract.ts';

const { base64UrlOf32, closed, factsThat: facts, id, kid, text } = factParts;

/** A namespace was granted or revoked; belongs to its owner's tenant. */
export const namespaceFact = defineFact({
  kind: 'namespace',
  predicate: {
    ...closed,
    required: ['tenant', 'namespace', 'facts'],
    properties: {
      tenant: text,
      namespace: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]*$' },
      facts: {
        ...closed,
        required: ['change', 'owner'],
        properties: {
          change: { type: 'string', enum: ['granted', 'revoked'] },
          owner: { ...closed, required: ['tenant'], properties: { tenant: text, principal: id('prn') } },
          manifest_key: {
            ...closed,
            description: 'Verifies the manifests of the namespace',
            required: ['kty', 'crv', 'x'],
            properties: { kty: { const: 'OKP' }, crv: { const: 'Ed25519' }, x: kid },
          },
          reason: text,
          principal: { ...id('prn'), description: 'Absent: the platform itself' },
        },
      },
    },
  },
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
