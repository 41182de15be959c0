import type { JsonSchema } from '../../../kernel/index.ts';
import { decodeBase64Url } from '../format/base64.ts';
import type { OtherPredicate } from './predicate.ts';
import type { Rules } from './rule.ts';
import {
  closed,
  headProperties,
  headRequired,
  id,
  kid,
  statementProperties,
  statementRequired,
  text,
  time,
} from '../format/schema-parts.ts';

/** Schema of the statement of a namespace: to whom it was granted, or that it was revoked. */
export const namespaceStatement = {
  ...closed,
  required: statementRequired,
  properties: {
    ...statementProperties,
    predicateType: { const: 'urn:agent-orb:namespace:v1' },
    predicate: {
      ...closed,
      required: [...headRequired, 'tenant', 'at', 'namespace', 'facts'],
      properties: {
        ...headProperties,
        tenant: text,
        at: time,
        namespace: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]*$' },
        facts: {
          ...closed,
          required: ['change', 'owner'],
          properties: {
            change: { type: 'string', enum: ['granted', 'revoked'] },
            owner: { ...closed, required: ['tenant'], properties: { tenant: text, principal: id('prn') } },
            manifest_key: {
              ...closed,
              required: ['kty', 'crv', 'x'],
              properties: { kty: { const: 'OKP' }, crv: { const: 'Ed25519' }, x: kid },
            },
            reason: text,
            principal: id('prn'),
          },
        },
      },
    },
  },
} as const satisfies JsonSchema;

/** Lists what the members of a namespace must agree in. */
export function namespaceRules({ facts, tenant }: OtherPredicate): Rules {
  // The schema has said what they are.
  const { change, manifest_key, owner, reason } = facts as unknown as Facts;
  return [
    [owner.tenant === tenant, 'a namespace belongs to the tenant of its owner'],
    [change !== 'revoked' || reason !== undefined, 'a revocation has a reason'],
    [
      manifest_key === undefined || decodeBase64Url(manifest_key.x)?.length === 32,
      'the manifest key is not base64url of 32 bytes',
    ],
  ];
}

interface Facts {
  readonly change: string;
  readonly owner: { readonly tenant: string };
  readonly reason?: string;
  readonly manifest_key?: { readonly x: string };
}
