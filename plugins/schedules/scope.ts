import type { PluginScope } from '../../kernel/index.ts';
import type { Incidents } from '../ingestion/contract.ts';
import type { Runtime, CredentialPort } from '../runtime/contract.ts';
import type { ScheduleReads } from './store.ts';

/** What the parts of the plugin share. */
export interface ScheduleScope extends Pick<PluginScope<unknown, never>, 'store' | 'clock' | 'ids' | 'log'> {
  readonly reads: ScheduleReads;
  readonly runtime: Pick<Runtime, 'catalog' | 'findRuns' | 'inputsOf' | 'enqueue' | 'isWaiting'>;
  readonly credential: CredentialPort;
  /** Absent: no plugin keeps incidents. */
  readonly incidents: Pick<Incidents, 'report'> | undefined;
}
