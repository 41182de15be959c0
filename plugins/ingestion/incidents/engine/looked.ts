import { given } from '../../../../kernel/index.ts';
import type { Plan } from '../cluster/plan.ts';
import type { Settled } from '../store/writing.ts';

/** A key that was folded, with what is left to do for it; `mark`: the events that were known. */
export interface Looked {
  readonly key: string;
  readonly mark: number;
  readonly plan: Plan;
  readonly due_ms?: number;
}

/** Makes the write of what needs no receipt. */
export function settledOf(looked: readonly Looked[]): Settled {
  return {
    keys: looked.map(({ key, due_ms }) => given({ key, due_ms })),
    assigned: looked.flatMap(({ plan }) => plan.assigned),
    shown: looked.flatMap(({ plan }) =>
      plan.shown.map(({ record, shown }) => ({ incident_id: record.incident_id, shown })),
    ),
  };
}
