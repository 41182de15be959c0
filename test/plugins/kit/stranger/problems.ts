import { defineProblems } from 'agent-orb-kit';

/** What a request of watches can fail with. */
export const problems = defineProblems({
  watch_not_found: { status: 404, title: 'Nobody watches the Orb', retryable: false },
});
