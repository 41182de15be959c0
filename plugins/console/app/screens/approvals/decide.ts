import { useEffect, useState } from 'preact/hooks';
import { announce } from '../../frame/announce.ts';
import { api, filled, get, type Call } from '../../frame/api.ts';
import { onSubmit } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { asProblem, type ApiProblem } from '../../frame/problem.ts';
import { ApiCall } from '../../parts/code.ts';
import { Dialog } from '../../parts/dialog.ts';
import { TextField } from '../../parts/field.ts';
import { Loading, ProblemNote } from '../../parts/notice.ts';
import { PrincipalName } from '../../parts/principal.ts';
import { piecesOfJson } from '../../../../approvals/marks.ts';
import { differs } from './approval.ts';
import { Marked, Pieces } from './marked.ts';
import type { Approval } from '../../frame/wire.ts';

/** Which approvals are decided, and how. */
export interface DecideProps {
  readonly ids: readonly string[];
  readonly decision: 'approve' | 'refuse';
  readonly onClose: () => void;
}

/** One approval of the dialog: what was read of it, and what became of its decision. */
interface Item {
  readonly id: string;
  readonly approval?: Approval;
  /** Why it cannot be decided here. */
  readonly hinders?: string;
  readonly problem?: ApiProblem;
  readonly decided?: true;
}

const words = {
  approve: {
    label: 'Approve',
    done: 'approved',
    says: 'runs once with exactly the inputs shown here, when enough people have approved it',
  },
  refuse: { label: 'Refuse', done: 'refused', says: 'is denied, and no provider is called; one refusal is enough' },
} as const;

/** Decides approvals from a list: says of each what would happen, then sends one decision after the other. */
export function DecideDialog({ ids, decision, onClose }: DecideProps) {
  const { items, ready, busy, send } = useDecisions(ids, decision, onClose);
  const [comment, setComment] = useState('');
  const { label, says } = words[decision];
  const title = ids.length === 1 ? `${label} the run` : `${label} ${ids.length} runs`;
  const [first] = ready;
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form class="stack" onSubmit=${onSubmit(() => send(comment))}>
      <p>Each of these ${says}. A receipt with your name attests each decision. It cannot be undone.</p>
      <ul class="plain stack">
        ${items.map((item) => html`<${Shown} key=${item.id} of=${item} />`)}
      </ul>
      <${TextField}
        label="Comment"
        hint="For the requesters. The receipts have a commitment to it, not the text."
        value=${comment}
        onChange=${setComment}
        lines=${2}
        required=${false}
      />
      ${first && html`<${ApiCall} call=${callOf(first, decision, comment)} />`}
      <div class="row end">
        <button class="button button-quiet" type="button" onClick=${onClose}>Cancel</button>
        <button
          class=${decision === 'refuse' ? 'button button-bad' : 'button'}
          type="submit"
          disabled=${busy || ready.length === 0}
        >
          ${busy ? 'Working…' : ids.length === 1 ? label : `${label} ${ready.length}`}
        </button>
      </div>
    </form>
  <//>`;
}

function Shown({ of: { approval, decided, hinders, id, problem } }: { readonly of: Item }) {
  if (approval === undefined)
    return html`<li>
      ${problem ? html`<code>${id}</code> <${ProblemNote} problem=${problem} />` : html`<${Loading} />`}
    </li>`;
  const { asks, bound, inputs, orb_id, orbiset_id, principal } = approval;
  return html`<li class="stack">
    <p>
      <strong>${orb_id}</strong> in ${orbiset_id}, for <${PrincipalName} of=${principal} />, through
      ${` ${bound.providers[0]?.name ?? 'no provider'}`}
    </p>
    ${asks.map(
      ({ approvers, message }, at) =>
        html`<p class="small">
          <${Marked} of=${message} />
          <span class="muted"> Policy ${bound.asks[at]?.policies.join(', ') ?? '–'}, group ${approvers}.</span>
        </p>`,
    )}
    ${
      inputs &&
      html`<div class="code-block">
        <pre
          tabindex="0"
          role="region"
          aria-label=${`Inputs of ${id}`}
        ><code dir="ltr"><${Pieces} of=${piecesOfJson(inputs)} /></code></pre>
      </div>`
    }
    ${hinders !== undefined && html`<p class="note note-warn">${hinders}</p>`}
    ${decided && html`<p class="note note-good">Decided.</p>`}
    <${ProblemNote} problem=${problem} />
  </li>`;
}

function callOf({ id, approval }: Item, decision: string, comment: string): Call {
  const body = { decision, digest: approval?.digest, ...filled({ comment }) };
  return { method: 'POST', path: `/approvals/${encodeURIComponent(id)}/decision`, body };
}

function useDecisions(ids: readonly string[], decision: DecideProps['decision'], onClose: () => void) {
  const [items, setItems] = useState<readonly Item[]>(() => ids.map((id) => ({ id })));
  const [busy, setBusy] = useState(false);
  const put = (item: Item): void => setItems((last) => last.map((one) => (one.id === item.id ? item : one)));
  useEffect(() => {
    for (const id of ids) void read(id).then(put);
  }, []);
  const ready = items.filter(({ approval, decided, hinders }) => approval && !decided && hinders === undefined);
  const send = async (comment: string): Promise<void> => {
    if (busy) return;
    setBusy(true);
    let failed = 0;
    for (const item of ready)
      try {
        await api(callOf(item, decision, comment));
        put({ ...item, decided: true });
      } catch (thrown) {
        failed += 1;
        put({ ...item, problem: asProblem(thrown) });
      }
    setBusy(false);
    const done = ready.length - failed;
    announce(`${done} ${done === 1 ? 'run' : 'runs'} ${words[decision].done}`);
    // What was left out, and why, stays in sight.
    if (failed === 0 && ready.length === items.length) onClose();
  };
  return { items, ready, busy, send };
}

async function read(id: string): Promise<Item> {
  try {
    const approval = await get<Approval>(`/approvals/${encodeURIComponent(id)}`);
    const hinders = await hindersIn(approval);
    return { id, approval, ...(hinders === undefined ? {} : { hinders }) };
  } catch (thrown) {
    return { id, problem: asProblem(thrown) };
  }
}

async function hindersIn(approval: Approval): Promise<string | undefined> {
  if (approval.state !== 'open') return `It is ${approval.state} by now.`;
  if (!approval.may_decide)
    return 'You cannot decide: you requested the run, have decided, are in none of its groups, or use a test key.';
  return (await differs(approval))
    ? 'The digest is not the one of what is shown. Do not decide; tell an operator.'
    : undefined;
}
