import { defineFact } from 'agent-orb-kit';

/** Attests that somebody began to watch an Orb. */
export const watchFact = defineFact({
  kind: 'watch',
  predicate: {
    type: 'object',
    additionalProperties: false,
    required: ['watch_id', 'facts'],
    properties: {
      watch_id: { type: 'string', pattern: '^wat_[0-9A-HJKMNP-TV-Z]{26}$' },
      facts: {
        type: 'object',
        additionalProperties: false,
        required: ['orb_id'],
        properties: { orb_id: { type: 'string', pattern: '^[a-z0-9._-]+@[0-9.]+$' } },
      },
    },
  },
  subject: ['watch_id'],
  scopes: ['watches:read'],
});
