import { after, every, type Log, type Role, type Store } from '../../../../kernel/index.ts';
import type { DeliveryReads } from '../reading.ts';
import type { Backlog } from './backlog.ts';

interface LanesOptions {
  readonly store: Pick<Store, 'shared'>;
  readonly role: Role;
  readonly reads: Pick<DeliveryReads, 'depths'>;
  readonly backlog: Pick<Backlog, 'learn'>;
  readonly pipeline: { start(): Promise<void>; stop(): Promise<void>; wake(sourceId: string): void };
  /** The incidents that come from deliveries: folded where these are processed, watched for on every node. */
  readonly incidents: { begin(): Promise<void>; ready(): Promise<void> };
  readonly log: Pick<Log, 'error' | 'warn'>;
}

// No event announces deliveries that other nodes accept.
const pollMs = 500;
const retryMs = 500;

/**
 * Lets one node process the deliveries that all accept, and fold their incidents: the one that has the role. Where it has
 * it already, it begins before this resolves. Returns a function that stops it.
 */
export async function openLanes(options: LanesOptions): Promise<() => Promise<void>> {
  const { backlog, incidents, log, pipeline, reads, role, store } = options;
  let stopped = false;
  let taking: Promise<void> = Promise.resolve();
  const takeOver = async (): Promise<void> => {
    if (!stopped) await incidents.begin();
    if (!stopped) await pipeline.start();
  };
  const again = (err: unknown): void => {
    log.error({ err }, 'this node cannot process deliveries yet; it tries again');
    after(retryMs, begin, again);
  };
  const begin = (): void => void (taking = takeOver().catch(again));
  const poll = async (): Promise<void> => {
    const waiting = await reads.depths();
    backlog.learn(waiting);
    for (const { source_id } of waiting) pipeline.wake(source_id);
  };
  const failed = (err: unknown): void => log.warn({ err }, 'waiting deliveries could not be counted');
  const { held } = role;
  if (held) await incidents.begin();
  await incidents.ready();
  if (held) await pipeline.start();
  else role.onHeld(begin);
  const unpoll = store.shared ? every(pollMs, poll, failed) : () => undefined;
  return async () => {
    stopped = true;
    unpoll();
    await taking;
    await pipeline.stop();
  };
}
