import runtimeStore from '../store.ts';
import type { Recorded } from '../tables/events.ts';
import { timestamp, type Clock, type Ids, operation, type Operation } from '../../../kernel/index.ts';

/** An event as a plugin gives it. */
export interface NewEvent extends Pick<Recorded, 'type' | 'scope' | 'data'> {
  /** Absent: it belongs to the installation. */
  readonly tenant?: string;
}

/** Makes the write of an event, for the commit of the change that it announces. */
export type RecordEvent = (event: NewEvent) => Operation;

/** Creates what makes the writes of events. */
export function eventRecorder({ ids, clock }: { readonly ids: Ids; readonly clock: Pick<Clock, 'now'> }): RecordEvent {
  return ({ tenant = '', ...event }) => {
    const recorded = { ...event, tenant, event_id: ids('evt'), at: timestamp(clock.now()) };
    return operation(runtimeStore, 'recordEvent', recorded);
  };
}
