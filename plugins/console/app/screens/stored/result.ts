import { html } from '../../frame/html.ts';
import { hrefOf } from '../../frame/router.ts';
import { Notice } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import type { ProviderChange } from '../../frame/wire.ts';

type Change = ProviderChange['changes'][number];

/** Shows what a change of a provider did to each Orb, and what the adapter warns of. */
export function ChangeResult({ of: { changes, warnings } }: { readonly of: ProviderChange }) {
  return html`<div class="stack">
    ${warnings.length > 0 && html`<${Notice} tone="warn">${warnings.map((warning) => html`<p>${warning}</p>`)}<//>`}
    <${Table}
      caption="What the change did"
      columns=${columns}
      rows=${changes}
      rowKey=${({ orb_id, provider }: Change) => `${orb_id} ${provider}`}
      empty=${html`<p class="muted">No Orb has it in its order yet. Swap an Orb to it on its page.</p>`}
    />
  </div>`;
}

const columns: readonly Column<Change>[] = [
  {
    title: 'Orb',
    cell: ({ orb_id }) => html`<a href=${hrefOf(`/providers/${encodeURIComponent(orb_id)}`)}>${orb_id}</a>`,
  },
  { title: 'Provider', cell: ({ provider }) => provider },
  { title: 'Result', cell: ({ change }) => html`<${Status} of=${change} />` },
  { title: 'Reason', cell: ({ reason }) => reason },
];
