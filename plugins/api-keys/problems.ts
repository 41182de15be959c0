import { defineProblems } from '../../kernel/index.ts';

/** Problems of API keys. */
export const problems = defineProblems({
  last_admin_key: {
    status: 409,
    title: 'The last live admin key cannot be revoked',
    retryable: false,
    cause: 'Without this key nobody could manage the installation any more.',
    remedy: 'Make another admin key first, then revoke this one.',
  },
});
