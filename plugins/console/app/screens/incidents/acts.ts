import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { Act } from '../../parts/act.ts';
import { TextField } from '../../parts/field.ts';
import type { IncidentActProps } from './model.ts';
import { WriteNote } from './note.ts';

/** The acts on an incident; the auditor alone closes that of a receipt. */
export function Acts({ incident, onDone }: IncidentActProps) {
  const { state, kind, retracted, failing_receipt_id: receipt } = incident;
  const over = retracted || state === 'resolved';
  const people = kind !== 'integrity' || receipt === undefined;
  return html`<${WriteNote} incident=${incident} onDone=${onDone} />
    ${state === 'open' && !retracted && html`<${Acknowledge} incident=${incident} onDone=${onDone} />`}
    ${!over && people && html`<${Resolve} incident=${incident} onDone=${onDone} />`}
    ${!retracted && people && html`<${Retract} incident=${incident} onDone=${onDone} />`}`;
}

function Acknowledge({ incident: { incident_id: id }, onDone }: IncidentActProps) {
  return html`<${Act}
    label="Acknowledge"
    says=${html`<p>It says that somebody is at work on it. Its downtime continues. The act is attested.</p>`}
    call=${{ method: 'POST', path: `/incidents/${id}/acknowledge`, body: {} }}
    onDone=${onDone}
    done="The incident is acknowledged"
  />`;
}

const reasonHint = 'It is attested, and stays visible to whoever may read incidents.';

function Resolve({ incident: { incident_id: id }, onDone }: IncidentActProps) {
  const [reason, setReason] = useState('');
  return html`<${Act}
    label="Resolve"
    main
    says=${html`<p>
      The incident is closed now. Alerts that still fire do not open it again; the next one that begins opens a new
      incident.
    </p>`}
    call=${{ method: 'POST', path: `/incidents/${id}/resolve`, body: { reason } }}
    missing=${reason === '' ? 'Say why.' : undefined}
    onDone=${onDone}
    done="The incident is resolved"
  >
    <${TextField} label="Why" hint=${reasonHint} value=${reason} onChange=${setReason} lines=${3} />
  <//>`;
}

function Retract({ incident: { incident_id: id }, onDone }: IncidentActProps) {
  const [reason, setReason] = useState('');
  return html`<${Act}
    label="Retract"
    danger
    says=${html`<p>
      It was a false positive: it counts as if it had never opened, in uptime and in reputation. That it was retracted,
      by whom and why, stays visible. This cannot be taken back.
    </p>`}
    call=${{ method: 'POST', path: `/incidents/${id}/retract`, body: { reason } }}
    word="retract"
    missing=${reason === '' ? 'Say why.' : undefined}
    onDone=${onDone}
    done="The incident is retracted"
  >
    <${TextField} label="Why" hint=${reasonHint} value=${reason} onChange=${setReason} lines=${3} />
  <//>`;
}
