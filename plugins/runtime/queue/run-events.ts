import type { RecordEvent } from '../events/recording.ts';
import type { Operation } from '../../../kernel/index.ts';

/** What the events of a run name. */
interface Named {
  readonly run_id: string;
  readonly tenant: string;
  readonly orbiset_id: string;
  readonly orb_id: string;
}

/** Makes the writes of events of a run before its end; the receipt announces the end. */
export interface RunEvents {
  /** It was put into the queue. */
  queued(run: Named): Operation;
  /** A turn of it is about to call its first provider. */
  started(run: Named): Operation;
}

/** Makes the events of runs that wait. */
export function runEvents(record: RecordEvent): RunEvents {
  const event = (type: string, status: string, { tenant, run_id, orbiset_id, orb_id }: Named): Operation =>
    record({ type, scope: 'runs:read', tenant, data: { run_id, orbiset_id, orb_id, status } });
  return {
    queued: (run) => event('run.queued', 'queued', run),
    started: (run) => event('run.started', 'running', run),
  };
}
