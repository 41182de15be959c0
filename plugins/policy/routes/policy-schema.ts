import { policyId, policyInfo } from './wire.ts';

/** Path parameter of the routes of one policy. */
export const params = {
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: { id: { ...policyId, description: 'Id of the policy' } },
} as const;
const message = { type: 'string', maxLength: 500 } as const;
const source = { type: 'string', minLength: 1, maxLength: 262_144 } as const;

const draft = {
  title: 'PolicyDraft',
  type: 'object',
  required: ['source', 'updated_at', 'updated_by'],
  properties: {
    source: { type: 'string', description: 'Rego of the draft' },
    tests: { type: 'string', description: 'Rego of its tests' },
    message: { type: 'string', description: 'Why it was changed' },
    updated_at: { type: 'string', description: 'When it last changed' },
    updated_by: { type: 'string', description: 'Id of who wrote it, `prn_<ulid>`' },
  },
} as const;

/** Schema of a policy read alone. */
export const detailed = {
  title: 'PolicyDetail',
  allOf: [
    policyInfo,
    {
      type: 'object',
      properties: {
        source: { type: 'string', description: 'Rego in force' },
        tests_source: { type: 'string', description: 'Rego of the tests in force' },
        waiting: { ...draft, description: 'The draft' },
      },
    },
  ],
} as const;

/** Schema of a change of what is in force. */
export const revised = {
  title: 'PolicyChange',
  type: 'object',
  required: ['revision'],
  properties: { revision: { type: 'string', description: 'Digest of the revision in force now' } },
} as const;

/** Schema of the body that writes a draft. */
export const draftRequest = {
  type: 'object',
  additionalProperties: false,
  required: ['source'],
  properties: {
    source: { ...source, description: 'Rego of the policy' },
    tests: { type: 'string', maxLength: 262_144, description: 'Rego of its tests' },
    message: { ...message, description: 'Why, for the history' },
  },
} as const;
