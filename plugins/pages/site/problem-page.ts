import { html, type Html, type Presentation, type ProblemType, type Reply } from '../../../kernel/index.ts';
import type { Pages } from '../contract.ts';
import { explain } from './problem-explanations.ts';

/** Shows a problem that a request met to a person: what happened, what it means and what to do. */
export function failurePage(pages: Pages, { problem, type }: Presentation & { kind: 'failure' }): Reply {
  const { status, body } = problem;
  const { detail, request_id } = body as { readonly detail?: string; readonly request_id?: string };
  return pages.page({
    status,
    title: type.title,
    description: explain(type).cause,
    style,
    headers: { Vary: 'Accept' },
    main: html`<div class="problem">
      <p class="status" aria-hidden="true">${status}</p>
      <h1>${type.title}</h1>
      ${detail !== undefined && html`<p class="lede">${capital(detail)}</p>`} ${meaning(type)}
      <p class="row actions">
        <a class="button" href="/">Start page</a>
        <a class="button button-quiet" href="/problems/${type.code}">About this problem</a>
      </p>
      <p class="small muted">Request <code>${request_id}</code>. The operator can find it in the logs.</p>
    </div>`,
  });
}

/** Explains a problem type to a person. */
export function problemTypePage(pages: Pages, type: ProblemType, publicUrl: string): Reply {
  const { code, status, title, retryable } = type;
  return pages.page({
    title: `${title} (${code})`,
    description: explain(type).cause,
    canonical: `${publicUrl}/problems/${code}`,
    style,
    cache: 'public, max-age=60',
    headers: { Vary: 'Accept' },
    main: html`<div class="problem">
      <p class="status" aria-hidden="true">${status}</p>
      <h1>${title}</h1>
      <dl class="facts">
        <dt>Code</dt>
        <dd><code>${code}</code></dd>
        <dt>HTTP status</dt>
        <dd>${status}</dd>
        <dt>Retry?</dt>
        <dd>${retryable ? 'Yes: the same request may succeed later' : 'No: the same request will fail again'}</dd>
      </dl>
      ${meaning(type)}
      <h2>Example response</h2>
      <pre tabindex="0" aria-label="Example of the answer"><code>${example(type, publicUrl)}</code></pre>
      <p class="small muted">
        Programs should check <code>code</code>; titles and details are for people and may change.
      </p>
    </div>`,
  });
}

function meaning(type: ProblemType): Html {
  const { cause, remedy } = explain(type);
  return html`<h2>What it means</h2>
    <p>${cause}</p>
    <h2>What to do</h2>
    <p>${remedy}</p>`;
}

function example({ code, status, title, retryable }: ProblemType, publicUrl: string): string {
  const type = `${publicUrl}/problems/${code}`;
  const body = { type, title, status, code, request_id: 'req_…', retryable };
  return `HTTP/1.1 ${status}\nContent-Type: application/problem+json\n\n${JSON.stringify(body, undefined, 2)}`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const style = `
.problem{max-width:46rem}.problem>*+*{margin-top:.9rem}.problem h2{margin-top:1.75rem}.problem h2+p{margin-top:.4rem}.problem h1+dl{margin-top:1.2rem}
.problem .status{font-size:1rem;font-weight:650;color:var(--muted);letter-spacing:.04em;font-variant-numeric:tabular-nums}.problem .status+h1{margin-top:.1rem}.problem .actions{margin-top:2rem}
`.replaceAll('\n', '');
