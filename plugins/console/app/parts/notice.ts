import type { ComponentChildren } from 'preact';
import { html } from '../frame/html.ts';
import type { ApiProblem, Reason } from '../frame/problem.ts';
import type { Reading } from '../frame/resource.ts';

/** A highlighted note: what happened, and what to do. */
export function Notice({
  tone = '',
  children,
}: {
  readonly tone?: '' | 'good' | 'warn' | 'bad';
  readonly children?: ComponentChildren;
}) {
  return html`<div class=${tone === '' ? 'note' : `note note-${tone}`}>${children}</div>`;
}

/** Shows why a call failed and how to fix it; empty without a problem. */
export function ProblemNote({
  problem,
  retry,
}: {
  readonly problem: ApiProblem | undefined;
  readonly retry?: () => void;
}) {
  if (problem === undefined) return null;
  const { message, detail, code, errors, reasons, requestId, runId, status } = problem;
  return html`<div class="note note-bad" role="alert">
    <p><strong>${message}</strong></p>
    ${detail !== '' && html`<p>${detail}</p>`}
    ${
      errors.length > 0 &&
      html`<ul class="faults">
        ${errors.map((fault) => html`<li><code>${fault.pointer}</code> ${fault.detail}</li>`)}
      </ul>`
    }
    <${Reasons} of=${reasons} />
    <p class="small muted">
      ${status > 0 ? html`<a href=${`/problems/${code}`} target="_blank" rel="noreferrer">${code}</a>` : code}
      ${requestId !== undefined && html` · request <code>${requestId}</code>`}
      ${runId !== undefined && html` · <a href=${`/console/runs/${runId}`}>open the run</a>`}
    </p>
    ${retry && html`<p><button class="button button-quiet" type="button" onClick=${retry}>Try again</button></p>`}
  </div>`;
}

/** Lists why a policy denied something; nothing without a reason. */
export function Reasons({ of }: { readonly of: readonly Reason[] }) {
  if (of.length === 0) return null;
  return html`<ul class="faults">
    ${of.map(({ code, message, policy }) => html`<li><code>${code}</code> ${message} ${policy && html`<span class="muted">policy <code>${policy}</code></span>`}</li>`)}
  </ul>`;
}

/** Shown for an empty list: the reason, and what to do next. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return html`<div class="empty">
    <h2>${title}</h2>
    ${children}
  </div>`;
}

/** Shown while data is loading; screen readers announce it only after a while. */
export function Loading({ what = 'Loading' }: { readonly what?: string }) {
  return html`<p class="loading muted">${what}…</p>`;
}

/** Shows what was read; until it is there, that it loads, or why it could not be read. */
export function loaded<T>(
  { value, problem, reload }: Omit<Reading<T>, 'loading'>,
  show: (value: T) => ComponentChildren,
  what?: string,
) {
  return html`<${ProblemNote} problem=${problem} retry=${reload} />
    ${value === undefined ? problem === undefined && html`<${Loading} what=${what} />` : show(value)}`;
}
