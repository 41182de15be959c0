import { html } from '../../frame/html.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import type { Difference } from './difference.ts';

/** Shows what differs. */
export function DifferenceTable({ of }: { readonly of: readonly Difference[] }) {
  return html`<${Table}
    caption="What changes"
    columns=${columns}
    rows=${of}
    rowKey=${({ pointer }: Difference) => pointer}
    empty=${html`<p>Nothing differs.</p>`}
  />`;
}

const columns: readonly Column<Difference>[] = [
  { title: 'Setting', cell: ({ pointer }) => html`<code>${pointer.replace(/^\/config/, '')}</code>` },
  { title: 'Change', cell: ({ change }) => html`<${Status} of=${change} />` },
  { title: 'Now', cell: ({ before }) => before !== undefined && html`<code>${before}</code>` },
  {
    title: 'After',
    cell: ({ after, before, change }) =>
      after === undefined
        ? change !== 'removed' && before === undefined && html`<span class="muted">secret, not shown</span>`
        : html`<code>${after}</code>`,
  },
];
