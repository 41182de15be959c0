import { html, type Html } from '../../../kernel/index.ts';
import type { ComponentName, ComponentScore, OrbReputation } from '../../ledger/contract.ts';
import { bar } from './tier.ts';

/** Shows the components of a score, each with its points, the reason, and how to raise it. */
export function anatomy(reputation: OrbReputation, objective_ms: number | undefined): Html {
  const { components, limited_by, status } = reputation;
  if (components.length === 0 || status === 'unscored')
    return html`<section class="panel" aria-labelledby="anatomy">
      <h2 id="anatomy">Parts of the score</h2>
      <p class="muted">
        No score yet. Later, this section shows the seven parts of the score, each with its reason and how to raise it.
      </p>
    </section>`;
  return html`<section class="panel" aria-labelledby="anatomy">
    <h2 id="anatomy">Parts of the score</h2>
    <p class="muted">The score is the sum of seven parts, 100 points in total. A weak part can limit the score.</p>
    ${
      limited_by !== undefined &&
      html`<p class="note note-warn">
        <strong>Limited by ${limited_by}.</strong> A weak part limits the whole score, even if all other parts are good.
      </p>`
    }
    <ul class="anatomy">
      ${components.map((component) => row(component, reputation, objective_ms))}
    </ul>
  </section>`;
}

function row(component: ComponentScore, reputation: OrbReputation, objective: number | undefined): Html {
  const { name, weight, value_milli, points_milli } = component;
  const { reason, lift } = words[name](component, reputation, objective);
  return html`<li>
    <h3>${name}</h3>
    <p class="points"><strong>${points(points_milli)}</strong> of ${weight}</p>
    ${bar(value_milli)}
    <p class="why">${reason}</p>
    ${value_milli < 1000 && lift !== undefined && html`<p class="lift">To raise it: ${lift}</p>`}
  </li>`;
}

/** Writes thousandths with one decimal, rounded down like the score. */
export function points(milli: number): string {
  return (Math.floor(milli / 100) / 10).toFixed(1);
}

interface Words {
  readonly reason: string;
  readonly lift?: string;
}

type Explain = (component: ComponentScore, reputation: OrbReputation, objective: number | undefined) => Words;

const words: Readonly<Record<ComponentName, Explain>> = {
  reliability: (_, { basis }) => ({
    reason:
      basis === undefined
        ? 'No run counts yet.'
        : `On the evidence of ${points(basis.effective_runs_milli)} effective runs, at least ${percent(basis.reliability_micro)} succeed.`,
    lift: 'more runs that succeed, by several callers. A fault weighs half as much after 30 days.',
  }),
  contract: ({ value_milli }) => ({
    reason:
      value_milli === 1000
        ? 'Outputs match their schema, and there is enough evidence.'
        : 'Outputs that match their schema, as far as there is evidence.',
    lift: 'more runs whose outputs match the schema.',
  }),
  latency: ({ value_milli }, _, objective) =>
    objective === undefined
      ? {
          reason: 'The manifest has no latency objective.',
          lift: 'a new version with latency_objective_ms in its manifest.',
        }
      : {
          reason: `Compared with the objective of ${objective} ms${value_milli === 1000 ? ', which it meets' : ''}.`,
          lift: 'more runs that end within the objective.',
        },
  integrity: ({ value_milli }) =>
    value_milli === 1000
      ? { reason: 'All its receipts verify.' }
      : {
          reason: 'One of its receipts fails verification.',
          lift: 'the receipt must verify again. An operator cannot override this.',
        },
  incidents: (_, { incidents }) => ({
    reason:
      incidents.debt_milli === 0
        ? 'No incidents affect it.'
        : `Incidents weigh ${points(incidents.debt_milli)} of 100${incidents.open === 0 ? '' : `; ${incidents.open} open`}.`,
    lift: 'resolve the incident, or swap to another provider. The weight of a resolved incident halves every 14 days.',
  }),
  maturity: (_, { basis }) => ({
    reason:
      basis === undefined
        ? 'It was not used for long enough.'
        : `${basis.active_days} active ${basis.active_days === 1 ? 'day' : 'days'}, ${basis.callers} ${basis.callers === 1 ? 'caller' : 'callers'}.`,
    lift: 'time, more callers, more runs.',
  }),
  freshness: (_, { basis }) => ({
    reason:
      basis?.last_run_day === undefined
        ? 'No successful run in the period.'
        : `Last successful run on ${basis.last_run_day}.`,
    lift: 'a successful run within the last seven days.',
  }),
};

function percent(micro: number): string {
  return `${(Math.floor(micro / 1000) / 10).toFixed(1)} %`;
}
