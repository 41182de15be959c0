import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useList } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import type { ListedOrbiset } from '../../frame/wire.ts';
import { ApiCall } from '../../parts/code.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty } from '../../parts/notice.ts';
import type { Column } from '../../parts/table.ts';
import { limitsText } from './limits.ts';

const path = '/orbisets?limit=50';

/** Writes the address of the screen of an Orbiset. */
export const orbisetHref = (id: string): string => hrefOf(`/orbisets/${encodeURIComponent(id)}`);

const columns: readonly Column<ListedOrbiset>[] = [
  { title: 'Orbiset', cell: ({ id }) => html`<a href=${orbisetHref(id)}>${id}</a>` },
  {
    title: 'Orbs',
    cell: ({ orbs }) =>
      html`<div class="wide-cell">
        ${orbs.slice(0, 3).map((one) => html`<code>${one}</code> `)}
        ${orbs.length > 3 && html`<span class="muted">and ${orbs.length - 3} more</span>`}
      </div>`,
  },
  { title: 'Providers', cell: ({ providers }) => providers?.join(', ') ?? 'all' },
  { title: 'Limits', cell: (one) => limitsText(one) ?? 'none' },
  { title: 'Tenant', cell: ({ tenant }) => tenant },
  { title: 'Defined in', cell: ({ source }) => (source === 'file' ? 'file' : 'store') },
];

/** Lists the Orbisets that the key can see. */
export function Orbisets() {
  const list = useList<ListedOrbiset>({ path, member: 'orbisets', idOf: ({ id }) => id });
  const manages = useScope('orbisets:manage');
  return html`<${Page}
    title="Orbisets"
    above=${{ href: hrefOf('/orbs'), name: 'Orbs' }}
    about="Runs take place in an Orbiset: it says which Orbs and providers may be used, and how much."
    acts=${manages && html`<a class="button" href=${hrefOf('/orbisets/-/new')}>New Orbiset</a>`}
  >
    <${ListTable}
      list=${list}
      caption="Orbisets"
      columns=${columns}
      empty=${html`<${Empty} title="No Orbisets yet"><p>Every run needs one.</p><//>`}
      more="Show more Orbisets"
    />
    <${ApiCall} call=${{ path }} />
  <//>`;
}
