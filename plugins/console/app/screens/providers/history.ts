import { withQuery } from '../../frame/api.ts';
import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { IdLink } from '../../parts/id-link.ts';
import { useList } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Status } from '../../parts/status.ts';
import type { Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { providerEvents } from './provider.ts';
import type { Swap } from '../../frame/wire.ts';

/** Which swaps are shown: of one Orb, from and to one provider, or all. */
export interface SwapHistoryProps {
  readonly title: string;
  readonly orb?: string;
  readonly provider?: string;
}

/** Shows the latest swaps. */
export function SwapHistory({ title, orb, provider }: SwapHistoryProps) {
  const path = withQuery('/swaps', { limit: 10, orb_id: orb, provider });
  const list = useList<Swap>({ path, member: 'swaps', idOf: ({ swap_id }) => swap_id });
  const again = (): void => void list.refresh();
  useEvents(providerEvents, again, again);
  return html`<section class="stack">
    <h2>${title}</h2>
    <${ListTable}
      list=${list}
      caption=${title}
      columns=${orb === undefined ? [...columns.slice(0, 1), ofOrb, ...columns.slice(1)] : columns}
      empty=${html`<p class="muted">No swaps yet.</p>`}
      more="Older swaps"
    />
  </section>`;
}

const ofOrb: Column<Swap> = {
  title: 'Orb',
  cell: ({ orb_id }) => html`<a href=${hrefOf(`/providers/${encodeURIComponent(orb_id)}`)}>${orb_id}</a>`,
};
const columns: readonly Column<Swap>[] = [
  { title: 'Started', cell: ({ started_at }) => html`<${Time} at=${started_at} />` },
  {
    title: 'Change',
    cell: ({ from, to, rolls_back }) => [
      `${from ?? 'none'} → ${to} `,
      rolls_back !== undefined && html`<span class="chip">rollback</span>`,
    ],
  },
  {
    title: 'Status',
    cell: ({ state, reason }) =>
      html`<${Status} of=${state} />${reason && html` <span class="muted">${reason}</span>`}`,
  },
  { title: 'Generation', figures: true, cell: ({ generation }) => generation },
  { title: 'Receipt', cell: ({ receipt_id }) => receipt_id && html`<${IdLink} id=${receipt_id} />` },
];
