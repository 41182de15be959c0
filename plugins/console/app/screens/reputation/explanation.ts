import { html } from '../../frame/html.ts';
import { IdLink } from '../../parts/id-link.ts';
import { Empty } from '../../parts/notice.ts';
import { Table, type Column } from '../../parts/table.ts';
import type { Debt, Reputation } from '../../frame/wire.ts';

/** Says what the next tier needs, and which parts of the score have most to gain. */
export function Lifts({ of: { next_tier, components, limited_by, status } }: { readonly of: Reputation }) {
  const gains = components
    .map((part) => ({ ...part, gain: part.weight - part.points }))
    .filter(({ gain }) => gain >= 0.1)
    .sort((one, other) => other.gain - one.gain);
  return html`<section class="panel stack">
    <h2>How to raise the score</h2>
    ${
      next_tier && next_tier.unmet.length > 0
        ? html`<p>Missing for the tier ${next_tier.tier}:</p>
            <ul class="faults">
              ${next_tier.unmet.map((unmet) => html`<li>${unmetText(unmet)}</li>`)}
            </ul>`
        : html`<p>
            ${next_tier === undefined ? 'There is no higher tier to reach.' : `It meets all conditions of ${next_tier.tier}.`}
          </p>`
    }
    ${limited_by && html`<p>The part <strong>${limited_by}</strong> limits the score: no other part can raise it further.</p>`}
    ${
      status !== 'unscored' &&
      gains.length > 0 &&
      html`<p>Largest possible gains:</p>
        <ul class="faults">
          ${gains.slice(0, 3).map(({ name, gain, reason }) => html`<li><strong>${name}</strong>, up to ${gain.toFixed(1)} points: ${reason}</li>`)}
        </ul>`
    }
  </section>`;
}

function unmetText({ needed, present, detail }: NonNullable<Reputation['next_tier']>['unmet'][number]): string {
  return /^\d/.test(needed) ? `${detail}: ${needed} needed, ${present} now` : detail;
}

/** Shows the parts of a score, with the points of each. */
export function Parts({ of: { components, limited_by } }: { readonly of: Reputation }) {
  const columns: readonly Column<Reputation['components'][number]>[] = [
    {
      title: 'Part',
      cell: ({ name }) => html`${name}${name === limited_by && html` <span class="chip">limits the score</span>`}`,
    },
    { title: 'Points', figures: true, cell: ({ points, weight }) => `${points.toFixed(1)} of ${weight}` },
    { title: 'Share', cell: ({ value }) => html`<${Bar} value=${value} />` },
    { title: 'Reason', cell: ({ reason }) => html`<div class="wide-cell">${reason}</div>` },
  ];
  return html`<section class="stack">
    <h2>Parts of the score</h2>
    <${Table}
      caption="Parts of the score"
      columns=${columns}
      rows=${components}
      rowKey=${({ name }: Reputation['components'][number]) => name}
    />
  </section>`;
}

function Bar({ value }: { readonly value: number }) {
  return html`<svg class="bar share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="bar-back" width="100" height="8" />
    <rect class=${value >= 0.8 ? 'bar-good' : 'bar-weak'} width=${value * 100} height="8" />
  </svg>`;
}

/** Lists the incidents that weigh on the score. */
export function Debts({ of: { incidents } }: { readonly of: Reputation }) {
  const { open = [], decaying = [], debt_milli = 0 } = incidents ?? {};
  if (open.length + decaying.length === 0) return null;
  const columns: readonly Column<Debt>[] = [
    {
      title: 'Incident',
      cell: ({ incident_id: id, severity }) => (id === undefined ? severity : html`<${IdLink} id=${id} />`),
    },
    { title: 'Status', cell: ({ state }) => state },
    { title: 'Severity', cell: ({ severity }) => severity },
    { title: 'Opened', cell: ({ opened_day }) => opened_day },
    { title: 'Weight', figures: true, cell: ({ debt_milli: debt }) => (debt / 1000).toFixed(1) },
  ];
  return html`<section class="stack">
    <h2>Incidents that lower the score</h2>
    <p class="muted">Their total weight is ${(debt_milli / 1000).toFixed(1)}. At 100, this part gives no points.</p>
    <${Table}
      caption="Incidents that lower the score"
      columns=${columns}
      rows=${[...open, ...decaying]}
      rowKey=${(debt: Debt) => `${debt.incident_id ?? ''} ${debt.opened_day} ${debt.severity}`}
      empty=${html`<${Empty} title="None" />`}
    />
  </section>`;
}
