import { useEffect } from 'preact/hooks';
import { useEvents, runEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useScope } from '../../frame/session.ts';
import { announce } from '../../frame/announce.ts';
import { ApiCall, Json } from '../../parts/code.ts';
import { loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Id, Table, type Column } from '../../parts/table.ts';
import { durationOf, Time } from '../../parts/time.ts';
import { CancelRun, ResolveRun } from './acts.ts';
import { RunAgain } from './again.ts';
import { DecisionStep, ReceiptStep } from './proof.ts';
import { isOpen, reasonOf, runStates, timeOf } from './run.ts';
import type { Attempt, Receipt, Run } from '../../frame/wire.ts';

/** One run: what was decided, tried and attested, and the acts on it. */
export function RunDetail({ params: { run_id = '' } }: ScreenProps) {
  const path = `/runs/${encodeURIComponent(run_id)}`;
  const reading = useGet<Run>(path);
  const { value: run, reload } = reading;
  const receipts = useScope('receipts:read');
  const receiptPath = run?.receipt_id === undefined || !receipts ? undefined : `/receipts/${run.receipt_id}`;
  const receipt = useGet<Receipt>(receiptPath);
  const ended = run !== undefined && !isOpen(run);
  // What has ended changes only by being resolved.
  useEvents(ended ? ['run.resolved'] : runEvents, ({ data }) => data['run_id'] === run_id && reload(), reload);
  useEffect(() => {
    if (run !== undefined) announce(`Status: ${run.status}`);
  }, [run?.status]);
  return html`<${Page}
    title=${run === undefined ? 'Run' : `Run: ${run.orb_id}`}
    about=${html`<${Id} id=${run_id} />`}
    above=${{ href: hrefOf('/runs'), name: 'Runs' }}
    acts=${run && html`<${CancelRun} of=${run} onDone=${reload} /><${ResolveRun} of=${run} onDone=${reload} /><${RunAgain} of=${run} />`}
  >
    ${loaded(
      reading,
      (shown) =>
        html`<${Asked} run=${shown} />
          <ol class="steps">
            <${DecisionStep} receipt=${receipt.value} />
            <${Attempts} run=${shown} />
            <${Outcome} run=${shown} />
            <${Delivery} of=${shown.delivery} />
            <${ReceiptStep} run=${shown} receipt=${receipt} mayRead=${receipts} />
          </ol>
          <${ApiCall} call=${{ path }} />`,
      'Loading the run',
    )}
  <//>`;
}

function Asked({ run }: { readonly run: Run }) {
  const { status, orb_id, orbiset_id, principal, mode } = run;
  const reason = reasonOf(run);
  return html`<section class="panel run-head">
    <p class="run-status"><${Status} of=${status} />${reason && html` <span class="muted">${reason}</span>`}</p>
    <p>${runStates[status]}</p>
    <${Facts}
      of=${[
        ['Orb', html`<a href=${hrefOf('/runs', { orb_id })}>${orb_id}</a>`],
        ['Orbiset', html`<a href=${hrefOf('/runs', { orbiset_id })}>${orbiset_id}</a>`],
        ['Caller', html`<${Id} id=${principal} href=${hrefOf('/runs', { principal })} />`],
        ['Mode', mode === 'sandbox' ? 'sandbox: no data left the server' : mode],
        ['Started', html`<${Time} at=${timeOf(run)} both />`],
        ['Ended', run.finished_at && html`<${Time} at=${run.finished_at} both />`],
        ['Duration', run.execution_ms !== undefined && durationOf(run.execution_ms)],
        ['Queue position', run.position],
        [
          'Approval',
          run.approval && html`<${Id} id=${run.approval.id} href=${hrefOf(`/approvals/${run.approval.id}`)} />`,
        ],
        ['Approval expires', run.approval && html`<${Time} at=${run.approval.expires_at} both />`],
        ['Scheduled for', run.run_at && html`<${Time} at=${run.run_at} both />`],
      ]}
    />
  </section>`;
}

const columns: readonly Column<Attempt>[] = [
  { title: 'Provider', cell: ({ provider }) => provider },
  {
    title: 'Outcome',
    cell: ({ outcome, reason }) => html`<${Status} of=${outcome} />${reason && html` <code>${reason}</code>`}`,
  },
  {
    title: 'Phase',
    cell: ({ phase, lookup }) => [phase, lookup && `look-up: ${lookup}`].filter(Boolean).join(', ') || '–',
  },
  { title: 'Adapter', cell: ({ adapter }) => adapter },
  { title: 'Generation', figures: true, cell: ({ generation }) => generation },
  { title: 'Duration', figures: true, cell: ({ latency_ms }) => durationOf(latency_ms) },
];

function Attempts({ run }: { readonly run: Run }) {
  const { attempts = [] } = run;
  const waits = isOpen(run);
  return html`<li class="step">
    <h2>
      ${attempts.length === 1 ? '1 attempt' : attempts.length === 0 ? 'No attempts' : `${attempts.length} attempts`}
    </h2>
    ${
      attempts.length === 0
        ? html`<p class="muted">${waits ? 'Attempts are shown when the run ends.' : 'No provider was called.'}</p>`
        : html`<${Table}
            caption="Attempts"
            columns=${columns}
            rows=${attempts.map((attempt, at) => ({ ...attempt, at }))}
            rowKey=${({ at }: Attempt & { readonly at: number }) => String(at)}
          />`
    }
  </li>`;
}

function Delivery({ of }: { readonly of: Run['delivery'] }) {
  if (of === undefined) return null;
  return html`<li class="step stack">
    <h2>Delivery</h2>
    <p><${Status} of=${of.state} /> <${Time} at=${of.at} both /></p>
    ${of.conflict && html`<p class="note">Reports contradict each other. The earlier one counts.</p>`}
    <${Facts} of=${of.evidence.map((id) => ['Report', html`<${Id} id=${id} href=${hrefOf(`/deliveries/${id}`)} />`])} />
  </li>`;
}

function Outcome({ run: { failure, outputs, problem, resolution } }: { readonly run: Run }) {
  if ([failure, outputs, problem, resolution].every((one) => one === undefined)) return null;
  return html`<li class="step stack">
    <h2>Outcome</h2>
    ${failure && html`<p class="note note-bad">${failure.message} <code>${failure.provider_reason ?? failure.code}</code></p>`}
    ${
      resolution &&
      html`<p>
        It was resolved later. Receipt of the resolution:
        <${Id} id=${resolution} href=${hrefOf(`/receipts/${resolution}`)} />
      </p>`
    }
    ${outputs !== undefined && html`<${Json} value=${outputs} label="outputs" />`}
    ${problem !== undefined && html`<${Json} value=${problem} label="problem" />`}
  </li>`;
}
