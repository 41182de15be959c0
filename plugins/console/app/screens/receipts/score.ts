import type { RunScore, RunStatement } from '../../frame/wire.ts';
import { html } from '../../frame/html.ts';
import { Table } from '../../parts/table.ts';

/** Reasons of a score in words; a code of a later model is shown as it is. */
const reasons: Readonly<Record<string, string>> = {
  no_policy_matched: 'It was allowed, but no policy matched it',
  shadow_deny: 'A policy that is only recorded would have denied it',
  policy_warn: 'Policies warned',
  key_in_process: 'The signing key is in the memory of the server',
  manifest_unsigned: 'The manifest of the Orb is not signed',
  no_inputs_schema: 'The Orb has no schema for its inputs',
  no_outputs_schema: 'The Orb has no schema for its outputs',
  invalid_outputs: 'The outputs did not fit their schema',
  provider_health: 'The provider was not known to be healthy',
  retries: 'The call was tried again',
  failover: 'Another provider was tried',
  unacknowledged: 'The provider did not acknowledge the call',
  duplicate_possible: 'The action may have been done twice',
  no_latency_objective: 'The Orb promises no latency',
  latency_missed: 'It took longer than the Orb promises',
  tier: 'The certification tier of the Orb is below platinum',
  unclassified: 'The Orb does not say what classes of data it handles',
  denied: 'A policy denied the run',
  failed: 'The run failed',
  timed_out: 'The run timed out',
  cancelled: 'The run was cancelled',
  indeterminate: 'The outcome is unknown',
  orb_suspended: 'The Orb was suspended',
};

interface Row {
  readonly code: string;
  readonly effect: string;
  readonly evidence?: string;
  readonly fact?: string;
}

const columns = [
  {
    title: 'Reason',
    cell: ({ code }: Row) => html`<span class="wide-cell">${reasons[code] ?? code.replaceAll('_', ' ')}</span>`,
  },
  { title: 'Points', figures: true, cell: ({ effect }: Row) => effect },
  {
    title: 'Fact',
    cell: ({ evidence, fact }: Row) =>
      evidence === undefined ? '–' : html`<code>${evidence}</code>${fact && ` ${fact}`}`,
  },
];

/** Shows the trust score of a run: why points are missing, and what limits it. */
export function Score({ of: { predicate } }: { readonly of: RunStatement }) {
  const { score } = predicate;
  const { trust_score, band, risk_level, inherent_risk, model, deductions, gates } = score;
  const rows: readonly Row[] = [
    ...deductions.map(({ code, points, evidence }) => ({
      code,
      effect: `−${points}`,
      evidence,
      fact: factAt(predicate, evidence),
    })),
    ...gates.map(({ code, max }) => ({ code, effect: `at most ${max}` })),
  ];
  return html`<section class="panel stack">
    <h2>Trust score</h2>
    <p><span class="score">${trust_score}</span> of 100 · band ${band}</p>
    <p>${sumOf(score)}</p>
    <${Table}
      caption="Why the score is not higher"
      columns=${columns}
      rows=${rows}
      rowKey=${({ code, effect }: Row) => code + effect}
      empty=${html`<p class="muted">No points were deducted, and nothing limits the score.</p>`}
    />
    <p class="muted">
      Risk: <strong>${risk_level}</strong>. Such an action has the risk ${inherent_risk}; the score raises or lowers it.
      Computed from the facts of this receipt alone by the model ${model}.
    </p>
  </section>`;
}

function sumOf({ trust_score, deductions, gates }: RunScore): string {
  if (deductions.length === 0 && gates.length === 0) return 'All 100 points.';
  const lost = deductions.reduce((sum, { points }) => sum + points, 0);
  const lowest = Math.min(100, ...gates.map(({ max }) => max));
  const sum = lost === 0 ? '100 points' : `100 points less ${lost}`;
  if (trust_score === lowest && lowest < 100) return `${sum}, limited to ${lowest} by how the run went.`;
  return 100 - lost < trust_score ? `${sum}; each category deducts at most its own maximum.` : `${sum}.`;
}

// The fact behind a deduction, when it is one word.
function factAt(predicate: object, pointer: string): string {
  const found = pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], predicate);
  if (Array.isArray(found)) return found.length === 0 ? 'none' : '';
  return ['string', 'number', 'boolean'].includes(typeof found) ? JSON.stringify(found).replaceAll('"', '') : '';
}
