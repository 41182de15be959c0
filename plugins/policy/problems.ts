import { defineProblems } from '../../kernel/index.ts';

/** Problems of policies and their revisions. */
export const problems = defineProblems({
  policy_not_found: { status: 404, title: 'There is no such policy', retryable: false },
  revision_not_found: { status: 404, title: 'There is no such policy revision', retryable: false },
  decision_not_found: { status: 404, title: 'There is no such decision', retryable: false },
  policies_read_only: { status: 409, title: 'The policies folder is read-only', retryable: false },
  policy_invalid: { status: 422, title: 'The policies have faults', retryable: false },
  policy_compiler_unavailable: { status: 503, title: 'There is no policy compiler', retryable: true },
});
