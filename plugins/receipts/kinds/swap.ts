import type { JsonSchema } from '../../../kernel/index.ts';
import {
  closed,
  digest,
  headProperties,
  headRequired,
  id,
  natural,
  orbId,
  policyFacts,
  statementProperties,
  statementRequired,
  text,
  time,
  word,
} from '../format/schema-parts.ts';

/** Schema of the statement of a swap: who changed which provider for which other, and how it ended. */
export const swapStatement = {
  ...closed,
  required: statementRequired,
  properties: {
    ...statementProperties,
    predicateType: { const: 'urn:agent-orb:swap:v1' },
    predicate: {
      ...closed,
      required: [...headRequired, 'at', 'swap_id', 'orb_id', 'facts'],
      properties: {
        ...headProperties,
        at: time,
        swap_id: id('swp'),
        orb_id: orbId,
        facts: {
          ...closed,
          required: ['to', 'generation', 'adapter', 'config_digest', 'state', 'started_at'],
          properties: {
            from: text,
            from_generation: natural,
            to: text,
            generation: natural,
            adapter: text,
            config_digest: digest,
            state: { type: 'string', enum: ['draining', 'completed', 'failed'] },
            rolls_back: id('swp'),
            reason: word,
            principal: id('prn'),
            policy: policyFacts,
            started_at: time,
            switched_at: time,
          },
        },
      },
    },
  },
} as const satisfies JsonSchema;
