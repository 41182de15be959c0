import { every, operation, type Awaitable } from '../../../kernel/index.ts';
import type { ScheduleScope } from '../scope.ts';
import schedulesStore, { type ScheduleRow } from '../store.ts';
import type { DueSchedule, HandOver } from './hand-over.ts';
import { slotAfter } from './plan.ts';
import { loadTimes, type SlotTimes } from './times.ts';

/** What the scheduler needs of the plugin, and what takes the slots. */
export type SchedulerOptions = Pick<ScheduleScope, 'store' | 'reads' | 'clock' | 'log'> & {
  readonly handOver: Pick<HandOver, 'take'>;
};

const tickMs = 1000;
// One page computes for some milliseconds, and requests are served between two.
const pageSize = 64;
// Clocks are corrected by less all the time.
const setBackMs = 1000;

/** Hands over what is due, once a second: the store finds due slots by an index, and none is held in memory. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #running: Promise<void> | undefined;
  #closing = false;
  #stopTimer: () => void = () => undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#closing) return;
    const failed = (err: unknown): void =>
      this.#options.log.error({ err }, 'due schedules could not be read; the server tries again');
    this.#stopTimer = every(tickMs, () => this.tick(), failed);
  }

  /** Looks for due slots and hands them over; one look at a time. */
  tick(): Promise<void> {
    this.#running ??= this.#look().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#closing = true;
    this.#stopTimer();
    await this.#running?.catch(() => undefined);
  }

  async #look(): Promise<void> {
    const { reads, handOver, clock } = this.#options;
    await this.#page(
      () => reads.ahead(clock.now() + setBackMs, pageSize),
      (schedule, times) => this.#recompute(schedule, times),
    );
    await this.#page(
      () => reads.due(clock.now(), pageSize),
      (schedule, times) => handOver.take(schedule as DueSchedule, times),
    );
  }

  // Each look at a schedule plans a later one, so the pages end.
  async #page(
    read: () => Awaitable<readonly ScheduleRow[]>,
    work: (schedule: ScheduleRow, times: SlotTimes) => Promise<void>,
  ): Promise<void> {
    for (;;) {
      const found = this.#closing ? [] : await read();
      if (found.length === 0) return;
      const times = await loadTimes();
      await Promise.all(found.map((schedule) => work(schedule, times)));
    }
  }

  async #recompute(schedule: ScheduleRow, times: SlotTimes): Promise<void> {
    const { store, clock } = this.#options;
    const { schedule_id, computed_at, created_at, floor_at, next_at: planned } = schedule;
    const now = clock.now();
    // A clock that is behind for a moment plans no slot from before the schedule was made.
    const first = slotAfter(schedule, Math.max(now, floor_at, created_at), times);
    const next_at = first === null || (planned !== null && planned < first) ? planned : first;
    await store.write([operation(schedulesStore, 'recompute', { schedule_id, next_at, computed_at, now })]);
  }
}
