import { html, type Html, type Reply } from '../../../kernel/index.ts';
import type { Pages } from '../../pages/contract.ts';
import { isMarked, piecesOfJson } from '../marks.ts';
import type { ApprovalView } from '../schema.ts';
import { marked, markedStyle, markedText } from './marked.ts';

/** An approval as a page shows it. */
export interface ShownApproval {
  readonly approval: ApprovalView;
  /** Name of the principal that asks, if it is known. */
  readonly requester: string | undefined;
  /** Who decides here; absent: the page has no form. */
  readonly deciding?: { readonly principal: string; readonly byLink: boolean };
}

// The pages are for one person, at an address that may be a secret.
const headers = { 'X-Robots-Tag': 'noindex, nofollow' } as const;

/** Makes the page that shows what an approval is about; nothing but its form decides. */
export function approvalPage(pages: Pages, { approval, requester, deciding }: ShownApproval): Reply {
  const { orb_id, state, expires_at } = approval;
  const title = state === 'open' ? `Approve ${orb_id}?` : `${orb_id}: ${state}`;
  return pages.page({
    title,
    description: 'A run that people must approve first.',
    style,
    headers,
    main: html`<div class="approval stack">
      <h1>${title}</h1>
      <p class="lede">${lede[state]}</p>
      ${state === 'open' && html`<p>Without an approval it is denied at <time datetime="${expires_at}">${expires_at}</time>.</p>`}
      ${reasons(approval)} ${inputsOf(approval)} ${deciding !== undefined && form(approval, deciding)}
      ${boundOf(approval, requester)} ${decisionsOf(approval)}
    </div>`,
  });
}

const lede: Readonly<Record<ApprovalView['state'], string>> = {
  open: 'This run waits for a decision. Nothing has been sent.',
  approved: 'The run is approved, and goes on.',
  refused: 'The run is refused. Nothing was sent.',
  expired: 'Nobody approved the run in time. Nothing was sent.',
  cancelled: 'The run was cancelled before enough people had approved it. Nothing was sent.',
};

/** Makes the page that says what a decision did. */
export function decidedPage(pages: Pages, { approval, requester }: ShownApproval): Reply {
  const { state, run_id } = approval;
  const title = state === 'open' ? 'Your approval is recorded' : `The run is ${state}`;
  const more = state === 'open' ? 'The run waits for more people. ' : '';
  return pages.page({
    title,
    description: 'A decision on a run was recorded.',
    style,
    headers,
    main: html`<div class="approval stack">
      <h1>${title}</h1>
      <p class="lede">${more}${state === 'open' ? '' : lede[state]} The decision has a receipt.</p>
      <p class="small muted">Run <code>${run_id}</code></p>
      ${decisionsOf(approval)} ${boundOf(approval, requester)}
    </div>`,
  });
}

/** Makes the page for a browser that is not signed in, or comes from another site. */
export function signInPage(
  pages: Pages,
  { address, console: site }: { address: string; console: string | undefined },
): Reply {
  return pages.page({
    title: 'Sign in to see the approval',
    description: 'The approval of a run is shown to the people who are asked.',
    style,
    headers,
    main: html`<div class="approval stack">
      <h1>Sign in to see the approval</h1>
      <p class="lede">The approval of a run is shown to the people who are asked, and to nobody else.</p>
      <p class="row">
        <a class="button" href="${address}">I am signed in: show it</a>
        ${site !== undefined && html`<a class="button button-quiet" href="${site}">Sign in to the console</a>`}
      </p>
      <p class="small muted">
        On a command line, <code>orb approvals list --state open</code> lists what waits for you.
      </p>
    </div>`,
  });
}

function reasons({ asks, outcomes: { approved, refused, expired } }: ApprovalView): Html {
  return html`<section class="panel">
    <h2>Why it needs an approval</h2>
    <ul class="reasons">
      ${asks.map(
        ({ code, message, approvers, of, approved_by }) =>
          html`<li>
            ${markedText(message)}
            <span class="small muted">
              <code>${code}</code> · group ${approvers} · ${approved_by.length} of ${of} approved
            </span>
          </li>`,
      )}
    </ul>
    <p class="small muted">
      Others of this Orb, held for the same reasons in the last 30 days: ${approved} approved, ${refused} refused,
      ${expired} expired.
    </p>
  </section>`;
}

