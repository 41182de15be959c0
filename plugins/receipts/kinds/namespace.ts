import type { JsonSchema } from '../../../kernel/index.ts';
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
} from '../schema-parts.ts';

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
        namespace: { type: 'string', pattern: '^[a-z0-9][a-z0-9.-]*$' },
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
