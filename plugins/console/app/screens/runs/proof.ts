import { html } from '../../frame/html.ts';
import { useGet, type Reading } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import { Json } from '../../parts/code.ts';
import { loaded } from '../../parts/notice.ts';
import { Facts, Id } from '../../parts/table.ts';
import { Verified } from '../../parts/verified.ts';
import { explainScore } from '../../../../terminal/score-words.ts';
import type { Decision, Receipt, Run } from '../../frame/wire.ts';

/** Shows what the policies decided. */
export function DecisionStep({ receipt }: { readonly receipt: Receipt | undefined }) {
  const policy = receipt?.statement?.predicate.facts?.policy;
  const mayRead = useScope('policies:read');
  const path =
    policy?.decision_id === undefined || !mayRead ? undefined : `/policies/-/decisions/${policy.decision_id}`;
  const { value } = useGet<Decision>(path);
  if (policy === undefined) return null;
  const { decision = 'none', policies = [], revision, warns = 0, decision_id } = policy;
  return html`<li class="step">
    <h2>
      ${value?.outcome === 'ask' ? 'Needs approval' : decision === 'allow' ? 'Allowed' : decision === 'deny' ? 'Denied' : `Decision: ${decision}`}
    </h2>
    ${value?.reasons?.map(({ policy: of, message, code }) => html`<p class="note note-bad">${message ?? code}${of && html` <code>${of}</code>`}</p>`)}
    <${Facts}
      of=${[
        ['Decided by', policies.length === 0 ? 'no policy' : policies.join(', ')],
        ['Warnings', warns > 0 && String(warns)],
        [
          'Decision',
          decision_id &&
            html`<${Id} id=${decision_id} href=${mayRead ? hrefOf(`/decisions/${decision_id}`) : undefined} />`,
        ],
        ['Revision', revision && html`<code>${revision.slice(0, 19)}…</code>`],
      ]}
    />
  </li>`;
}

/** What the step of the receipt is given. */
export interface ReceiptStepProps {
  readonly run: Run;
  readonly receipt: Reading<Receipt>;
  readonly mayRead: boolean;
}

/** Shows the receipt of a run, and verifies it here. */
export function ReceiptStep({ run: { receipt_id }, receipt, mayRead }: ReceiptStepProps) {
  if (receipt_id === undefined)
    return html`<li class="step">
      <h2>Receipt</h2>
      <p class="muted">The receipt is issued when the run ends.</p>
    </li>`;
  if (!mayRead)
    return html`<li class="step">
      <h2>Receipt</h2>
      <p><${Id} id=${receipt_id} /> – your key cannot read receipts. It needs the scope <code>receipts:read</code>.</p>
    </li>`;
  return html`<li class="step stack">
    <h2>Receipt</h2>
    ${loaded(receipt, (found) => html`<${Proof} receipt=${found} />`, 'Loading the receipt')}
  </li>`;
}

function Proof({ receipt }: { readonly receipt: Receipt }) {
  const { receipt_id, trust_score, risk_level, statement } = receipt;
  const why = trust_score === undefined ? '' : explainScore(trust_score, statement?.predicate.score);
  return html`<${Facts}
      of=${[
        ['Receipt', html`<${Id} id=${receipt_id} href=${hrefOf(`/receipts/${receipt_id}`)} />`],
        [
          'Trust score',
          trust_score !== undefined &&
            html`<strong class="nums">${trust_score}</strong
              >${why !== '' && html`<span class="muted"> · ${why}</span>`}`,
        ],
        ['Risk', risk_level],
      ]}
    />
    <${Verified} receipt=${receipt} />
    <details>
      <summary>The receipt as JSON</summary>
      <${Json} value=${receipt} label="receipt" />
    </details>`;
}
