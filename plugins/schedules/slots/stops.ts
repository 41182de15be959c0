import { operation } from '../../../kernel/index.ts';
import type { ScheduleScope } from '../scope.ts';
import schedulesStore, { type ScheduleRow } from '../store.ts';

type StopsScope = Pick<ScheduleScope, 'store' | 'reads' | 'log' | 'incidents'>;

const pageSize = 500;

/** Pauses schedules that cannot go on, each with an incident, which ends when the schedule goes on or is deleted. */
export class Stops {
  readonly #options: StopsScope;

  constructor(options: StopsScope) {
    this.#options = options;
  }

  /** Reports the schedules that had stopped before the start: a crash may have come before their incidents. */
  async start(): Promise<void> {
    const { reads } = this.#options;
    for (let after = ''; ;) {
      const found = await reads.stopped(after, pageSize);
      for (const schedule of found) this.#report(schedule, 'firing', schedule.reason ?? '');
      const last = found.at(-1);
      if (last === undefined || found.length < pageSize) return;
      after = last.schedule_id;
    }
  }

  /** Pauses a schedule by itself. */
  async stop(schedule: ScheduleRow, reason: string): Promise<void> {
    const { store, log } = this.#options;
    const { schedule_id } = schedule;
    const [stopped] = await store.write([operation(schedulesStore, 'stop', { schedule_id, reason })]);
    if (!stopped) return;
    log.warn({ schedule_id, reason }, 'the server paused a schedule, because its runs cannot continue');
    this.#report(schedule, 'firing', reason);
  }

  /** Ends the incident of a schedule, if there is one. */
  ended(schedule: ScheduleRow): void {
    if (schedule.reason !== null) this.#report(schedule, 'resolved', schedule.reason);
  }

  #report({ schedule_id, orbiset_id }: ScheduleRow, state: 'firing' | 'resolved', reason: string): void {
    const title = `The schedule ${schedule_id} of the Orbiset ${orbiset_id} is paused: ${reason}`;
    this.#options.incidents?.report({ name: `schedule:${schedule_id}`, state, title });
  }
}
