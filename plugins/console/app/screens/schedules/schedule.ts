import { useState } from 'preact/hooks';
import type { Call } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { Status } from '../../parts/status.ts';
import type { Schedule } from '../../frame/wire.ts';

type Named = Pick<Schedule, 'orbiset_id' | 'schedule_id'>;

/** Writes the place of a schedule in the console. */
export const pathOf = ({ orbiset_id, schedule_id }: Named): string =>
  `/schedules/${encodeURIComponent(orbiset_id)}/${schedule_id}`;

const routeOf = ({ orbiset_id, schedule_id }: Named): string =>
  `/orbisets/${encodeURIComponent(orbiset_id)}/schedules/${encodeURIComponent(schedule_id)}`;

/** Makes the call that changes a schedule. */
export const changeOf = (schedule: Named, body: object): Call => ({
  ...{ method: 'PATCH', path: routeOf(schedule), body },
});

/** Shows whether a schedule runs, and why the server paused it. */
export function ScheduleState({ of: { state, reason } }: { readonly of: Schedule }) {
  const tone = state === 'paused' ? 'warn' : undefined;
  return html`<${Status} of=${state} tone=${tone} />
    ${reason !== undefined && html`<p class="small muted">${reason.replaceAll('_', ' ')}</p>`}`;
}

/** Pauses a schedule, or resumes it; one that has ended has neither. */
export function Turn({ of: schedule, onDone }: ActOn<Schedule>) {
  const { orb_id, state } = schedule;
  const route = routeOf(schedule);
  if (state === 'ended') return null;
  return state === 'active'
    ? html`<${Act}
        label="Pause"
        title=${`Pause the schedule of ${orb_id}`}
        says=${html`<p>No run starts until you resume it. Runs that it already started continue.</p>`}
        call=${{ method: 'POST', path: `${route}/pause` }}
        done="The schedule is paused"
        onDone=${onDone}
      />`
    : html`<${Act}
        label="Resume"
        title=${`Resume the schedule of ${orb_id}`}
        says=${html`<p>
          It runs at its next time. Missed times stay missed. If its key no longer exists, the schedule takes yours, and
          its runs are yours.
        </p>`}
        call=${{ method: 'POST', path: `${route}/resume` }}
        done="The schedule is active"
        onDone=${onDone}
      />`;
}

/** Runs a schedule once outside of its times. */
export function RunNow({ of: schedule, onDone }: ActOn<Schedule>) {
  // One key for each dialog: a repetition after a lost answer starts no second run.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const renew = (): void => setKey(crypto.randomUUID());
  return html`<${Act}
    label="Run now"
    title=${`Run ${schedule.orb_id} now`}
    says=${html`<p>
      It runs once, with the inputs of the schedule and its key. Its times do not change. If its key no longer exists,
      the run is yours.
    </p>`}
    call=${{ method: 'POST', path: `${routeOf(schedule)}/run`, headers: { 'Idempotency-Key': key } }}
    done="The run is queued"
    onDone=${() => {
      renew();
      onDone();
    }}
  />`;
}

/** Deletes a schedule, and goes back to the list. */
export function Remove({ of: schedule }: { readonly of: Schedule }) {
  return html`<${Act}
    label="Delete"
    title=${`Delete the schedule of ${schedule.orb_id}`}
    says=${html`<p>
      The schedule and its sealed inputs are deleted. Runs that it already started continue. This cannot be undone.
    </p>`}
    call=${{ method: 'DELETE', path: routeOf(schedule) }}
    word="delete"
    danger
    done="The schedule is deleted"
    onDone=${() => go(hrefOf('/schedules', { orbiset: schedule.orbiset_id }))}
  />`;
}
