import type { ScreenProps } from '../../frame/screen.ts';
import type { ListedReceipt } from '../../frame/wire.ts';
import { withQuery } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { endedEvents } from '../../frame/events.ts';
import { useLiveList } from '../../frame/live.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { ApiCall } from '../../parts/code.ts';
import { ListTable } from '../../parts/list-table.ts';
import { LiveBar } from '../../parts/live-bar.ts';
import { Empty } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Id } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { incidentEvents } from '../incidents/words.ts';
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

const names = ['receipt', 'receipts'] as const;
// Each of them comes from a receipt.
const types = [
  ...[...endedEvents, 'run.resolved', 'swap.completed', 'swap.failed', 'approval.decided', ...incidentEvents],
  ...['provider.added', 'provider.changed', 'provider.removed', 'signing_key.rotated', 'signing_key.revoked'],
];

/** Lists receipts, newest first; new ones appear automatically. */
export function Receipts({ query }: ScreenProps) {
  const path = withQuery('/receipts', { ...query, limit: 50 });
  const idOf = ({ receipt_id }: ListedReceipt): string => receipt_id;
  const list = useLiveList<ListedReceipt>({ path, member: 'receipts', idOf, types, names });
  const filtered = Object.keys(query).length > 0;
  const change = (values: Readonly<Record<string, string>>): void => go(hrefOf('/receipts', values));
  return html`<${Page}
    title="Receipts"
    about="What this server has attested, newest first. A receipt is verified when you open it."
    acts=${html`<${LiveBar} list=${list} names=${names} />`}
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
      <p><a href=${hrefOf('/receipts')}>Show all receipts</a>. New receipts that match appear here automatically.</p>
    <//>`;
  return html`<${Empty} title="No receipts yet">
    <p><a href=${hrefOf('/try')}>Try an Orb</a>: its run ends with a receipt.</p>
  <//>`;
}
