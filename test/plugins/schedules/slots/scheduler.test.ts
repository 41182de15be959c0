import { expect } from 'chai';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { Scheduler, type SchedulerOptions } from '../../../../plugins/schedules/slots/scheduler.ts';
import type { ScheduleRow } from '../../../../plugins/schedules/store.ts';

const at = (time: string): number => Date.parse(`2026-11-${time}Z`);

describe('a scheduler whose clock was set back', () => {
  it('plans no slot from before the schedule was made, and none that is over', async () => {
    const hourly = { cron: '0 * * * *', timezone: 'UTC', until_at: null, catch_up: 'one', next_at: at('23T11:00:00') };
    const made = { ...hourly, created_at: at('23T10:30:00'), computed_at: at('23T10:30:00'), floor_at: 0 };
    let ahead: readonly object[] = [
      { ...made, schedule_id: 'new' },
      { ...made, schedule_id: 'old', created_at: at('01T00:00:00'), floor_at: at('23T10:00:00') },
    ];
    const planned: unknown[] = [];
    const scheduler = new Scheduler({
      reads: {
        ahead: () => {
          const found = ahead as readonly ScheduleRow[];
          ahead = [];
          return found;
        },
        due: () => [],
      },
      store: {
        write: (operations: readonly { readonly args: object }[]) => {
          planned.push(...operations.map(({ args }) => args));
          return Promise.resolve([]);
        },
      },
      handOver: { take: () => expect.fail('nothing is due') },
      clock: { now: () => at('22T09:30:00'), monotonic: () => 0 },
      log: silentLog,
    } as unknown as SchedulerOptions);
    await scheduler.tick();
    const computed = { next_at: at('23T11:00:00'), computed_at: made.computed_at, now: at('22T09:30:00') };
    expect(planned).to.deep.equal([
      { ...computed, schedule_id: 'new' },
      { ...computed, schedule_id: 'old' },
    ]);
  });
});
