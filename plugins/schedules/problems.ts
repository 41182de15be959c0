import { defineProblems } from '../../kernel/index.ts';

/** Problems of schedules. */
export const problems = defineProblems({
  schedule_not_found: {
    status: 404,
    title: 'There is no such schedule',
    cause: 'No schedule has this id, or it belongs to another tenant.',
    remedy: 'Check the id; the list of schedules shows all of them.',
  },
  schedule_limit: {
    status: 409,
    title: 'The tenant has reached its limit of schedules',
    cause: 'The tenant has as many schedules as it may have.',
    remedy: 'Delete a schedule that has ended or is not needed.',
  },
  schedule_ended: {
    status: 409,
    title: 'The schedule has ended',
    cause: 'The last planned time of the schedule has passed, so there is nothing to run or to resume.',
    remedy: 'Create a new schedule, or give this one times in the future.',
  },
  slot_taken: {
    status: 409,
    title: 'The slot of the schedule already has a run',
    cause: 'Each slot runs once, and this one already has a run.',
    remedy: 'Read the run of the slot. To run again, execute the Orb directly.',
  },
});
