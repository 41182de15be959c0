/** The screens of schedules. */
export { NewSchedule } from './create.ts';
export { Schedules } from './list.ts';
export { OneSchedule } from './one.ts';
