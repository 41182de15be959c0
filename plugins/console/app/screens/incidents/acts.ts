import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { Act } from '../../parts/act.ts';
import { TextField } from '../../parts/field.ts';
import { WriteNote, type IncidentActProps } from './note.ts';

/** The actions on an incident; only the auditor closes an incident of a receipt. */
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
    says=${html`<p>Shows that someone is working on the incident. Its downtime continues. A receipt attests this action.</p>`}
    call=${{ method: 'POST', path: `/incidents/${id}/acknowledge`, body: {} }}
    onDone=${onDone}
    done="The incident is acknowledged"
  />`;
}

const reasonHint = 'Attested by a receipt, and visible to everyone who can read incidents.';

function Resolve({ incident: { incident_id: id }, onDone }: IncidentActProps) {
  const [reason, setReason] = useState('');
  return html`<${Act}
    label="Resolve"
    main
    says=${html`<p>
      Closes the incident now. Alerts that still fire do not reopen it; the next new alert opens a new incident.
    </p>`}
    call=${{ method: 'POST', path: `/incidents/${id}/resolve`, body: { reason } }}
    missing=${reason === '' ? 'Enter a reason.' : undefined}
    onDone=${onDone}
    done="The incident is resolved"
  >
    <${TextField} label="Reason" hint=${reasonHint} value=${reason} onChange=${setReason} lines=${3} />
  <//>`;
}

function Retract({ incident: { incident_id: id }, onDone }: IncidentActProps) {
  const [reason, setReason] = useState('');
  return html`<${Act}
    label="Retract"
    danger
    says=${html`<p>
      Marks the incident as a false positive: uptime and reputation ignore it. The retraction, its author and its reason
      stay visible. This cannot be undone.
    </p>`}
    call=${{ method: 'POST', path: `/incidents/${id}/retract`, body: { reason } }}
    word="retract"
    missing=${reason === '' ? 'Enter a reason.' : undefined}
    onDone=${onDone}
    done="The incident is retracted"
  >
    <${TextField} label="Reason" hint=${reasonHint} value=${reason} onChange=${setReason} lines=${3} />
  <//>`;
}
