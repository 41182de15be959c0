import { useState } from 'preact/hooks';
import { html } from '../frame/html.ts';
import { useSession, holds } from '../frame/session.ts';
import { Act } from '../parts/act.ts';
import { SelectField, TextField } from '../parts/field.ts';
import type { Run } from './run-words.ts';

interface RunActProps {
  readonly run: Run;
  readonly onDone: () => void;
}

/** Cancels a run that has sent nothing yet. */
export function CancelRun({ run: { run_id, status }, onDone }: RunActProps) {
  const { scopes } = useSession();
  if ((status !== 'queued' && status !== 'running') || !holds(scopes, ['runs:cancel', 'runs:manage'])) return null;
  return html`<${Act}
    label="Cancel the run"
    danger
    says=${html`<p>The run ends as <strong>cancelled</strong>, with a receipt, and nothing is sent.</p>
      <p>Once a provider was called it is too late: then the outcome decides, and this changes nothing.</p>`}
    call=${{ method: 'POST', path: `/runs/${run_id}/cancel` }}
    done="The run was cancelled"
    onDone=${onDone}
  />`;
}

const outcomes = {
  sent: {
    name: 'It took effect',
    says: 'The run becomes completed. Repetitions of the same call are answered as done; nothing is sent.',
  },
  not_sent: {
    name: 'It did not take effect',
    says: 'The run becomes failed. The same call may be made again, and would then be sent.',
  },
} as const;

/** Settles a run whose outcome is unknown. */
export function ResolveRun({ run: { run_id, status, provider }, onDone }: RunActProps) {
  const { scopes } = useSession();
  const [outcome, setOutcome] = useState<keyof typeof outcomes | ''>('');
  const [note, setNote] = useState('');
  if (status !== 'indeterminate' || !holds(scopes, 'runs:resolve')) return null;
  const options = [['', 'Choose…'], ...Object.entries(outcomes).map(([value, { name }]) => [value, name])];
  return html`<${Act}
    label="Resolve"
    title="Resolve the run"
    main
    word="resolve"
    says=${html`<p>
        Ask ${provider === undefined ? 'the provider' : html`the provider <strong>${provider}</strong>`} or its
        recipient first: what you say here is attested by a receipt with your name, and cannot be taken back.
      </p>
      ${outcome !== '' && html`<p><strong>${outcomes[outcome].says}</strong></p>`}`}
    call=${{ method: 'POST', path: `/runs/${run_id}/resolve`, body: { outcome, ...(note === '' ? {} : { note }) } }}
    missing=${outcome === '' ? 'Choose what happened.' : undefined}
    done="The run was resolved"
    onDone=${onDone}
  >
    <${SelectField} label="What happened" options=${options} value=${outcome} onChange=${setOutcome} />
    <${TextField}
      label="How it is known"
      hint="The receipt commits to it without showing it."
      required=${false}
      lines=${2}
      value=${note}
      onChange=${setNote}
    />
  <//>`;
}
