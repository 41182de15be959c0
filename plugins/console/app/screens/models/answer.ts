import { html } from '../../frame/html.ts';
import { hrefOf } from '../../frame/router.ts';
import { Loading, ProblemNote } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts } from '../../parts/table.ts';
import type { Answer } from './asking.ts';
import { counted, figure } from './words.ts';

/** Shows the answer of a model while it arrives, then its usage, cost, run and receipt. */
export function AnswerPanel({ of: answer }: { readonly of: Answer }) {
  const { phase, text, problem, busy } = answer;
  return html`<section class="panel stack" aria-label="Answer" aria-busy=${busy}>
    <h2>Answer</h2>
    ${phase === 'none' && html`<p class="muted">The answer appears here as the model writes it.</p>`}
    ${phase === 'waiting' && html`<${Loading} what="Waiting for the model" />`}
    ${text !== '' && html`<p class="said">${text}</p>`}
    <${ProblemNote} problem=${problem} />
    ${phase !== 'none' && html`<${Known} of=${answer} />`}
  </section>`;
}

const states = {
  none: '',
  waiting: 'running',
  answering: 'running',
  done: 'completed',
  stopped: 'stopped',
  failed: 'failed',
};

function Known({ of: { phase, finish, usage, cost, run_id: run, receipt_id: receipt } }: { readonly of: Answer }) {
  const ended = phase === 'done';
  const href = run === undefined ? undefined : hrefOf(`/runs/${run}`);
  return html`<${Facts}
    of=${[
      ['Answer', html`<${Status} of=${states[phase]} />`],
      ['Finish', finish],
      ['Usage', usage === undefined ? ended && 'not reported by the provider' : usageText(usage)],
      ['Cost', cost === undefined ? ended && 'unknown: without usage or without a price' : costText(cost)],
      ['Run', href && html`<a href=${href}>${run}</a>`],
      ['Receipt', receipt && html`<a href=${href}>${receipt}</a>`],
    ]}
  />`;
}

const usageText = ({ prompt_tokens: input, completion_tokens: output }: NonNullable<Answer['usage']>): string =>
  `${figure(input)} input tokens, ${figure(output)} output tokens`;

const costText = ({ amount_nanos: nanos, currency }: NonNullable<Answer['cost']>): string =>
  currency === 'USD' ? counted(nanos, 'nanos') : `${figure(nanos)} nano-${currency}`;
