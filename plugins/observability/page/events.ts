import { html, type Html } from '../../../kernel/index.ts';
import { serviceTitles, type Status } from '../contract.ts';
import type { IncidentEntry } from '../status/schema.ts';
import { capital, moment, word } from './word.ts';

const phases: Readonly<Record<string, string>> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
  scheduled: 'Scheduled',
  in_progress: 'In progress',
  completed: 'Completed',
};

/** Lists incidents or maintenance with their updates, newest update first; `nothing`: text for an empty list. */
export function happenings(entries: readonly IncidentEntry[], nothing: string): Html {
  if (entries.length === 0) return html`<p class="quiet">${nothing}</p>`;
  return html`<ul class="happenings">
    ${entries.map(happening)}
  </ul>`;
}

function happening(entry: IncidentEntry): Html {
  const { id, title, status, impact, components, started_at, resolved_at, updates, scheduled } = entry;
  const until = resolved_at ?? entry.scheduled_until;
  const shown: Status = impact === 'none' ? 'operational' : impact;
  return html`<li>
    <article class="panel happening" id="${id}" aria-labelledby="${id}-title">
      <h3 id="${id}-title">${title}</h3>
      <p class="row">
        ${impact !== 'none' && status !== 'scheduled' && word(shown)}<span>${phases[status] ?? status}</span>${scheduled && html`<span>${components.map((name) => serviceTitles[name]).join(', ')}</span>`}
      </p>
      <p class="row small">
        <span>${scheduled ? 'From' : 'Since'} ${moment(started_at)}</span>${
          until !== undefined && html`<span>${scheduled ? 'to' : 'resolved'} ${moment(until)}</span>`
        }
      </p>
      ${
        updates.length > 0 &&
        html`<ol class="updates" aria-label="Updates">
          ${updates.toReversed().map(
            ({ at, status: phase, message }) =>
              html`<li>
                <strong>${phases[phase] ?? capital(phase)}</strong> <span class="when">${moment(at)}</span>
                <p>${message}</p>
              </li>`,
          )}
        </ol>`
      }
    </article>
  </li>`;
}
