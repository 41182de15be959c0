import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { useSession, holds } from '../../frame/session.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { SelectField } from '../../parts/field.ts';
import type { Run } from '../../frame/wire.ts';
import { isOpen } from './run.ts';

/** Cancels a run that has sent nothing yet. */
export function CancelRun({ of: run, onDone }: ActOn<Run>) {
  const { scopes } = useSession();
  const { run_id } = run;
  if (!isOpen(run) || !holds(scopes, ['runs:cancel', 'runs:manage'])) return null;
  return html`<${Act}
    label="Cancel the run"
    danger
    says=${html`<p>The run ends as <strong>cancelled</strong> and gets a receipt. No provider is called.</p>
      <p>If a provider was already called, the run continues and cancelling has no effect.</p>`}
    call=${{ method: 'POST', path: `/runs/${run_id}/cancel` }}
    done="The run was cancelled"
    onDone=${onDone}
  />`;
}

const outcomes = {
  sent: {
    name: 'It took effect',
    says: 'The run becomes completed. Retries of the same call get this result; no provider is called again.',
  },
  not_sent: {
    name: 'It did not take effect',
    says: 'The run becomes failed. A retry of the same call is sent to a provider.',
  },
} as const;

const evidence = {
  ...{ name: 'note', label: 'Evidence', required: false, lines: 2 },
  hint: 'The receipt contains a commitment to this text, not the text itself.',
};

/** Settles a run whose outcome is unknown. */
export function ResolveRun({ of: { run_id, status, provider }, onDone }: ActOn<Run>) {
  const { scopes } = useSession();
  const [outcome, setOutcome] = useState<keyof typeof outcomes | ''>('');
  if (status !== 'indeterminate' || !holds(scopes, 'runs:resolve')) return null;
  const options = [['', 'Choose…'], ...Object.entries(outcomes).map(([value, { name }]) => [value, name])];
  return html`<${Act}
    label="Resolve"
    title="Resolve the run"
    main
    word="resolve"
    says=${html`<p>
        Ask ${provider === undefined ? 'the provider' : html`the provider <strong>${provider}</strong>`} or its
        recipient first. A receipt attests your answer with your name. It cannot be undone.
      </p>
      ${outcome !== '' && html`<p><strong>${outcomes[outcome].says}</strong></p>`}`}
    call=${{ method: 'POST', path: `/runs/${run_id}/resolve`, body: { outcome } }}
    fields=${[evidence]}
    missing=${outcome === '' ? 'Choose an outcome.' : undefined}
    done="The run was resolved"
    onDone=${onDone}
  >
    <${SelectField} label="Outcome" options=${options} value=${outcome} onChange=${setOutcome} />
  <//>`;
}