function inputsOf({ inputs, state }: ApprovalView): Html | false {
  if (inputs === undefined)
    return state === 'open' && html`<p class="note">The run is not held any more, so there is nothing to decide.</p>`;
  const pieces = piecesOfJson(inputs);
  return html`<section class="panel">
    <h2>What would be executed</h2>
    <p class="muted">The inputs, read from the sealed request itself.</p>
    ${isMarked(pieces) && html`<p class="note warn">Some characters are invisible, or look like others. They are marked with their names.</p>`}
    <pre
      class="inputs"
      tabindex="0"
      role="region"
      aria-label="Inputs"
    ><code id="inputs" dir="ltr">${marked(pieces)}</code></pre>
  </section>`;
}

function form({ digest }: ApprovalView, { principal, byLink }: NonNullable<ShownApproval['deciding']>): Html {
  // Without an action, a form goes to the address of its page.
  return html`<form class="panel stack" method="post">
    <h2>Decide</h2>
    <p class="muted">
      You decide as <code>${principal}</code>. ${byLink && 'This link decides once: do not forward it.'}
    </p>
    <input type="hidden" name="digest" value="${digest}" />
    <p>
      <label for="comment">Comment for the requester (optional)</label>
      <textarea id="comment" name="comment" rows="3" maxlength="1000"></textarea>
    </p>
    <p class="row">
      <button class="button" name="decision" value="approve">Approve this run</button>
      <button class="button button-quiet" name="decision" value="refuse">Refuse it</button>
    </p>
  </form>`;
}

function boundOf(approval: ApprovalView, requester: string | undefined): Html {
  const { bound, digest, approval_id, created_at, expires_at } = approval;
  const binds = bound.asks.some(({ bind }) => bind === 'provider');
  return html`<section class="panel">
    <h2>What the decision covers</h2>
    <dl class="facts">
      ${row('Requested by', html`${requester !== undefined && html`${markedText(requester)} `}<code>${bound.principal}</code>`)}
      ${row('Orb', html`<code>${bound.orb_id}</code> in the Orbiset <code>${bound.orbiset_id}</code>`)}
      ${row('Manifest', html`<code>${bound.manifest_digest}</code>`)}
      ${row('Inputs', html`${bound.inputs.size} bytes, commitment <code>${bound.inputs.commitment}</code>`)}
      ${row('Mode', bound.mode === 'live' ? 'live' : 'sandbox: nothing leaves the machine')}
      ${row('Delivery', html`<code>${bound.delivery}</code>`)}
      ${row(
        binds ? 'Providers (a change makes the approval void)' : 'Providers (as they are now)',
        html`${bound.providers.map(({ name, config_digest }) => html`<span class="item">${markedText(name)} <code>${config_digest}</code></span>`)}`,
      )}
      ${row(
        'Policies',
        html`${bound.asks.flatMap(({ policies }) => policies).map((id) => html`<span class="item"><code>${id}</code></span>`)}
        ${bound.revision !== undefined && html`<code>${bound.revision}</code>`}`,
      )}
      ${row('Run', html`<code>${bound.run_id}</code>`)} ${row('Approval', html`<code>${approval_id}</code>`)}
      ${row('Digest of all this', html`<code>${digest}</code>`)} ${row('Requested at', created_at)}
      ${row('Expires', expires_at)}
    </dl>
  </section>`;
}

function row(name: string, value: Html | string): Html {
  return html`<dt>${name}</dt>
    <dd>${value}</dd>`;
}

function decisionsOf({ decisions }: ApprovalView): Html | false {
  if (decisions.length === 0) return false;
  return html`<section class="panel">
    <h2>Decisions</h2>
    <ul class="reasons">
      ${decisions.map(
        ({ decision, principal, at, comment, receipt_id }) =>
          html`<li>
            ${decision === 'approve' ? 'Approved' : 'Refused'} by <code>${principal}</code> at ${at}
            ${comment !== undefined && html`<span class="item">${markedText(comment)}</span>`}
            <span class="small muted">Receipt <code>${receipt_id}</code></span>
          </li>`,
      )}
    </ul>
  </section>`;
}

const style = `${markedStyle}
.approval{max-width:60rem}.approval dd,.approval code{overflow-wrap:anywhere}.approval .item{display:block}
.approval .reasons{list-style:none}.approval .reasons li+li{margin-top:.8rem}.approval .reasons li>span{display:block}
.approval .inputs{white-space:pre-wrap;overflow-wrap:anywhere;max-height:40rem;overflow:auto;unicode-bidi:isolate}
.approval textarea{width:100%;font:inherit;color:inherit;background:var(--raised);border:1px solid var(--line-strong);border-radius:8px;padding:.5rem .7rem}
.approval label{display:block;font-weight:600;margin-bottom:.3rem}.approval .warn{border-left-color:var(--bad)}
`.replaceAll('\n', '');
