import type { Snapshot } from '../status/board.ts';
import type { IncidentEntry } from '../status/schema.ts';

/**
 * The script of the status pages, plain JavaScript since it is sent as it is: shows times in the reader's zone next
 * to UTC, and follows /status. A page in use is not reloaded; a note announces the change instead.
 */
export const statusScript = `
const two = (number) => String(number).padStart(2, '0');
if (new Date().getTimezoneOffset() !== 0)
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    const day = at.toISOString().slice(0, 10) === at.getFullYear() + '-' + two(at.getMonth() + 1) + '-' + two(at.getDate());
    const local = at.toLocaleString([], day ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' });
    time.append(' (' + local + ' your time)');
  }
const holder = document.getElementById('state');
if (holder) {
  const state = JSON.parse(holder.textContent);
  const note = document.getElementById('live');
  const keyOf = ({ status, services, incidents }) =>
    JSON.stringify([status, Object.values(services), incidents.map(({ id, status, impact, updated_at }) => [id, status, impact, updated_at])]);
  let failures = 0;
  const inUse = () => document.querySelector('main details[open]') || !getSelection().isCollapsed;
  const look = async () => {
    if (document.visibilityState === 'hidden') return;
    try {
      const answer = await fetch('/status', { headers: { accept: 'application/json' }, cache: 'no-cache', credentials: 'omit' });
      if (!answer.ok) throw new Error(answer.status);
      failures = 0;
      if (keyOf(await answer.json()) === state) note.textContent = 'Live. Checked at ' + new Date().toLocaleTimeString() + '.';
      else if (!inUse()) location.reload();
      else {
        const link = document.createElement('a');
        link.href = '';
        link.textContent = 'Reload';
        note.replaceChildren('The status changed. ', link);
      }
    } catch {
      failures += 1;
      if (failures > 1) note.textContent = 'The server does not respond. This page shows the last known status.';
    }
  };
  const follow = () => look().finally(() => setTimeout(follow, 15000));
  document.addEventListener('visibilitychange', look);
  follow();
}
`;

/** The state that the script compares with /status. */
export function stateOf(
  status: Pick<Snapshot, 'status' | 'services'> & {
    readonly incidents: readonly Pick<IncidentEntry, 'id' | 'status' | 'impact' | 'updated_at'>[];
  },
): string {
  const incidents = status.incidents.map((one) => [one.id, one.status, one.impact, one.updated_at]);
  return JSON.stringify([status.status, Object.values(status.services), incidents]);
}
