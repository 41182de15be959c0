import { useEffect, useState } from 'preact/hooks';
import { announce } from '../../frame/announce.ts';
import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import type { ApiProblem } from '../../frame/problem.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { ApiCall } from '../../parts/code.ts';
import { IdLink } from '../../parts/id-link.ts';
import { loaded, Notice, ProblemNote } from '../../parts/notice.ts';
import { PrincipalName } from '../../parts/principal.ts';
import { Facts, Id } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { differs, State } from './approval.ts';
import { approvalEvents } from './events.ts';
import { piecesOfJson } from '../../../../approvals/marks.ts';
import { Marked, Pieces } from './marked.ts';
import type { Approval } from '../../frame/wire.ts';

/** One approval: exactly what would be executed, all that is bound, and the decision. */
export function ApprovalScreen({ params: { approval_id: id = '' } }: ScreenProps) {
  const path = `/approvals/${encodeURIComponent(id)}`;
  const reading = useGet<Approval>(path);
  const { value, reload } = reading;
  const isOther = useDiffers(value);
  const [problem, setProblem] = useState<ApiProblem>();
  // The dialog goes when the approval is not open any more: why is said on the page.
  const fail = (why: ApiProblem): void => {
    setProblem(why);
    reload();
  };
  useEvents(approvalEvents, ({ data }) => data['run_id'] === value?.run_id && reload(), reload);
  useEffect(() => {
    if (value !== undefined) announce(`Status: ${value.state}`);
  }, [value?.state]);
  return html`<${Page}
    title=${value?.orb_id ?? 'Approval'}
    above=${{ href: hrefOf('/approvals'), name: 'Approvals' }}
    about=${html`<${Id} id=${id} />`}
    acts=${value?.may_decide && isOther === false && html`<${Decide} of=${value} onDone=${reload} onProblem=${fail} />`}
  >
    <${ProblemNote} problem=${problem} />
    ${loaded(
      reading,
      (shown) =>
        html`${isOther === true && html`<${Notice} tone="bad"><p>The digest is not the one of what is shown. Do not decide; tell an operator.</p><//>`}
          <${About} of=${shown} />
          <${Inputs} of=${shown} />
          <${BoundTo} of=${shown} />
          <${Decisions} of=${shown} />
          <${Similar} of=${shown} />
          <${ApiCall} call=${{ path }} />`,
    )}
  <//>`;
}

function useDiffers(value: Approval | undefined): boolean | undefined {
  const [found, setFound] = useState<{ readonly digest?: string; readonly differs?: boolean }>({});
  useEffect(() => {
    if (value !== undefined)
      void differs(value).then((differing) => setFound({ digest: value.digest, differs: differing }));
  }, [value?.digest]);
  return found.digest === value?.digest ? found.differs : undefined;
}

const comment = {
  ...{ name: 'comment', label: 'Comment', required: false, lines: 2 },
  hint: 'For the requester. The receipt has a commitment to it, not the text.',
};

interface Deciding extends ActOn<Approval> {
  readonly onProblem: (problem: ApiProblem) => void;
}

function Decide({ of: { approval_id, orb_id, digest }, ...rest }: Deciding) {
  const callOf = (decision: string) => ({
    ...{ method: 'POST', path: `/approvals/${approval_id}/decision`, body: { decision, digest } },
  });
  return html`<${Act}
      label="Approve"
      title="Approve the run"
      main
      says=${html`<p>
        ${orb_id} runs once with exactly the inputs that you see, when enough people have approved it. A receipt with
        your name attests your decision. It cannot be undone.
      </p>`}
      call=${callOf('approve')}
      fields=${[comment]}
      done="You approved the run"
      ...${rest}
    /><${Act}
      label="Refuse"
      title="Refuse the run"
      danger
      says=${html`<p>The run is denied, and no provider is called. One refusal is enough. It cannot be undone.</p>`}
      call=${callOf('refuse')}
      fields=${[comment]}
      done="You refused the run"
      ...${rest}
    />`;
}

interface Of {
  readonly of: Approval;
}

