import type { Flow } from './cast.ts';
import { Refused } from './client.ts';
import type { Stage } from './stage.ts';

/** Runs an Orb. A run that does not complete is a part of the history; all else that is refused is a defect of it. */
export async function execute(
  { api, keys }: Stage,
  { caller, orbiset = 'default' }: Pick<Flow, 'caller' | 'orbiset'>,
  body: object,
): Promise<void> {
  try {
    await api('POST', `/orbisets/${orbiset}/execute`, { key: keys[caller].key, body });
  } catch (error) {
    if (!(error instanceof Refused) || !error.hasRun) throw error;
  }
}
