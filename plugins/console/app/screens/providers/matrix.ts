import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet, useList } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useKnown, useScope } from '../../frame/session.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty, Notice } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import type { Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { Configured, type ConfiguredList } from './configured.ts';
import { providerEvents, whyDown } from './provider.ts';
import { Reload } from './reload.ts';
import { SwapHistory } from './history.ts';
import type { ProviderStatus } from '../../frame/wire.ts';

/** Shows which provider serves which Orb, and how each is. */
export function Providers({ query }: ScreenProps) {
  const reloads = useScope('config:reload');
  const one = query['provider'];
  const path = `/providers?limit=50${one === undefined ? '' : `&provider=${encodeURIComponent(one)}`}`;
  const list = useList<ProviderStatus>({ path, member: 'orbs', idOf: ({ orb_id }) => orb_id });
  const stored = useKnown('providers:manage');
  const manages = useScope('providers:manage') && stored;
  const configured = useGet<ConfiguredList>(stored ? '/providers/-/configured' : undefined);
  // What follows would move when the lists above it arrive.
  const settled = !list.loading && (!stored || (configured.value ?? configured.problem) !== undefined);
  const again = (): void => {
    void list.refresh();
    configured.reload();
  };
  useEvents(providerEvents, again, again);
  const acts = html`${reloads && html`<${Reload} onDone=${again} />`}
  ${manages && html`<a class="button" href=${hrefOf('/providers/new')}>Add a provider</a>`}`;
  const about = 'The active and standby providers of each Orb, and their health.';
  return html`<${Page} title="Providers" about=${about} acts=${acts}>
    ${
      one !== undefined &&
      html`<p>Only Orbs that <code>${one}</code> can serve. <a href=${hrefOf('/providers')}>Show all</a></p>`
    }
    <${WhyDown} rows=${list.items} />
    <${ListTable}
      list=${list}
      caption="Orbs and their providers"
      columns=${columnsFor(list.items)}
      empty=${html`<${Empty} title="No Orb has a provider">
        <p>
          ${manages ? html`<a href=${hrefOf('/providers/new')}>Add a provider</a> here, or add` : 'Add'} providers to
          <code>platform.json</code>, then reload it.
        </p>
      <//>`}
      more="More Orbs"
    />
    ${settled && stored && one === undefined && html`<${Configured} of=${configured} />`}
    ${settled && html`<${SwapHistory} title="Latest swaps" />`}
  <//>`;
}

// A provider may serve many Orbs: it is named once.
function WhyDown({ rows }: { readonly rows: readonly ProviderStatus[] }) {
  const reasons = new Map(rows.flatMap(({ providers }) => providers.map((one) => [one.name, whyDown(one)] as const)));
  return [...reasons].map(
    ([name, why]) =>
      why &&
      html`<${Notice} key=${name} tone="bad">
        <p>
          <strong><a href=${hrefOf(`/providers/-/${name}`)}>${name}</a> is down</strong> <${Time} at=${why.at} />:
          ${why.reason}
        </p>
      <//>`,
  );
}

// Each provider has a column, and each Orb a row.
function columnsFor(rows: readonly ProviderStatus[]): readonly Column<ProviderStatus>[] {
  const names = [...new Set(rows.flatMap(({ providers }) => providers.map(({ name }) => name)))].sort();
  return [
    {
      title: 'Orb',
      cell: ({ orb_id, swap_status }) =>
        html`<a href=${hrefOf(`/providers/${encodeURIComponent(orb_id)}`)}>${orb_id}</a>
          ${swap_status !== 'stable' && html` <${Status} of=${swap_status} />`}`,
    },
    {
      title: 'Active provider',
      cell: ({ providers }) => html`<${Serving} of=${providers.find(({ role }) => role === 'active')} />`,
    },
    ...names.map((name): Column<ProviderStatus> => ({
      title: name,
      cell: (row) => html`<${Cell} of=${row} name=${name} />`,
    })),
  ];
}

// A matrix of many providers is wider than the window, so the active provider comes first.
function Serving({ of }: { readonly of: ProviderStatus['providers'][number] | undefined }) {
  if (of === undefined) return html`<${Status} of="no provider" tone="warn" />`;
  return html`<span class="served"
    ><a href=${hrefOf(`/providers/-/${of.name}`)}>${of.name}</a> <${Status} of=${of.health}
  /></span>`;
}

function Cell({ of: { providers }, name }: { readonly of: ProviderStatus; readonly name: string }) {
  const at = providers.findIndex((one) => one.name === name);
  const found = providers[at];
  if (found === undefined) return html`<span class="muted" aria-label="does not serve it">–</span>`;
  const { role, health, breaker } = found;
  const more = breaker === 'closed' ? '' : `, breaker ${breaker.replace('_', ' ')}`;
  return html`<span class=${role === 'active' ? 'served serves' : 'served'}>
    <${Status} of=${health} />
    <span class="small muted">${role === 'standby' ? `standby ${at}` : role}${more}</span>
  </span>`;
}
