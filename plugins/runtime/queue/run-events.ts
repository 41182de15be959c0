import type { RecordEvent } from '../events/recording.ts';
import type { QueuedRow } from './store.ts';
import type { Operation } from '../../../kernel/index.ts';

/** What the events of a run name. */
type Named = Pick<QueuedRow, 'run_id' | 'tenant' | 'orbiset_id' | 'orb_id'>;

/** Makes the writes of events of a run before its end; the receipt announces the end. */
export type RunEvents = ReturnType<typeof runEvents>;

/** Makes the events of runs that wait. */
export function runEvents(record: RecordEvent) {
  const event = (type: string, status: string, { tenant, run_id, orbiset_id, orb_id }: Named): Operation =>
    record({ type, scope: 'runs:read', tenant, data: { run_id, orbiset_id, orb_id, status } });
  return {
    /** It was put into the queue. */
    queued: (run: Named) => event('run.queued', 'queued', run),
    /** It waits for people. */
    held: (run: Named) => event('run.held', 'held', run),
    /** A turn of it is about to call its first provider. */
    started: (run: Named) => event('run.started', 'running', run),
  };
}
