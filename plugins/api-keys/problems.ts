import { defineProblems } from '../../kernel/index.ts';

/** Problems of API keys. */
export const problems = defineProblems({
  last_admin_key: {
    status: 409,
    title: 'The last live admin key cannot be revoked',
    cause: 'The key is the last admin key. Without it, the installation could no longer be managed.',
    remedy: 'Create another admin key first, then revoke this one.',
  },
});
