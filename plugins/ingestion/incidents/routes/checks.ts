import { PlatformError } from '../../../../kernel/index.ts';
import type { IncidentRow } from '../model/record.ts';
import type { Maintenance } from '../model/schema.ts';
import type { IncidentReads } from '../store/reading.ts';
import type { Window } from '../cluster/window.ts';
import { problems } from '../../problems.ts';

/** Finds an incident, or throws 404. */
export async function getIncident(reads: IncidentReads, id: string): Promise<IncidentRow> {
  const row = await reads.incident(id);
  if (row === undefined)
    throw new PlatformError(problems.incident_not_found, `there is no incident ${id}; GET /incidents lists them`);
  return row;
}

/** Finds a window, or throws 404. */
export async function findWindow(reads: Pick<IncidentReads, 'window'>, id: string): Promise<Maintenance> {
  const window = await reads.window(id);
  if (window === undefined)
    throw new PlatformError(
      problems.maintenance_not_found,
      `there is no maintenance window ${id}; GET /maintenance lists them`,
    );
  return window;
}

type Times = Pick<Window, 'starts_ms' | 'ends_ms'>;

/**
 * Checks the times of a window: past time cannot become maintenance, so an outage cannot be hidden afterwards. Throws
 * 422 `invalid_body`.
 */
export function checkWindow(wish: Times, nowMs: number, before?: Window): void {
  const refuse = (pointer: string, detail: string): never => {
    throw unfit(pointer, detail);
  };
  const { starts_ms: starts, ends_ms: ends } = wish;
  if (ends <= starts) refuse('#/ends_at', 'must be after starts_at');
  if (before !== undefined && before.ends_ms <= nowMs) refuse('#', 'the window has ended and can no longer change');
  const begun = before !== undefined && before.starts_ms <= nowMs;
  if (begun && starts !== before.starts_ms) refuse('#/starts_at', 'the window has already started');
  if (!begun && starts < nowMs - slackMs) refuse('#/starts_at', 'must not be in the past');
  // A window that has not begun must end after now; one that has begun may be ended with a short delay.
  if (ends < nowMs - slackMs || (!begun && ends <= nowMs)) refuse('#/ends_at', 'must not be in the past');
  if (ends - starts > longestMs) refuse('#/ends_at', 'a window can last at most 30 days');
}

/** Makes the 422 for one invalid member. */
export function unfit(pointer: string, detail: string): PlatformError {
  return new PlatformError('invalid_body', detail, { errors: [{ pointer, detail }] });
}

// A caller's `now` arrives with a delay.
const slackMs = 60_000;
const longestMs = 30 * 86_400_000;
