import { html } from '../../frame/html.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { WriteNote } from './note.ts';
import type { IncidentDetail } from '../../frame/wire.ts';

const reasonHint = 'Attested by a receipt, and visible to everyone who can read incidents.';
const reason = [{ name: 'reason', label: 'Reason', hint: reasonHint, lines: 3 }];

/** The actions on an incident; only the auditor closes an incident of a receipt. */
export function Acts({ of: incident, onDone }: ActOn<IncidentDetail>) {
  const { incident_id: id, state, kind, retracted, failing_receipt_id: receipt } = incident;
  const over = retracted || state === 'resolved';
  const people = kind !== 'integrity' || receipt === undefined;
  const callOf = (act: string) => ({ method: 'POST', path: `/incidents/${id}/${act}`, body: {} });
  return html`<${WriteNote} of=${incident} onDone=${onDone} /> ${
      state === 'open' &&
      !retracted &&
      html`<${Act}
        label="Acknowledge"
        says=${html`<p>Shows that someone is working on the incident. Its downtime continues. A receipt attests this action.</p>`}
        call=${callOf('acknowledge')}
        onDone=${onDone}
        done="The incident is acknowledged"
      />`
    }
    ${
      !over &&
      people &&
      html`<${Act}
        label="Resolve"
        main
        says=${html`<p>
          Closes the incident now. Alerts that still fire do not reopen it; the next new alert opens a new incident.
        </p>`}
        call=${callOf('resolve')}
        fields=${reason}
        onDone=${onDone}
        done="The incident is resolved"
      />`
    }
    ${
      !retracted &&
      people &&
      html`<${Act}
        label="Retract"
        danger
        says=${html`<p>
          Marks the incident as a false positive: uptime and reputation ignore it. The retraction, its author and its
          reason stay visible. This cannot be undone.
        </p>`}
        call=${callOf('retract')}
        fields=${reason}
        word="retract"
        onDone=${onDone}
        done="The incident is retracted"
      />`
    }`;
}
