import { dayNumber, dayText } from '../score/day.ts';
import { windowDays } from '../score/model.ts';
import type { FollowScope } from './scope.ts';
import type { Due } from './snapshots.ts';

/** What deciding about missed days needs. */
type MissedScope = Pick<FollowScope, 'clock' | 'logger' | 'missedUntil'>;

// NTP steps a wrong clock within minutes of the start.
const steadyMs = 5 * 60_000;
// Less than NTP sets at once, and more than two clocks of one machine drift apart.
const stepMs = 10_000;

/** Decides whether the snapshot of a day may be attested now. */
export type MissedDays = ReturnType<typeof createMissedDays>;

/**
 * Makes what decides whether the snapshot of a day may be attested now: a clock that is ahead would attest days that
 * have not ended, which cannot be undone. One missed day is attested immediately; several days after the wall clock and
 * the monotonic clock agree for five minutes; more than 180 days only as far as the operator allows.
 */
export function createMissedDays({ clock, logger, missedUntil }: MissedScope) {
  let since = clock.monotonic();
  let offset = clock.now() - since;
  let waits = false;
  let fault: string | undefined;
  // The monotonic clock goes on evenly, so a step of the wall clock shows as a difference.
  const isSteady = (): boolean => {
    const at = clock.monotonic();
    const found = clock.now() - at;
    if (Math.abs(found - offset) > stepMs) [offset, since] = [found, at];
    return at - since >= steadyMs;
  };
  const needsOperator = ({ day, missed }: Due): boolean =>
    missed > windowDays && (missedUntil === undefined || day > dayNumber(missedUntil));
  const refuse = ({ day, missed }: Due): void => {
    const isReported = fault !== undefined;
    fault = `${missed} days from ${dayText(day)} on have no snapshot: is the clock right?`;
    if (isReported) return;
    logger.error(
      { missed, from: dayText(day), until: dayText(day + missed - 1) },
      'the ledger takes no snapshot: correct the clock, or allow the missed days with missed_days_until of the plugin ledger',
    );
  };
  return {
    /** Why snapshots wait for the operator. */
    get fault(): string | undefined {
      return fault;
    },
    /** Answers the day that is due, if its snapshot may be attested now. */
    allowed(due: Due | undefined): number | undefined {
      const steady = isSteady();
      if (due !== undefined && needsOperator(due)) return void refuse(due);
      fault = undefined;
      if (due === undefined) return undefined;
      const waited = waits;
      waits = due.missed > 1 && !steady;
      if (waits && !waited)
        logger.info({ missed: due.missed }, 'the ledger takes missed snapshots when the clock is stable');
      return waits ? undefined : due.day;
    },
  };
}
