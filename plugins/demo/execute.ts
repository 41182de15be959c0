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

const patienceMs = 1000;

/**
 * Waits until no run is under way: while one is, the time must not move. But for one that waits for its next turn: an
 * alert may have begun it as the time moved, which was then longer than the run may take.
 */
export async function idle({ api, time, vendors }: Pick<Stage, 'api' | 'time' | 'vendors'>): Promise<void> {
  const open = async (status: string): Promise<boolean> => {
    const { runs } = await api<{ readonly runs: readonly WaitingRun[] }>('GET', `/runs?status=${status}&limit=10`);
    return runs.some(({ run_at }) => run_at === undefined || Date.parse(run_at) <= time.now());
  };
  for (let [since, stepMs] = [performance.now(), 1000]; ; await pause(2)) {
    const waits = await open('queued');
    if (vendors.isBusy() || (await open('running'))) since = performance.now();
    else if (!waits) return;
    else if (performance.now() - since > patienceMs) {
      time.pass(time.now() + stepMs);
      [since, stepMs] = [performance.now(), 2 * stepMs];
    }
  }
}
