import { setTimeout as pause } from 'node:timers/promises';
import type { Flow } from './cast.ts';
import { Refused } from './client.ts';
import type { Stage } from './stage.ts';

/**
 * Runs an Orb; answers whether the run completed. One that does not is a part of the history; all else that is refused is
 * a defect of it.
 */
export async function execute(
  { api, keys }: Stage,
  { caller, orbiset = 'default' }: Pick<Flow, 'caller' | 'orbiset'>,
  body: object,
): Promise<boolean> {
  try {
    await api('POST', `/orbisets/${orbiset}/execute`, { key: keys[caller].key, body });
    return true;
  } catch (error) {
    if (!(error instanceof Refused) || !error.hasRun) throw error;
    return false;
  }
}

interface WaitingRun {
  readonly run_at?: string;
}

/** Waits until no run is under way: while one is, the time must not move. */
export async function idle({ api, time, vendors }: Stage): Promise<void> {
  const open = async (status: string): Promise<boolean> => {
    const { runs } = await api<{ readonly runs: readonly WaitingRun[] }>('GET', `/runs?status=${status}&limit=10`);
    return runs.some(({ run_at }) => run_at === undefined || Date.parse(run_at) <= time.now());
  };
  while (vendors.isBusy() || (await open('queued')) || (await open('running'))) await pause(2);
}
