import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useList } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import type { Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { Deliveries } from './deliveries.ts';
import type { Source } from '../../frame/wire.ts';

/** Lists the sources of webhooks, and what could not be read. */
export function Sources() {
  const list = useList<Source>({ path: '/sources?limit=100', member: 'sources', idOf: ({ source_id }) => source_id });
  const create = html`<a class="button" href=${hrefOf('/sources/new')}>New source</a>`;
  const names = new Map(list.items.map(({ source_id, name }) => [source_id, name]));
  const about = 'Monitoring services that send alerts by webhook. Their alerts become incidents with evidence.';
  return html`<${Page} title="Sources" about=${about} acts=${create}>
    <${ListTable}
      list=${list}
      caption="Sources"
      columns=${columns}
      empty=${html`<${Empty} title="No sources yet">
        <p>Create a source for your monitoring service. It shows the settings to enter there, and sends a test.</p>
        <p><a class="button" href=${hrefOf('/sources/new')}>Create the first source</a></p>
      <//>`}
      more="More sources"
    />
    ${
      list.items.length > 0 &&
      html`<${Deliveries} title="Dead letters" state="dead" names=${names} none="No dead letters." />`
    }
  <//>`;
}

const columns: readonly Column<Source>[] = [
  { title: 'Name', cell: ({ source_id, name }) => html`<a href=${hrefOf(`/sources/${source_id}`)}>${name}</a>` },
  { title: 'Vendor', cell: ({ vendor }) => vendor },
  {
    title: 'Status',
    cell: ({ paused }) => html`<${Status} of=${paused ? 'paused' : 'active'} tone=${paused ? 'warn' : 'good'} />`,
  },
  { title: 'Can report on', cell: ({ may_name }) => html`<span class="wide-cell">${namesOf(may_name)}</span>` },
  {
    title: 'Secret used',
    cell: ({ secrets }) =>
      html`<${Time} at=${secrets.findLast(({ last_used_at }) => last_used_at !== undefined)?.last_used_at} />`,
  },
  { title: 'Created', cell: ({ created_at }) => html`<${Time} at=${created_at} />` },
];

function namesOf({ components = [], providers = [], orbs = [] }: Source['may_name']) {
  const all = [...components, ...providers, ...orbs];
  return all.length === 0 ? html`<span class="muted">nothing</span>` : all.join(', ');
}

/** Lists deliveries of all sources, filtered by the address: where links to dead letters lead. */
export function AllDeliveries({ query: { state, source_id } }: ScreenProps) {
  const above = { href: hrefOf('/sources'), name: 'Sources' };
  return html`<${Page} title="Deliveries" above=${above}>
    <${Deliveries}
      title=${state === 'dead' ? 'Dead letters' : 'Latest deliveries'}
      source=${source_id}
      state=${state}
      none="No deliveries."
    />
  <//>`;
}
