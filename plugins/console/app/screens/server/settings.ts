import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { ApiCall } from '../../parts/code.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { Empty, loaded } from '../../parts/notice.ts';
import { Table, type Column } from '../../parts/table.ts';
import type { Configuration, Setting } from '../../frame/wire.ts';

const about = 'The configuration in use, and where each value comes from. Secrets are never shown.';

/** Shows the effective configuration of the node that answers. */
export function Settings({ query }: ScreenProps) {
  const reading = useGet<Configuration>('/config');
  return html`<${Page} title="Settings" about=${about}>
    ${loaded(reading, (found) => html`<${Found} of=${found} query=${query} />`, 'Loading the settings')}
    <p class="small muted">
      Change them in the file or the environment of the server, then restart it. ${' '}<a href=${hrefOf('/providers')}
        >Providers</a
      >
      are reloaded without a restart. More: ${' '}<a href=${hrefOf('/nodes')}>nodes</a>,
      <a href=${hrefOf('/keys')}>keys and signing keys</a>, ${' '}<a href="/docs/reference/configuration"
        >all settings</a
      >.
    </p>
    <${ApiCall} call=${{ path: '/config' }} />
  <//>`;
}

const sources = [
  ['', 'All'],
  ['set', 'Only values that are set'],
  ['file', 'File'],
  ['environment', 'Environment'],
  ['secret_file', 'Secret file'],
  ['store', 'Store'],
  ['default', 'Default'],
] as const;

function Found({ of: { file, node, settings }, query }: { readonly of: Configuration } & Pick<ScreenProps, 'query'>) {
  const { part = '', source = '' } = query;
  const [text, setText] = useState('');
  const choose = (name: string) => (value: string) =>
    go(hrefOf('/settings', { part, source, [name]: value }), { replace: true });
  const parts = [...new Set(settings.map((one) => one.part))].map((one) => [one, one] as const);
  const wanted = text.trim().toLowerCase();
  const shown = settings.filter(
    (one) =>
      (part === '' || one.part === part) &&
      (source === '' || (source === 'set' ? one.source !== 'default' : one.source === source)) &&
      `${one.part}.${one.name} ${one.description ?? ''}`.toLowerCase().includes(wanted),
  );
  return html`<p class="muted">
      Node <strong>${node}</strong>, file <code>${file}</code>. ${shown.length} of ${settings.length} settings.
    </p>
    <div class="filters wide">
      <${TextField} label="Search" value=${text} onChange=${setText} type="search" required=${false} plain />
      <${SelectField} label="Part" value=${part} onChange=${choose('part')} options=${[['', 'All'], ...parts]} />
      <${SelectField} label="Source" value=${source} onChange=${choose('source')} options=${sources} />
    </div>
    <${Table}
      caption="Settings"
      columns=${columnsFor(file)}
      rows=${shown}
      rowKey=${({ part: of, name }: Setting) => `${of}/${name}`}
      empty=${html`<${Empty} title="No settings match the filters"
        ><p><a href=${hrefOf('/settings')}>Show all settings</a>.</p><//
      >`}
    />`;
}

const columnsFor = (file: string): readonly Column<Setting>[] => [
  {
    title: 'Setting',
    cell: ({ part, name }) =>
      html`<code class="name-cell">${part === 'server' || part === 'environment' ? name : `${part}.${name}`}</code>`,
  },
  { title: 'Value', cell: (setting) => html`<${Value} of=${setting} />` },
  { title: 'From', cell: (setting) => html`<span class="wide-cell">${originOf(setting, file)}</span>` },
  { title: 'What it does', cell: ({ description }) => html`<span class="small wide-cell">${description}</span>` },
];

function Value({ of: { hidden, value } }: { readonly of: Setting }) {
  if (hidden) return html`<span class="muted">hidden</span>`;
  if (value === undefined) return html`<span class="muted">not set</span>`;
  return html`<code class="wide-cell">${value}</code>`;
}

function originOf({ from, source }: Setting, file: string) {
  switch (source) {
    case 'file':
      return html`<code>${file}</code>`;
    case 'environment':
      return html`variable <code>${from}</code>`;
    case 'secret_file':
      return html`file <code>${from}</code>`;
    case 'store':
      return 'store, by the API';
    case 'default':
      return html`<span class="muted">default</span>`;
  }
}
