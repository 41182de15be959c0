import { otherDefinition } from '../outcome/outcome.ts';
import type { Slot } from '../provider/binding.ts';
import { unfitFor } from '../provider/definitions.ts';
import type { Run } from './run-record.ts';
import type { Outcome } from '../../../kernel/index.ts';
import type { Lease } from '../provider/generation.ts';

/** Returns the outcome of an attempt whose provider must not be called with this run; undefined when it may be. */
export function unfitOutcome(
  { orb, parsed }: Pick<Run, 'orb' | 'parsed'>,
  { provider }: Slot,
  { generation }: Lease,
): Outcome | undefined {
  // The policy did not see these inputs in the form that a provider would use.
  if (parsed !== undefined && 'refused' in parsed) return parsed.refused;
  const unfit = unfitFor(orb, provider, generation.transport);
  return unfit === undefined ? undefined : otherDefinition(unfit);
}
