import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import type { ReceiptDocument, Run, RunAnswer } from '../../frame/wire.ts';
import { ActDialog } from '../../parts/act.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Loading } from '../../parts/notice.ts';
import { isOfRun, isOpen } from './run.ts';

/** Runs the Orb of a run again: with the same inputs if they were kept, else by the form of the Orb. */
export function RunAgain({ of: run }: { readonly of: Run }) {
  const [open, setOpen] = useState(false);
  const executes = useScope('orbs:execute');
  if (isOpen(run) || !executes) return null;
  const close = (): void => setOpen(false);
  return html`<button class="button button-quiet" type="button" onClick=${() => setOpen(true)}>Run again</button>
    ${open && html`<${AgainDialog} of=${run} onClose=${close} />`}`;
}

interface AgainProps {
  readonly of: Run;
  readonly onClose: () => void;
}

// Each reading of kept inputs is logged, so they are read when the reader asks for them.
function AgainDialog({ of: run, onClose }: AgainProps) {
  const reads = useScope('receipts:read');
  const path = run.receipt_id === undefined || !reads ? undefined : `/receipts/${run.receipt_id}?disclose=inputs`;
  const { value, loading } = useGet<ReceiptDocument>(path);
  if (loading)
    return html`<${Dialog} title="Run again" onClose=${onClose}><${Loading} what="Reading the inputs" /><//>`;
  const inputs = value?.disclosed?.inputs?.value;
  if (value === undefined || inputs === undefined) return html`<${WithoutInputs} of=${run} onClose=${onClose} />`;
  return html`<${WithInputs} of=${run} receipt=${value} inputs=${inputs} onClose=${onClose} />`;
}

function WithoutInputs({ of: { orb_id, orbiset_id }, onClose }: AgainProps) {
  return html`<${Dialog} title="Run again" onClose=${onClose}>
    <p>
      The inputs of this run cannot be read: its receipt has only their digest, unless the Orbiset keeps inputs
      (<code>retention_days</code>) and your key may read them (<code>receipts:disclose</code>).
    </p>
    <p>The form of the Orb opens with this Orb and this Orbiset. Enter the inputs there.</p>
    <div class="row end">
      <button class="button button-quiet" type="button" onClick=${onClose}>Cancel</button>
      <a class="button" href=${hrefOf('/try', { orb_id, orbiset_id })}>Open the form</a>
    </div>
  <//>`;
}

type Filled = AgainProps & { readonly receipt: ReceiptDocument; readonly inputs: object };

function WithInputs({ of: run, receipt, inputs, onClose }: Filled) {
  // The same dialog sends the same key, so that a call whose answer was lost is not made twice.
  const [key] = useState(() => crypto.randomUUID() as string);
  const { orb_id, orbiset_id, mode } = run;
  const sandbox = mode === 'sandbox';
  const call = {
    method: 'POST',
    path: `/orbisets/${encodeURIComponent(orbiset_id)}/execute`,
    body: { orb_id, inputs, ...(sandbox ? { sandbox } : {}) },
    headers: { 'Idempotency-Key': key },
  } as const;
  const acts = effectOf(receipt) !== 'none' && !sandbox;
  return html`<${ActDialog}
    label="Run again"
    danger=${acts}
    word=${acts ? 'again' : undefined}
    says=${html`<p>Runs <strong>${orb_id}</strong> with the same inputs and a new key, so it is a new run.</p>
      ${
        acts
          ? html`<p>${mayHaveActed(run)} <strong>The action may then be done twice.</strong></p>`
          : html`<p>${sandbox ? 'It runs in the sandbox: no data leaves the server.' : 'The Orb has no effect.'}</p>`
      }`}
    call=${call}
    onDone=${(answer: RunAnswer) => go(hrefOf(`/runs/${answer.run_id}`))}
    onClose=${onClose}
  />`;
}

function effectOf({ statement }: ReceiptDocument): string | undefined {
  return statement !== undefined && isOfRun(statement) ? statement.predicate.facts.action.effect : undefined;
}

function mayHaveActed({ status }: Run): string {
  if (status === 'completed') return 'This run was completed.';
  if (status === 'indeterminate') return 'The outcome of this run is unknown. Resolve it first, if you can.';
  return `This run ended as ${status.replaceAll('_', ' ')}.`;
}
