import type { JsonSchema } from '../../../kernel/index.ts';
import {
  closed,
  headProperties,
  headRequired,
  id,
  kid,
  natural,
  origin,
  statementProperties,
  statementRequired,
  text,
  time,
} from '../schema-parts.ts';

/** Schema of the statement of a signing key: that it was made, took another's place, or was revoked. */
export const keyStatement = {
  ...closed,
  required: statementRequired,
  properties: {
    ...statementProperties,
    predicateType: { const: 'urn:agent-orb:key:v1' },
    predicate: {
      ...closed,
      required: [...headRequired, 'at', 'kid', 'facts'],
      properties: {
        ...headProperties,
        at: time,
        kid,
        facts: {
          ...closed,
          required: ['role', 'change', 'public_key'],
          properties: {
            role: { type: 'string', enum: ['receipt', 'log', 'certificate'] },
            change: { type: 'string', enum: ['created', 'rotated', 'revoked'] },
            public_key: {
              ...closed,
              required: ['kty', 'crv', 'x'],
              properties: { kty: { const: 'OKP' }, crv: { const: 'Ed25519' }, x: kid },
            },
            previous_kid: kid,
            from: { ...closed, required: ['origin', 'index'], properties: { origin, index: natural } },
            reason: text,
            principal: id('prn'),
            origin,
            vkey: text,
            previous_checkpoint: text,
          },
        },
      },
    },
  },
} as const satisfies JsonSchema;
