import { PlatformError, requireAnyScope, type Fault, type Principal } from '../../../kernel/index.ts';
import type { ScheduleRequest } from '../schema.ts';
import { patternFault, zoneFault } from '../slots/faults.ts';
import { slotAfter } from '../slots/plan.ts';
import type { SlotTimes } from '../slots/times.ts';
import type { RouteScope } from './scope.ts';
import { admitsOrb, invalidInputs, unknownOrbIn, type Orbiset } from '../../runtime/contract.ts';

/** Checks an Orb with its inputs for a caller: what is refused now would be refused at each slot. */
export function checkInputs(
  { orb_id, inputs = {} }: Pick<ScheduleRequest, 'orb_id' | 'inputs'>,
  orbiset: Orbiset,
  caller: Principal,
  scope: RouteScope,
): void {
  requireAnyScope(caller, 'orbs:execute', orb_id);
  const { orbs } = scope.runtime.catalog;
  const orb = orbs.get(orb_id);
  if (orb === undefined || !admitsOrb(orbiset, orb_id))
    throw unknownOrbIn(orbiset, orb_id, caller, scope.runtime.catalog);
  // The validator fills in defaults, which may be others when the Orb runs.
  const faults = orb.inputs.validate(structuredClone(inputs));
  if (faults.length > 0) throw invalidInputs(orb, faults, scope.runtime.inputsOf(orb.manifest.capability));
}

type Planned = Parameters<typeof slotAfter>[0];

/** Reads the end of a schedule, ms; null: none. Throws 422 for one that is over. */
export function endOf(until: string | null | undefined, now: number): number | null {
  const until_at = until === undefined || until === null ? null : Date.parse(until);
  if (until_at !== null && !(until_at > now)) throw unfit('until', 'must be in the future');
  return until_at;
}

/** Finds the first slot of new times. Throws 422 for a pattern that has faults, and for times without a slot. */
export function firstSlot(schedule: Planned, now: number, times: SlotTimes): number {
  checkPattern(schedule, now, times);
  const next_at = slotAfter(schedule, now, times);
  if (next_at !== null) return next_at;
  const member = schedule.until_at === null ? 'cron' : 'until';
  throw unfit(member, 'allows no slot: no time of the pattern is left before the end');
}

function checkPattern({ cron, timezone }: Planned, now: number, times: SlotTimes): void {
  const faults = timeFaults({ cron, timezone });
  if (faults.length > 0) throw unfitAll(faults);
  try {
    times.after({ cron, timezone }, now);
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    throw unfit('cron', `${noPattern}: ${said}; ${fields}`);
  }
}

const noPattern = 'is not a cron pattern of five fields';
const fields =
  'the fields are minute, hour, day of the month, month and weekday, such as 0 8 * * * for every day at 08:00 in `timezone` (UTC unless given)';

/** Lists the faults of the times of a body, whether or not the rest of it fits the schema. */
export function timeFaults({
  cron,
  timezone,
}: {
  readonly cron?: unknown;
  readonly timezone?: unknown;
}): readonly Fault[] {
  const pattern = typeof cron === 'string' && cron.length <= 100 ? patternFault(cron) : undefined;
  const zone = typeof timezone === 'string' && timezone.length <= 64 ? zoneFault(timezone) : undefined;
  return [
    ...(pattern === undefined ? [] : [{ pointer: '#/cron', detail: `${noPattern}: ${pattern}; ${fields}` }]),
    ...(zone === undefined ? [] : [{ pointer: '#/timezone', detail: zone }]),
  ];
}

function unfitAll(errors: readonly Fault[]): PlatformError {
  const text = errors.map(({ pointer, detail }) => `${pointer.slice(2)} ${detail}`).join('; ');
  return new PlatformError('invalid_body', text, { errors });
}

function unfit(member: keyof ScheduleRequest, detail: string): PlatformError {
  return unfitAll([{ pointer: `#/${member}`, detail }]);
}
