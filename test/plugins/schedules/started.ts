import type { PlatformOptions, TestPlatform } from '../../helpers/platform.ts';
import { startPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';

/** A clock that goes on by itself and can be set. */
export interface SetClock {
  now(): number;
  monotonic(): number;
  /** Sets the clock to an RFC 3339 time. */
  set(time: string): void;
}

/** Makes a clock that begins at a time. */
export function clockAt(time: string): SetClock {
  let shift = Date.parse(time) - Date.now();
  return {
    now: () => Date.now() + shift,
    monotonic: () => performance.now(),
    set: (to) => void (shift = Date.parse(to) - Date.now()),
  };
}

/** The body of a schedule that runs each hour. */
export const hourly = {
  orb_id: 'demo.echo@1.0.0',
  inputs: { text: 'tick' },
  cron: '0 * * * *',
  timezone: 'UTC',
  overlap: 'skip',
  catch_up: 'none',
} as const;

/** Path of the schedules of the default Orbiset. */
export const path = '/orbisets/default/schedules';

/** A platform whose clock can be set. */
export interface Timed {
  readonly clock: SetClock;
  readonly platform: TestPlatform;
  /** Makes a schedule and answers its id. */
  make(change?: object, key?: string): Promise<string>;
  /** Waits until a schedule has so many slots, and answers them, newest first. */
  slots(id: string, count: number, ended?: boolean): Promise<readonly Slot[]>;
}

/** A slot as it is shown. */
export interface Slot {
  readonly planned_at: string;
  readonly outcome: string;
  readonly run_id?: string;
  readonly status?: string;
  readonly code?: string;
}

/** Starts a platform whose clock shows a time. */
export async function startTimed(time: string, options: PlatformOptions & { clock?: SetClock } = {}): Promise<Timed> {
  const clock = options.clock ?? clockAt(time);
  const platform = await startPlatform({ ...options, clock });
  return {
    clock,
    platform,
    async make(change = {}, key = platform.adminKey) {
      const { status, body } = await platform.call('POST', path, { ...hourly, ...change }, key);
      if (status !== 201) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
      return String(body.schedule_id);
    },
    slots: (id, count, ended = true) =>
      until(
        async () => (await platform.call('GET', `${path}/${id}/runs`)).body.runs as readonly Slot[],
        (runs) =>
          runs.length >= count &&
          runs.every(({ run_id, status }) => !ended || run_id === undefined || status !== undefined),
        `${count} slots`,
      ),
  };
}
