import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { ApiCall } from '../../parts/code.ts';
import { Empty, loaded, Loading } from '../../parts/notice.ts';
import { OrbisetField, useOrbiset } from '../../parts/orbiset-field.ts';
import { Table, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { eventsOf, SubscriptionState, Turn } from './subscription.ts';
import type { Subscription } from '../../frame/wire.ts';

const about = 'Addresses that get a signed request when runs finish.';

/** Lists the subscriptions of an Orbiset; each can be paused and resumed here. */
export function Callbacks({ query }: ScreenProps) {
  const orbiset = useOrbiset(query['orbiset']);
  const { id } = orbiset;
  const choose = (chosen: string): void => go(hrefOf('/callbacks', { orbiset: chosen }), { replace: true });
  const create = html`<a class="button" href=${hrefOf('/callbacks/new', { orbiset: id })}>New subscription</a>`;
  return html`<${Page} title="Callbacks" about=${about} acts=${create}>
    <div class="filters"><${OrbisetField} of=${orbiset} onChange=${choose} /></div>
    ${id === undefined ? html`<${Loading} />` : id !== '' && html`<${Subscriptions} key=${id} orbiset=${id} />`}
  <//>`;
}

function Subscriptions({ orbiset }: { readonly orbiset: string }) {
  const path = `/orbisets/${encodeURIComponent(orbiset)}/subscriptions`;
  const list = useGet<{ readonly subscriptions: readonly Subscription[] }>(path);
  return html`${loaded(
      list,
      ({ subscriptions }) =>
        html`<${Table}
          caption=${`Subscriptions of ${orbiset}`}
          columns=${columnsFor(list.reload)}
          rows=${subscriptions}
          rowKey=${({ subscription_id }: Subscription) => subscription_id}
          empty=${html`<${Empty} title="No subscriptions yet">
            <p>With a subscription, your program is notified when a run finishes, and does not have to ask.</p>
            <p><a class="button" href=${hrefOf('/callbacks/new', { orbiset })}>Create the first subscription</a></p>
          <//>`}
        />`,
    )} <${ApiCall} call=${{ path }} />`;
}

const columnsFor = (onDone: () => void): readonly Column<Subscription>[] => [
  {
    title: 'Address',
    cell: ({ subscription_id: id, url }) => html`<a class="name-cell" href=${hrefOf(`/callbacks/${id}`)}>${url}</a>`,
  },
  { title: 'Events', cell: (one) => html`<span class="wide-cell">${eventsOf(one)}</span>` },
  { title: 'Status', cell: (one) => html`<${SubscriptionState} of=${one} />` },
  { title: 'Failing since', cell: ({ failing_since }) => html`<${Time} at=${failing_since} />` },
  { title: 'Created', cell: ({ created_at }) => html`<${Time} at=${created_at} />` },
  { title: 'Actions', cell: (one) => html`<${Turn} of=${one} onDone=${onDone} />` },
];
