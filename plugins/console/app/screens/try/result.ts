import { useEffect } from 'preact/hooks';
import { announce } from '../../frame/announce.ts';
import { runEvents, useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import { Json } from '../../parts/code.ts';
import { Notice, ProblemNote } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { IdLink } from '../../parts/id-link.ts';
import { Facts, Id } from '../../parts/table.ts';
import { durationOf, Time } from '../../parts/time.ts';
import { CancelRun } from '../runs/acts.ts';
import { isOpen } from '../runs/run.ts';
import type { Run, RunAnswer } from '../../frame/wire.ts';

/** Shows the answer of a run, and follows one that waits. */
export function Result({ of }: { readonly of: RunAnswer }) {
  return of.status === 'completed'
    ? html`<${Completed} of=${of} />`
    : html`<${Followed} id=${of.run_id} key=${of.run_id} />`;
}

function Completed({ of: { run_id, outputs, execution_ms, receipt } }: { readonly of: RunAnswer }) {
  return html`<div class="stack">
    <${Facts}
      of=${[
        ['Run', html`<${Status} of="completed" />`],
        ['Duration', durationOf(execution_ms)],
        ['Trust score', receipt && `${receipt.trust_score} of 100, risk ${receipt.risk_level}`],
        ['Receipt', receipt && html`<${ReceiptLink} id=${receipt.receipt_id} run=${run_id} />`],
        ['Details', html`<${IdLink} id=${run_id} />`],
      ]}
    />
    ${outputs && html`<${Json} value=${outputs} label="outputs" />`}
  </div>`;
}

// Events announce changes; a long-polling request would block one of the few connections of the browser.
function Followed({ id }: { readonly id: string }) {
  const { value: run, problem, reload } = useGet<Run>(`/runs/${id}`);
  useEvents(runEvents, ({ data }) => data['run_id'] === id && reload(), reload);
  const ended = run === undefined || isOpen(run) ? undefined : run.status;
  useEffect(() => {
    if (ended !== undefined) announce(`The run ended: ${ended}`);
  }, [ended]);
  return html`<div class="stack">
    <${ProblemNote} problem=${problem} />
    ${run?.status === 'held' && run.approval && html`<${Held} of=${run.approval} />`}
    ${
      run &&
      html`<${Facts}
        of=${[
          ['Run', html`<${Status} of=${run.status} />`],
          ['Queue position', isOpen(run) && run.position !== undefined && `about ${run.position}`],
          ['Duration', !isOpen(run) && durationOf(run.execution_ms)],
          ['Receipt', run.receipt_id && html`<${ReceiptLink} id=${run.receipt_id} run=${id} />`],
          ['Details', html`<${IdLink} id=${id} />`],
        ]}
      />`
    }
    ${run && isOpen(run) && html`<p><${CancelRun} of=${run} onDone=${() => undefined} /></p>`}
    ${run?.outputs && html`<${Json} value=${run.outputs} label="outputs" />`}
    ${run?.problem && html`<${Json} value=${run.problem} label="problem" />`}
  </div>`;
}

function Held({ of: { id, asked, expires_at } }: { readonly of: NonNullable<Run['approval']> }) {
  const approves = useScope('runs:approve');
  return html`<${Notice} tone="warn">
    <p><strong>People must approve it first.</strong> Asked: ${asked.join(', ')}. No provider was called yet.</p>
    <p>
      Without an approval it is denied <${Time} at=${expires_at} />.
      ${approves && html` <a href=${hrefOf(`/approvals/${id}`)}>Open the approval</a>`}
    </p>
  <//>`;
}

// The page of the run shows its receipt to a key that reads no other ones.
function ReceiptLink({ id, run }: Readonly<Record<'id' | 'run', string>>) {
  const reads = useScope('receipts:read');
  return html`<${Id} id=${id} href=${hrefOf(reads ? `/receipts/${id}` : `/runs/${run}`)} />`;
}
