import type { ComponentChildren } from 'preact';
import { html } from '../../frame/html.ts';
import { Time } from '../../parts/time.ts';
import type { IncidentDetail } from '../../frame/wire.ts';

interface Entry {
  readonly at: string;
  readonly key: string;
  readonly title: string;
  readonly by?: string | undefined;
  readonly says?: ComponentChildren;
}

/** Shows the changes and notes of an incident in the order in which they came. */
export function Timeline({ incident }: { readonly incident: IncidentDetail }) {
  const entries = [...incident.changes.map(changeEntry), ...incident.notes.map(noteEntry)];
  entries.sort((one, other) => one.at.localeCompare(other.at));
  return html`<ol class="steps">
    ${entries.map(
      ({ at, key, title, by, says }) =>
        html`<li class="step" key=${key}>
          <h3>
            ${title} <span class="small muted"><${Time} at=${at} /></span>
          </h3>
          ${says} ${by && html`<p class="small muted">by <code>${by}</code></p>`}
        </li>`,
    )}
  </ol>`;
}

function changeEntry(change: IncidentDetail['changes'][number], at: number, all: IncidentDetail['changes']): Entry {
  const before = all[at - 1];
  const { change_number, change: kind, state, severity, principal, reason } = change;
  const title =
    kind === 'opened'
      ? `Opened, ${severity}`
      : kind === 'retracted'
        ? 'Retracted: a false positive'
        : before?.state !== state
          ? `${state.charAt(0).toUpperCase()}${state.slice(1)}`
          : before.severity === severity
            ? 'Changed'
            : `Now ${severity}`;
  return {
    at: change.at,
    key: `change ${change_number}`,
    title,
    by: principal,
    says: reason && html`<p>${reason}</p>`,
  };
}

function noteEntry({ at, note_id, text, public: shown, phase, principal }: IncidentDetail['notes'][number]): Entry {
  const kind = shown ? 'Public note' : 'Internal note';
  const title = phase === undefined ? kind : `${kind}, ${phase}`;
  const heading = shown ? /^# ([^\n]{1,120})(?:\n+|$)/.exec(text) : null;
  const says = html`${heading && html`<p><strong>${heading[1]}</strong></p>`}
    <p class="pre-line">${text.slice(heading?.[0].length ?? 0)}</p>`;
  return { at, key: note_id, title, by: principal, says };
}
