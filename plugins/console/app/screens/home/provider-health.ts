import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { providerEvents, whyDown } from '../providers/provider.ts';
import type { ProviderRow, ProviderStatus } from '../../frame/wire.ts';

interface Page {
  readonly orbs: readonly ProviderStatus[];
  readonly next_cursor?: string;
}

/** A provider, with its worst health and the Orbs that it serves. */
interface Provider {
  readonly row: ProviderRow;
  readonly orbs: number;
}

const worstFirst = ['down', 'degraded', 'unknown', 'up'] as const;
const mostShown = 8;

/** Shows the health of all providers at a glance, those with problems first. */
export function ProviderHealth() {
  const reading = useGet<Page>('/providers?limit=100');
  useEvents(providerEvents, reading.reload, reading.reload);
  return html`<section class="panel stack" aria-labelledby="provider-health">
    <h2 id="provider-health">Providers</h2>
    ${loaded(reading, ({ orbs, next_cursor: next }) => html`<${Health} of=${providersOf(orbs)} more=${next !== undefined} />`)}
  </section>`;
}

function Health({ of, more }: { readonly of: readonly Provider[]; readonly more: boolean }) {
  if (of.length === 0)
    return html`<p class="muted">No Orb has a provider. <a href=${hrefOf('/providers')}>Providers</a></p>`;
  const counts = worstFirst
    .map((health) => [health, of.filter(({ row }) => row.health === health).length] as const)
    .filter(([, count]) => count > 0);
  return html`<p class="row">
      ${counts.map(([health, count]) => html`<a class="row" href=${hrefOf('/providers')}><span class="nums">${count}</span> <${Status} of=${health} /></a>`)}
    </p>
    <ul class="items">
      ${of.slice(0, mostShown).map(({ row, orbs }) => {
        const why = whyDown(row);
        return html`<li key=${row.name}>
          <a href=${hrefOf(`/providers/-/${encodeURIComponent(row.name)}`)}>${row.name}</a>
          <span class="small muted">${orbs === 1 ? 'serves 1 Orb' : `serves ${orbs} Orbs`}</span>
          <${Status} of=${row.health} />
          ${why && html`<p class="small muted">${why.reason}</p>`}
        </li>`;
      })}
    </ul>
    ${(of.length > mostShown || more) && html`<p><a href=${hrefOf('/providers')}>Show all</a></p>`}`;
}

const rank = ({ health }: ProviderRow): number => worstFirst.findIndex((one) => one === health);

// A provider stands in the row of each Orb that it can serve.
function providersOf(orbs: readonly ProviderStatus[]): readonly Provider[] {
  const found = new Map<string, Provider>();
  for (const { providers } of orbs)
    for (const row of providers) {
      const known = found.get(row.name);
      const worse = known === undefined || rank(row) < rank(known.row) ? row : known.row;
      found.set(row.name, { row: worse, orbs: (known?.orbs ?? 0) + (row.role === 'active' ? 1 : 0) });
    }
  return [...found.values()].sort((a, b) => rank(a.row) - rank(b.row) || (a.row.name < b.row.name ? -1 : 1));
}
