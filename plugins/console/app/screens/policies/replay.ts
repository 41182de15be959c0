import { useState } from 'preact/hooks';
import { announce } from '../../frame/announce.ts';
import type { Call } from '../../frame/api.ts';
import { onSubmit, useCall } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { IdLink } from '../../parts/id-link.ts';
import { ApiCall } from '../../parts/code.ts';
import { SelectField } from '../../parts/field.ts';
import { ProblemNote } from '../../parts/notice.ts';
import { Time } from '../../parts/time.ts';
import { replayText } from './words.ts';
import type { Changed, Replayed } from '../../frame/wire.ts';

const amounts = [100, 300, 1000].map((last) => [String(last), `the last ${last.toLocaleString('en')}`] as const);
const actions = [
  ['all', 'all'],
  ['execute', 'execute'],
  ['swap', 'swap'],
  ['publish', 'publish'],
] as const;

/** Asks how past decisions would have ended under the drafts. */
export function Replay() {
  const [last, setLast] = useState('1000');
  const [action, setAction] = useState('all');
  const [found, setFound] = useState<Replayed>();
  const { busy, problem, send } = useCall();
  const call: Call = {
    method: 'POST',
    path: '/policies/-/replay',
    body: { against: 'drafts', last: Number(last), ...(action === 'all' ? {} : { action }) },
  };
  const finish = (answer: Replayed): void => {
    setFound(answer);
    announce(replayText(answer));
  };
  return html`<section class="panel stack">
    <h2>2. Replay past decisions</h2>
    <p class="muted">
      Shows how the drafts would have decided. Run inputs are not stored, so the replay does not use them.
    </p>
    <form class="filters" onSubmit=${onSubmit(() => send(call, finish))}>
      <${SelectField} label="Decisions" value=${last} onChange=${setLast} options=${amounts} />
      <${SelectField} label="Action" value=${action} onChange=${setAction} options=${actions} />
      <button class="button button-quiet" type="submit" disabled=${busy}>${busy ? 'Replaying…' : 'Replay'}</button>
    </form>
    <${ProblemNote} problem=${problem} />
    ${found && html`<${Result} of=${found} />`}
    <${ApiCall} call=${call} />
  </section>`;
}

const meanings: readonly (readonly [Changed, string, string])[] = [
  ['would_deny', 'would be denied', 'They were allowed, or needed an approval.'],
  ['would_ask', 'would need an approval', 'They were allowed or denied.'],
  ['would_allow', 'would be allowed', 'They were denied, or needed an approval.'],
  ['undecidable', 'cannot be determined', 'The result depends on the inputs of the run, or the evaluation timed out.'],
  ['not_replayable', 'cannot be replayed', 'A fact is no longer stored, or the engine failed.'],
];

function Result({ of }: { readonly of: Replayed }) {
  const { examined, complete, from, to, counts, decision_ids: ids } = of;
  return html`<div class="stack">
    <p class="sentence">${replayText(of)}</p>
    ${
      examined > 0 &&
      html`<p class="small muted">
        Decisions from <${Time} at=${from} /> to <${Time} at=${to} />. ${counts.same.toLocaleString('en')} would not
        change. ${!complete && ' The time limit of the replay passed before all were examined.'}
      </p>`
    }
    ${meanings
      .filter(([kind]) => counts[kind] > 0)
      .map(
        ([kind, what, why]) =>
          html`<details key=${kind} open=${kind === 'would_deny'}>
            <summary>${counts[kind].toLocaleString('en')} ${what}</summary>
            <p class="small muted">${why}</p>
            <ul class="ids">
              ${ids[kind].map((id) => html`<li><${IdLink} id=${id} /></li>`)}
            </ul>
          </details>`,
      )}
  </div>`;
}
