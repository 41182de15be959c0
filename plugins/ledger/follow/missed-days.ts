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

/**
 * Decides whether the snapshot of a day may be attested now: a clock that is ahead would attest days that have not
 * ended, which cannot be undone. One missed day is attested immediately; several days after the wall clock and the
 * monotonic clock agree for five minutes; more than 180 days only as far as the operator allows.
 */
export class MissedDays {
  readonly #options: MissedScope;
  #offset: number;
  #since: number;
  #waits = false;
  #fault: string | undefined;

  constructor(options: MissedScope) {
    this.#options = options;
    this.#since = options.clock.monotonic();
    this.#offset = options.clock.now() - this.#since;
  }

  /** Why snapshots wait for the operator. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Answers the day that is due, if its snapshot may be attested now. */
  allowed(due: Due | undefined): number | undefined {
    const steady = this.#isSteady();
    const refused = due !== undefined && this.#needsOperator(due);
    this.#tell(refused ? due : undefined);
    if (due === undefined || refused) return undefined;
    const waits = due.missed > 1 && !steady;
    if (waits && !this.#waits)
      this.#options.logger.info({ missed: due.missed }, 'the ledger takes missed snapshots when the clock is stable');
    this.#waits = waits;
    return waits ? undefined : due.day;
  }

  // The monotonic clock goes on evenly, so a step of the wall clock shows as a difference.
  #isSteady(): boolean {
    const { clock } = this.#options;
    const at = clock.monotonic();
    const offset = clock.now() - at;
    if (Math.abs(offset - this.#offset) > stepMs) [this.#offset, this.#since] = [offset, at];
    return at - this.#since >= steadyMs;
  }

  #needsOperator({ day, missed }: Due): boolean {
    const { missedUntil } = this.#options;
    return missed > windowDays && (missedUntil === undefined || day > dayNumber(missedUntil));
  }

  #tell(refused: Due | undefined): void {
    const known = this.#fault !== undefined;
    this.#fault =
      refused === undefined
        ? undefined
        : `${refused.missed} days from ${dayText(refused.day)} on have no snapshot: is the clock right?`;
    if (refused === undefined || known) return;
    const { missed } = refused;
    this.#options.logger.error(
      { missed, from: dayText(refused.day), until: dayText(refused.day + missed - 1) },
      'the ledger takes no snapshot: correct the clock, or allow the missed days with missed_days_until of the plugin ledger',
    );
  }
}
