import { html } from '../../frame/html.ts';
import { IdLink } from '../../parts/id-link.ts';
import { withQuery } from '../../frame/api.ts';
import { Page } from '../../frame/page.ts';
import { useGet, useList } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { Json } from '../../parts/code.ts';
import { SelectField } from '../../parts/field.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty, loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Id, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { outcomeText, peopleOf, shortOf } from './words.ts';
import type { Decision } from '../../frame/wire.ts';

const Verdict = ({ of: decision }: { readonly of: Decision }) => {
  const [text, tone] = outcomeText(decision);
  return html`<${Status} of=${text} tone=${tone} />`;
};

const idOf = ({ decision_id }: Decision): string => decision_id;

const columns: readonly Column<Decision>[] = [
  {
    title: 'Orb',
    cell: ({ decision_id: id, orb_id }) => html`<a class="name-cell" href=${hrefOf(`/decisions/${id}`)}>${orb_id}</a>`,
  },
  { title: 'Result', cell: (decision) => html`<${Verdict} of=${decision} />` },
  { title: 'Action', cell: ({ action }) => action },
  { title: 'Reason', cell: (decision) => html`<div class="wide-cell">${whyOf(decision)}</div>` },
  { title: 'Time', cell: ({ at }) => html`<${Time} at=${at} />` },
  { title: 'Decision', cell: ({ decision_id: id }) => html`<${IdLink} id=${id} />` },
];

function whyOf({ allow, policies = [], reasons = [] }: Decision): string {
  if (allow) return policies.join(', ');
  return reasons.map(({ code, policy, message }) => message ?? policy ?? code).join('; ');
}

const answers = [
  ['all', 'all'],
  ['false', 'denied or needs approval'],
  ['true', 'allowed'],
] as const;

/** Lists what policies decided. */
export function Decisions({ query: { allow = '' } }: ScreenProps) {
  const path = withQuery('/policies/-/decisions', { allow, limit: 50 });
  const list = useList<Decision>({ path, member: 'decisions', idOf });
  const choose = (value: string): void =>
    go(hrefOf('/policies/-/decisions', { allow: value === 'all' ? '' : value }), { replace: true });
  return html`<${Page}
    title="Decisions"
    above=${{ href: hrefOf('/policies'), name: 'Policies' }}
    about="Decisions of the policies, newest first. Run inputs are not stored."
  >
    <div class="filters">
      <${SelectField} label="Result" value=${allow === '' ? 'all' : allow} onChange=${choose} options=${answers} />
    </div>
    <${ListTable}
      list=${list}
      caption="Decisions"
      columns=${columns}
      empty=${html`<${Empty} title="No decisions"><p>Each run, swap and publication creates a decision.</p><//>`}
      more="Show more"
    />
  <//>`;
}

/** Shows one decision: the answer, who gave it, and what policies saw. */
export function DecisionScreen({ params: { decision_id: id = '' } }: ScreenProps) {
  const decision = useGet<Decision>(`/policies/-/decisions/${encodeURIComponent(id)}`);
  return html`<${Page}
    title="Decision"
    above=${{ href: hrefOf('/policies/-/decisions'), name: 'Decisions' }}
    about=${html`<code>${id}</code>`}
  >
    ${loaded(decision, (found) => html`<${Shown} decision=${found} />`)}
  <//>`;
}

function Shown({ decision }: { readonly decision: Decision }) {
  const {
    asks = [],
    at,
    action,
    orb_id,
    principal,
    tenant,
    revision,
    run_id,
    cached,
    duration_us: took,
    input,
  } = decision;
  return html`<section class="panel">
      <${Facts}
        of=${[
          ['Result', html`<${Verdict} of=${decision} />`],
          ['Approval by', asks.map(peopleOf).join('; ')],
          ['Reason', whyOf(decision)],
          ['Action', action],
          ['Orb', html`<code>${orb_id}</code>`],
          ['Requested by', html`<${Id} id=${principal} /> of ${tenant}`],
          ['Time', html`<${Time} at=${at} both />`],
          ['Run', run_id && html`<${IdLink} id=${run_id} />`],
          ['Policies', revision && html`revision <code>${shortOf(revision)}</code>`],
          ['Duration', cached ? 'from the cache' : `${(took / 1000).toFixed(1)} ms`],
        ]}
      />
    </section>
    ${
      input &&
      html`<section class="stack">
        <h2>Policy input</h2>
        <p class="muted">The inputs of the run are not stored and not shown.</p>
        <${Json} value=${input} label="the input of the policies" />
      </section>`
    }`;
}
