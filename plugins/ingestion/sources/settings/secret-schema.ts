import type { Infer } from '../../../../kernel/index.ts';

/** Schema of a secret in answers: a row of the table without its text. */
export const storedSecret = {
  type: 'object',
  required: ['version', 'not_before', 'created_at'],
  properties: {
    version: { type: 'integer', description: 'Number of the secret' },
    not_before: { type: 'string', description: 'Valid from' },
    not_after: { type: 'string', description: 'Valid until' },
    created_at: { type: 'string', description: 'When it was created' },
    last_used_at: { type: 'string', description: 'When it was last used' },
  },
} as const;

const time = { type: 'string', format: 'date-time', maxLength: 40 } as const;

/** Schema of a secret that the caller brings. */
export const ownSecret = {
  type: 'string',
  minLength: 1,
  maxLength: 500,
  description: 'The vendor’s own secret; absent: a new one is created',
} as const;

/** Schema of POST /sources/{source_id}/secrets: a secret to add. */
export const secretWish = {
  $id: 'SecretRequest',
  type: 'object',
  additionalProperties: false,
  properties: {
    secret: ownSecret,
    not_before: { ...time, description: 'RFC 3339; default: now' },
    not_after: { ...time, description: 'Default: until it is removed' },
    retire_others_after_s: {
      type: 'integer',
      minimum: 0,
      maximum: 31_536_000,
      description: 'The overlap: how long the other secrets stay valid; default: until they are removed',
    },
  },
} as const;

/** Body of POST /sources/{source_id}/secrets. */
export type SecretWish = Infer<typeof secretWish>;
