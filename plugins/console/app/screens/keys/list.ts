import { useState } from 'preact/hooks';
import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useList } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useScope, useSession } from '../../frame/session.ts';
import { CheckField } from '../../parts/field.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import type { Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { stateOf } from './key.ts';
import { SigningKeys } from './signing.ts';
import type { Key } from '../../frame/wire.ts';

/** Lists who may call the platform, and the keys that sign. */
export function Keys() {
  const manages = useScope('keys:manage');
  const signs = useScope('signing-keys:manage');
  const create = manages && html`<a class="button" href=${hrefOf('/keys/new')}>New key</a>`;
  return html`<${Page} title="Keys" about="API keys of callers, and the keys that sign receipts." acts=${create}>
    ${manages && html`<${KeyList} />`} ${signs && html`<${SigningKeys} />`}
  <//>`;
}

function KeyList() {
  const { key_id } = useSession();
  const [ended, setEnded] = useState(false);
  const shows = (key: Key): boolean => ended || stateOf(key) === 'active';
  const list = useList<Key>({ path: '/keys?limit=50', member: 'keys', idOf: (key) => key.key_id, shows });
  const again = (): void => void list.refresh();
  useEvents(['key.created', 'key.revoked'], again, again);
  const shown = list.items.filter(shows);
  const hidden = list.items.length - shown.length;
  return html`<div class="stack">
    <${ListTable}
      list=${list}
      rows=${shown}
      caption="Keys"
      columns=${columnsFor(key_id)}
      empty=${html`<${Empty} title="No active keys"><p>Create one for each program that calls the platform.</p><//>`}
      more="Older keys"
    />
    <${CheckField}
      label=${`Show revoked and expired keys${!ended && hidden > 0 ? ` (${hidden})` : ''}`}
      value=${ended}
      onChange=${setEnded}
    />
  </div>`;
}

const columnsFor = (own: string): readonly Column<Key>[] => [
  {
    title: 'Name',
    cell: ({ key_id, name, mode }) =>
      html`<a href=${hrefOf(`/keys/${key_id}`)}>${name}</a> ${mode === 'test' && html`<span class="chip">test</span> `}
        ${key_id === own && html`<span class="chip">this session</span>`}`,
  },
  { title: 'Prefix', cell: ({ prefix }) => html`<code>${prefix}</code>` },
  { title: 'Status', cell: (key) => html`<${Status} of=${stateOf(key)} />` },
  { title: 'Scopes', cell: ({ scopes }) => html`<span class="wide-cell">${brief(scopes)}</span>` },
  { title: 'Last used', cell: ({ last_used_at }) => timeOrNever(last_used_at) },
  { title: 'Expires', cell: ({ expires_at }) => timeOrNever(expires_at) },
  { title: 'Tenant', cell: ({ tenant }) => tenant },
];

const timeOrNever = (at: string | undefined) =>
  at === undefined ? html`<span class="muted">Never</span>` : html`<${Time} at=${at} />`;

function brief(scopes: readonly string[]) {
  const rest = scopes.length - 2;
  return html`${scopes.slice(0, 2).map((one) => html`<code>${one}</code> `)}${
    rest > 0 && html`<span class="muted">and ${rest} more</span>`
  }`;
}
