import { defineProblems } from '../../kernel/index.ts';

/** Problems of schedules. */
export const problems = defineProblems({
  schedule_not_found: {
    status: 404,
    title: 'There is no such schedule',
    retryable: false,
    cause: 'No schedule has this id, or it belongs to another tenant.',
    remedy: 'Check the id; the list of schedules shows those that there are.',
  },
  schedule_limit: {
    status: 409,
    title: 'The limit of schedules of the tenant is reached',
    retryable: false,
    cause: 'The tenant has the most schedules that it may have.',
    remedy: 'Delete a schedule that has ended or that nobody needs.',
  },
  schedule_ended: {
    status: 409,
    title: 'The schedule has no slot any more',
    retryable: false,
    cause: 'The last slot of the schedule has passed, so there is nothing to run or to resume.',
    remedy: 'Make a new schedule, or give this one times that are to come.',
  },
  slot_taken: {
    status: 409,
    title: 'The slot of the schedule has its run',
    retryable: false,
    cause: 'Each slot runs once, and this one has its run.',
    remedy: 'Read the run of the slot; execute the Orb by hand if you want another run.',
  },
});
