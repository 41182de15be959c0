import { defineProblems } from '../../kernel/index.ts';

/** Problems of API keys. */
export const problems = defineProblems({
  last_admin_key: { status: 409, title: 'The last live admin key cannot be revoked', retryable: false },
});
