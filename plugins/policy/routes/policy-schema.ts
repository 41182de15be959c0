import { exactly, optional } from '../../../kernel/index.ts';
import { draft, policyId, policyInfo } from '../shapes.ts';

/** Path parameter of the routes of one policy. */
export const params = exactly({ id: { ...policyId, description: 'Id of the policy' } });

/** Schema of a single policy with all its details. */
export const detailed = {
  title: 'PolicyDetail',
  allOf: [
    policyInfo,
    {
      type: 'object',
      properties: {
        source: { type: 'string', description: 'Rego of the active policy' },
        tests_source: { type: 'string', description: 'Rego of its active tests' },
        waiting: { ...draft, description: 'The draft' },
      },
    },
  ],
} as const;

/** Schema of a change of the active policies. */
export const revised = exactly('PolicyChange', {
  revision: { type: 'string', description: 'Digest of the active revision' },
});

/** Schema of the body that writes a draft. */
export const draftRequest = exactly({
  source: { type: 'string', minLength: 1, maxLength: 262_144, description: 'Rego of the policy' },
  tests: optional({ type: 'string', maxLength: 262_144, description: 'Rego of its tests' }),
  message: optional({ type: 'string', maxLength: 500, description: 'Reason for the change, shown in the history' }),
});
