import { every, type Log, type Store } from '../../../../kernel/index.ts';
import type { DeliveryReads } from '../reading.ts';
import type { Backlog } from './backlog.ts';

interface LanesOptions {
  readonly store: Pick<Store, 'peers' | 'shared'>;
  readonly reads: Pick<DeliveryReads, 'depths'>;
  readonly backlog: Pick<Backlog, 'learn'>;
  readonly pipeline: { start(): Promise<void>; stop(): Promise<void>; wake(sourceId: string): void };
  /** The incidents that come from deliveries: folded where these are processed, watched for on every node. */
  readonly incidents: { begin(): Promise<void>; ready(): Promise<void> };
  readonly log: Pick<Log, 'warn'>;
}

// No event announces deliveries that other nodes accept.
const pollMs = 500;

/**
 * Lets one node process the deliveries that all accept, and fold their incidents: the one that has the role. Where it has
 * it already, it begins before this resolves. Returns a function that stops it.
 */
export async function openLanes(options: LanesOptions): Promise<() => Promise<void>> {
  const { backlog, incidents, log, pipeline, reads, store } = options;
  const poll = async (): Promise<void> => {
    const waiting = await reads.depths();
    backlog.learn(waiting);
    for (const { source_id } of waiting) pipeline.wake(source_id);
  };
  const failed = (err: unknown): void => log.warn({ err }, 'waiting deliveries could not be counted');
  const folding = store.peers.whenHeld('ingestion', () => incidents.begin());
  await folding.begun;
  await incidents.ready();
  const processing = store.peers.whenHeld('ingestion', () => pipeline.start());
  await processing.begun;
  const unpoll = store.shared ? every(pollMs, poll, failed) : () => undefined;
  return async () => {
    unpoll();
    await folding.stop();
    await processing.stop();
    await pipeline.stop();
  };
}
