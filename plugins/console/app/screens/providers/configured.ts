import { html } from '../../frame/html.ts';
import type { Reading } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import type { ConfiguredProvider } from '../../frame/wire.ts';

/** All providers of the file and of the store. */
export interface ConfiguredList {
  readonly providers: readonly ConfiguredProvider[];
}

/** Shows all providers by name, also those that no Orb uses or that cannot be loaded. */
export function Configured({ of }: { readonly of: Reading<ConfiguredList> }) {
  return html`<section class="stack">
    <h2>All providers</h2>
    ${loaded(
      of,
      ({ providers }) =>
        html`<${Table}
          caption="All providers"
          columns=${columns}
          rows=${providers}
          rowKey=${({ name }: ConfiguredProvider) => name}
          empty=${html`<p class="muted">There are no providers yet.</p>`}
        />`,
    )}
  </section>`;
}

const columns: readonly Column<ConfiguredProvider>[] = [
  {
    title: 'Provider',
    cell: ({ name }) => html`<a href=${hrefOf(`/providers/stored/${encodeURIComponent(name)}`)}>${name}</a>`,
  },
  { title: 'Adapter', cell: ({ adapter }) => html`<code>${adapter}</code>` },
  {
    title: 'Defined in',
    cell: ({ also_stored, origin }) =>
      origin === 'store'
        ? 'the store'
        : also_stored
          ? 'platform.json; the one of the store is not used'
          : 'platform.json',
  },
  {
    title: 'Serves',
    cell: ({ active_for, fault }) =>
      fault === undefined
        ? active_for.join(', ') || html`<span class="muted">no Orb</span>`
        : html`<${Status} of="failed" /> ${fault}`,
  },
];
