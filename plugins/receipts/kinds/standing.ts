import type { JsonSchema } from '../../../kernel/index.ts';
import {
  closed,
  digest,
  headProperties,
  headRequired,
  id,
  natural,
  orbId,
  origin,
  policyFacts,
  statementProperties,
  statementRequired,
  text,
  time,
} from '../schema-parts.ts';

const change = {
  ...closed,
  required: ['change'],
  properties: {
    change: { type: 'string', enum: ['suspended', 'lifted', 'published', 'deprecated', 'yanked', 'removed'] },
    reason: text,
    principal: id('prn'),
    incident_id: id('inc'),
    manifest_digest: digest,
    manifest_signed: { type: 'boolean' },
    policy: policyFacts,
  },
} as const;

const snapshot = {
  ...closed,
  required: ['change', 'day', 'logs', 'profile', 'scoring_policy', 'digest'],
  properties: {
    change: { const: 'snapshot' },
    day: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
    logs: {
      type: 'array',
      items: {
        ...closed,
        required: ['origin', 'tree_size', 'root_hash'],
        properties: { origin, tree_size: natural, root_hash: { type: 'string', description: 'base64 of 32 bytes' } },
      },
    },
    profile: { type: 'string', enum: ['single-org', 'multi-tenant'] },
    scoring_policy: { ...closed, required: ['id', 'digest'], properties: { id: text, digest } },
    digest,
  },
} as const;

const head = { ...headProperties, at: time } as const;
const required = [...headRequired, 'at', 'facts'] as const;

/** Schema of the statement of a standing: of one Orb, or the snapshot of a day. */
export const standingStatement = {
  ...closed,
  required: statementRequired,
  properties: {
    ...statementProperties,
    predicateType: { const: 'urn:agent-orb:standing:v1' },
    predicate: {
      anyOf: [
        { ...closed, required: [...required, 'orb_id'], properties: { ...head, orb_id: orbId, facts: change } },
        { ...closed, required, properties: { ...head, facts: snapshot } },
      ],
    },
  },
} as const satisfies JsonSchema;
