import type { ScreenProps } from '../../frame/screen.ts';
import type { ListedReceipt } from '../../frame/wire.ts';
import { withQuery } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useList } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { ApiCall } from '../../parts/code.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Id } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { ReceiptFilters } from './filters.ts';

const columns = [
  {
    title: 'Attests',
    cell: ({ receipt_id, kind, orb_id }: ListedReceipt) =>
      html`<a class="name-cell" href=${hrefOf(`/receipts/${receipt_id}`)}
        >${orb_id === undefined ? kind : kind === 'run' ? orb_id : `${kind}: ${orb_id}`}</a
      >`,
  },
  {
    title: 'Status',
    cell: ({ status }: ListedReceipt) => (status === undefined ? '–' : html`<${Status} of=${status} />`),
  },
  { title: 'Trust score', figures: true, cell: ({ trust_score }: ListedReceipt) => trust_score ?? '–' },
  { title: 'Risk', cell: ({ risk_level }: ListedReceipt) => risk_level ?? '–' },
  { title: 'Issued', cell: ({ timestamp }: ListedReceipt) => html`<${Time} at=${timestamp} />` },
  { title: 'Orbiset', cell: ({ orbiset_id }: ListedReceipt) => orbiset_id ?? '–' },
  { title: 'Log entry', figures: true, cell: ({ log }: ListedReceipt) => log.index },
  { title: 'Receipt', cell: ({ receipt_id }: ListedReceipt) => html`<${Id} id=${receipt_id} />` },
];

/** Lists receipts, newest first. */
export function Receipts({ query }: ScreenProps) {
  const path = withQuery('/receipts', { ...query, limit: 50 });
  const list = useList<ListedReceipt>({ path, member: 'receipts', idOf: ({ receipt_id }) => receipt_id });
  const filtered = Object.keys(query).length > 0;
  const change = (values: Readonly<Record<string, string>>): void => go(hrefOf('/receipts', values));
  return html`<${Page}
    title="Receipts"
    about="What this server has attested, newest first. A receipt is verified when you open it."
    acts=${html`<button class="button button-quiet" type="button" onClick=${() => void list.refresh()}>Refresh</button>`}
  >
    <${ReceiptFilters} query=${query} onChange=${change} />
    <${ListTable}
      list=${list}
      caption="Receipts"
      columns=${columns}
      empty=${html`<${NoReceipts} filtered=${filtered} />`}
      more="Show older receipts"
    />
    <${ApiCall} call=${{ path: withQuery('/receipts', query) }} />
  <//>`;
}

function NoReceipts({ filtered }: { readonly filtered: boolean }) {
  if (filtered)
    return html`<${Empty} title="No receipts match the filters">
      <p><a href=${hrefOf('/receipts')}>Show all receipts</a>.</p>
    <//>`;
  return html`<${Empty} title="No receipts yet">
    <p><a href=${hrefOf('/try')}>Try an Orb</a>: its run ends with a receipt.</p>
  <//>`;
}
