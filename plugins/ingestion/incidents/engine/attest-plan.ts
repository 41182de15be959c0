import type { Awaitable, Operation, PluginScope } from '../../../../kernel/index.ts';
import type { Memory } from '../cluster/memory.ts';
import type { Plan } from '../cluster/plan.ts';
import { attestChange } from './change.ts';
import type { IncidentRecord } from '../model/record.ts';

/** What belongs to a plan. */
interface Along {
  readonly key: string;
  /** Writes that commit with the first receipt, or alone when there is none. */
  readonly extra: readonly Operation[];
  /** Takes what is committed. */
  readonly memory: Pick<Memory, 'assign' | 'keep' | 'moveActs'>;
}

interface AttestOptions extends Pick<PluginScope<unknown, never>, 'platform' | 'calls' | 'clock' | 'store'> {
  readonly changed: (record: IncidentRecord) => Awaitable<void>;
}

/** Attests the changes of a plan, one after another. */
export async function attestPlan(plan: Plan, { extra, key, memory }: Along, options: AttestOptions): Promise<void> {
  let parts = extra;
  for (const change of plan.changes) {
    const assigned = plan.assigned.filter(({ incident_id }) => incident_id === change.incident_id);
    const attested = await attestChange(change, { key, assigned, extra: parts }, options);
    parts = [];
    for (const record of attested) memory.keep(record);
    memory.assign(assigned);
    for (const taken of change.takes) memory.moveActs(taken, change.incident_id);
    for (const record of attested.slice(-1)) await options.changed(record);
  }
  if (parts.length > 0) await options.store.write(parts);
}
