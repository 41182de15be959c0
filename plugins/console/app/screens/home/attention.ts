import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import type { Reading } from '../../frame/resource.ts';
import { loaded } from '../../parts/notice.ts';
import { Time } from '../../parts/time.ts';
import { approvalEvents } from '../approvals/events.ts';
import { incidentEvents } from '../incidents/words.ts';
import type { Concern } from '../../frame/wire.ts';

const words: Readonly<Record<string, string>> = {
  undecided_runs: 'Runs whose outcome is unknown: ask the provider, then resolve them.',
  providers_down: 'Providers that are down: fix them, or swap the Orb to another provider.',
  open_approvals: 'Runs that wait until people have approved them: decide before they expire.',
  failed_approval_notices: 'Notices that did not reach the approvers: tell them, and check the Orb and its provider.',
  failed_alerts: 'Alerts that do not arrive: check the Orb and its provider.',
  expiring_keys: 'Keys that expire soon: create new ones before they stop working.',
  failing_receipts: 'Receipts that fail verification: read the incident, and do not change the state dir.',
  open_incidents: 'Incidents that are not resolved yet.',
  dead_letters: 'Deliveries that could not be read: fix the source, then replay them.',
  faulty_prices: 'A price file that could not be taken into use: the prices before stay in force.',
  faulty_policy: 'A policy that could not be activated: the last valid revision stays active.',
};

// What changes the list; it is read again after each of them.
const types = [
  ...['run.indeterminate', 'run.resolved', 'swap.completed', 'health.changed'],
  ...approvalEvents,
  ...incidentEvents,
  ...['policy.activated', 'key.created', 'key.revoked'],
];

/** What needs attention, by kind. */
export interface Overview {
  readonly concerns: readonly Concern[];
}

/** Lists what a person must act on, as far as the key can read it. */
export function Attention({ overview }: { readonly overview: Reading<Overview> }) {
  useEvents(types, overview.reload, overview.reload);
  return html`<section class="stack" aria-labelledby="attention">
    <h2 id="attention">Needs attention</h2>
    ${loaded(overview, ({ concerns }) => html`<${Concerns} of=${concerns} />`)}
  </section>`;
}

function Concerns({ of }: { readonly of: readonly Concern[] }) {
  const found = of.filter(({ count }) => count > 0);
  const well = of.filter(({ count }) => count === 0).map(({ name }) => named(name).toLowerCase());
  return found.length === 0
    ? html`<div class="note note-good">
        <h3>All clear</h3>
        ${well.length > 0 && html`<p class="muted">${`Checked: ${well.join(', ')}.`}</p>`}
      </div>`
    : html`<div class="columns">
        ${found.map((concern) => html`<${ConcernPanel} key=${concern.name} concern=${concern} />`)}
      </div>`;
}

function ConcernPanel({ concern: { name, count, more = false, link, newest } }: { readonly concern: Concern }) {
  return html`<section class="panel stack">
    <h3>${named(name)} <a class="chip nums" href=${placeOf(link)}>${count}${more && '+'}</a></h3>
    ${words[name] && html`<p class="muted">${words[name]}</p>`}
    <ul class="items">
      ${newest.map(
        ({ id, title, reason, at, link: to }) =>
          html`<li key=${id}>
            <a href=${placeOf(to === undefined || to.startsWith('/receipts/') ? link : to)}>${title}</a>
            ${at && html`<${Time} at=${at} />`} ${!title.startsWith(id) && html`<code>${id}</code>`}
            ${reason && html`<p class="small muted">${reason}</p>`}
          </li>`,
      )}
    </ul>
    <p><a href=${placeOf(link)}>Show all</a></p>
  </section>`;
}

const named = (name: string): string => (name[0] ?? '').toUpperCase() + name.slice(1).replaceAll('_', ' ');

// Screens have the paths of the routes of the API, except for the state of the policies; the incident of a receipt
// that fails shows it.
function placeOf(link: string): string {
  if (link.startsWith('/policies/-/')) return '/console/policies';
  return `/console${link}`;
}
