import { html, type Html } from '../../../kernel/index.ts';
import type { ComponentName, ComponentScore, OrbReputation } from '../../ledger/contract.ts';
import { bar } from './tier.ts';

/** Shows the components of a score, each with its points, the reason, and how to raise it. */
export function anatomy(reputation: OrbReputation, objective_ms: number | undefined): Html {
  const { components, limited_by, status } = reputation;
  if (components.length === 0 || status === 'unscored')
    return html`<section class="panel" aria-labelledby="anatomy">
      <h2 id="anatomy">Score anatomy</h2>
      <p class="muted">
        There is nothing to take apart yet. With a score, this shows its seven parts, each with its reason and how to
        lift it.
      </p>
    </section>`;
  return html`<section class="panel" aria-labelledby="anatomy">
    <h2 id="anatomy">Score anatomy</h2>
    <p class="muted">Seven parts, 100 points. The number is the sum, unless the weakest part holds it down.</p>
    ${
      limited_by !== undefined &&
      html`<p class="note note-warn">
        <strong>Held down by ${limited_by}.</strong> However good the rest is, a weak part sets a ceiling for the whole.
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
    ${value_milli < 1000 && lift !== undefined && html`<p class="lift">To lift it: ${lift}</p>`}
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
        ? 'Outputs keep to their schema, with as much evidence as it takes.'
        : 'Outputs that keep to their schema, as far as the evidence goes.',
    lift: 'more runs whose outputs fit the schema.',
  }),
  latency: ({ value_milli }, _, objective) =>
    objective === undefined
      ? {
          reason: 'The manifest names no latency objective, so there is nothing to keep.',
          lift: 'a new version with latency_objective_ms in its manifest.',
        }
      : {
          reason: `Held against the objective of ${objective} ms${value_milli === 1000 ? ', which it keeps' : ''}.`,
          lift: 'more runs that end within the objective.',
        },
  integrity: ({ value_milli }) =>
    value_milli === 1000
      ? { reason: 'Every receipt of it verifies.' }
      : {
          reason: 'A receipt of it does not verify.',
          lift: 'the receipt must verify again; no person can override this.',
        },
  incidents: (_, { incidents }) => ({
    reason:
      incidents.debt_milli === 0
        ? 'No incident weighs on it.'
        : `Incidents weigh ${points(incidents.debt_milli)} of 100${incidents.open === 0 ? '' : `; ${incidents.open} open`}.`,
    lift: 'end the incident, or swap away from the provider it is about. What is over fades by half in 14 days.',
  }),
  maturity: (_, { basis }) => ({
    reason:
      basis === undefined
        ? 'Nobody has used it long enough.'
        : `${basis.active_days} active ${basis.active_days === 1 ? 'day' : 'days'}, ${basis.callers} ${basis.callers === 1 ? 'caller' : 'callers'}.`,
    lift: 'time, more callers, more runs.',
  }),
  freshness: (_, { basis }) => ({
    reason:
      basis?.last_run_day === undefined ? 'No good run in the window.' : `Last good run on ${basis.last_run_day}.`,
    lift: 'a good run within the last seven days.',
  }),
};

function percent(micro: number): string {
  return `${(Math.floor(micro / 1000) / 10).toFixed(1)} %`;
}
