import { useEffect, useState } from 'preact/hooks';
import { html } from '../frame/html.ts';
import { asProblem, type ApiProblem } from '../frame/problem.ts';
import { verifyHere, type ShownReport } from '../frame/verifier.ts';
import type { Receipt } from '../frame/wire.ts';
import { Loading, ProblemNote } from './notice.ts';
import { Status } from './status.ts';

const tones = {
  VERIFIED: 'good',
  'VERIFIED-WITH-LIMITS': 'warn',
  REJECTED: 'bad',
  'NOTHING-TO-VERIFY': 'warn',
} as const;

/** Verifies a receipt in this browser, and says what was found. */
export function Verified({ receipt }: { readonly receipt: Receipt }) {
  const [report, setReport] = useState<ShownReport>();
  const [problem, setProblem] = useState<ApiProblem>();
  useEffect(() => {
    verifyHere(receipt).then(setReport, (thrown: unknown) => setProblem(asProblem(thrown)));
  }, [receipt.receipt_id]);
  if (problem !== undefined) return html`<${ProblemNote} problem=${problem} />`;
  if (report === undefined) return html`<${Loading} what="Verifying the receipt in your browser" />`;
  const { overall, meaning, checks, limits, hint } = report;
  const passed = checks.filter(({ result }) => result === 'pass').length;
  return html`<div class=${`note note-${tones[overall]} verdict`}>
    <p><strong>${overall}</strong> in your browser</p>
    <p>${meaning}</p>
    ${hint && html`<p>${hint}</p>`} ${limits.map((limit) => html`<p>${limit}</p>`)}
    <details>
      <summary>${passed} of ${checks.length} checks passed</summary>
      <ul class="checks">
        ${checks.map(
          ({ name, result, meaning: what, detail }) =>
            html`<li>
              <${Status} of=${result} />
              <span>${what} <code>${name}</code>${detail && html` <span class="muted">${detail}</span>`}</span>
            </li>`,
        )}
      </ul>
    </details>
  </div>`;
}
