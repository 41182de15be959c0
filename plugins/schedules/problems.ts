import { defineProblems } from '../../kernel/index.ts';

/** Problems of schedules. */
export const problems = defineProblems({
  schedule_not_found: { status: 404, title: 'There is no such schedule', retryable: false },
  schedule_limit: { status: 409, title: 'The limit of schedules of the tenant is reached', retryable: false },
  schedule_ended: { status: 409, title: 'The schedule has no slot any more', retryable: false },
  slot_taken: { status: 409, title: 'The slot of the schedule has its run', retryable: false },
});
