import { PlatformError } from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import type { ScheduleScope } from '../scope.ts';

/** Opens the sealed inputs of a schedule. Throws `slot_taken` when it was deleted meanwhile. */
export async function openInputs(
  { reads, store }: Pick<ScheduleScope, 'reads' | 'store'>,
  scheduleId: string,
): Promise<Readonly<Record<string, unknown>>> {
  const sealed = await reads.inputs(scheduleId);
  if (sealed === undefined) throw new PlatformError(problems.slot_taken);
  const text = Buffer.from(store.sealer.open('schedules', sealed)).toString();
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