function About({ of }: Of) {
  const { state, principal, run_id, mode, bound, asks } = of;
  return html`<section class="panel stack">
    <${Facts}
      of=${[
        ['Status', html`<${State} of=${state} />`],
        ['Requester', html`<${PrincipalName} of=${principal} href=${hrefOf('/runs', { principal })} />`],
        ['Run', html`<${IdLink} id=${run_id} />`],
        ['Mode', mode === 'sandbox' ? 'sandbox: no data leaves the server' : mode],
        ['Delivery', bound.delivery.replaceAll('_', ' ')],
        ['Requested', html`<${Time} at=${of.created_at} both />`],
        ['Expires', html`<${Time} at=${of.expires_at} both />`],
      ]}
    />
    <h2>Why people are asked</h2>
    <ul class="faults">
      ${asks.map(
        ({ code, message, approvers, of: needed, approved_by, bind }, at) =>
          html`<li>
            <${Marked} of=${message} /> <code>${code}</code>
            <p class="small muted">
              ${`Policy ${bound.asks[at]?.policies.join(', ') ?? '–'}. Group ${approvers}: ${approved_by.length} of ${needed} approved.`}
              ${bind === 'provider' && ' A change of provider ends the approval.'}
            </p>
          </li>`,
      )}
    </ul>
    ${
      state === 'open' &&
      !of.may_decide &&
      html`<p class="muted">
        You cannot decide: you requested the run, have decided, are in none of its groups, or use a test key.
      </p>`
    }
  </section>`;
}

function Inputs({ of: { inputs, bound } }: Of) {
  return html`<section class="stack">
    <h2>Inputs</h2>
    ${
      inputs === undefined
        ? html`<p class="muted">Shown while the run is held.</p>`
        : html`<div class="code-block">
              <pre
                tabindex="0"
                role="region"
                aria-label="Inputs"
              ><code dir="ltr"><${Pieces} of=${piecesOfJson(inputs)} /></code></pre>
            </div>
            <p class="small muted">
              ${bound.inputs.size} bytes, read from the sealed request. <mark class="sign">U+…</mark> marks a character
              that is invisible, or looks like another one.
            </p>`
    }
  </section>`;
}

function BoundTo({ of: { bound, digest } }: Of) {
  const code = (text: string | undefined) => text && html`<code>${text}</code>`;
  return html`<section class="panel">
    <h2>What is approved</h2>
    <${Facts}
      of=${[
        ['Digest', code(digest)],
        ['Manifest', code(bound.manifest_digest)],
        ...bound.providers.map(({ name, config_digest }, at) => [
          `Provider ${at + 1}`,
          html`${name} ${code(config_digest)}`,
        ]),
        ['Policies', code(bound.revision)],
        ['Inputs', code(bound.inputs.commitment)],
      ]}
    />
  </section>`;
}

function Decisions({ of: { decisions } }: Of) {
  return (
    decisions.length > 0 &&
    html`<section class="stack">
      <h2>Decisions</h2>
      <ol class="steps">
        ${decisions.map(
          ({ principal, decision, at, comment: words, surface, receipt_id }) =>
            html`<li class="step">
              <h3>
                ${decision === 'approve' ? 'Approved' : 'Refused'} <span class="small muted"><${Time} at=${at} /></span>
              </h3>
              ${words && html`<p class="pre-line"><${Marked} of=${words} /></p>`}
              <p class="small muted">
                by <${PrincipalName} of=${principal} /> (${surface}), receipt <${IdLink} id=${receipt_id} />
              </p>
            </li>`,
        )}
      </ol>
    </section>`
  );
}

function Similar({ of: { outcomes, similar } }: Of) {
  const { approved, refused, last } = similar;
  return html`<section class="stack">
    <h2>Similar ones before</h2>
    <p>Same Orb and requester: ${approved} approved, ${refused} refused.</p>
    <p>
      Same Orb and reasons, last 30 days: ${outcomes.approved} approved, ${outcomes.refused} refused,
      ${` ${outcomes.expired}`} expired.
    </p>
    <ul class="plain">
      ${last.map(
        ({ approval_id: id, state, created_at }) =>
          html`<li>
            <${State} of=${state} />
            <a href=${hrefOf(`/approvals/${id}`)} aria-label=${id}><${Time} at=${created_at} both /></a>
          </li>`,
      )}
    </ul>
  </section>`;
}
