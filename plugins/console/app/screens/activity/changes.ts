import { useState } from 'preact/hooks';
import { withQuery } from '../../frame/api.ts';
import { onSubmit } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useList } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useScope } from '../../frame/session.ts';
import { ApiCall } from '../../parts/code.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty } from '../../parts/notice.ts';
import { PrincipalName, usePrincipals } from '../../parts/principal.ts';
import type { Column } from '../../parts/table.ts';
import { isoOf, localOf, Time } from '../../parts/time.ts';
import { Evidence } from './evidence.ts';
import type { ListedChange } from '../../frame/wire.ts';

/** Lists who did what, as the log attests it. */
export function Changes({ query }: ScreenProps) {
  const path = withQuery('/receipts/changes', { ...query, limit: 50 });
  const list = useList<ListedChange>({ path, member: 'changes', idOf: ({ receipt_id }) => receipt_id });
  const exports = useScope('audit:export');
  return html`<${Page}
    title="Who did what"
    about="Changes that the log attests, newest first. Each has a receipt that proves it."
    acts=${exports && html`<${Evidence} from=${query['from']} to=${query['to']} />`}
  >
    <${Filters} key=${JSON.stringify(query)} query=${query} />
    <${ListTable}
      list=${list}
      caption="Changes"
      columns=${columns}
      empty=${html`<${Empty} title=${Object.keys(query).length > 0 ? 'No changes match the filters' : 'No changes yet'}>
        <p>
          Swaps, approvals, incidents, providers and their order, signing keys, namespaces and publications are listed
          here. Runs have a list of their <a href=${hrefOf('/runs')}>own</a>; changes of policies stand in their
          ${' '}<a href=${hrefOf('/policies/-/revisions')}>revisions</a>.
        </p>
      <//>`}
      more="Show older changes"
    />
    <${ApiCall} call=${{ path: withQuery('/receipts/changes', query) }} />
  <//>`;
}

const columns: readonly Column<ListedChange>[] = [
  { title: 'Time', cell: ({ timestamp }) => html`<${Time} at=${timestamp} both />` },
  {
    title: 'Who',
    cell: ({ principal }) =>
      principal === undefined
        ? html`<span class="muted">the server</span>`
        : html`<${PrincipalName} of=${principal} />`,
  },
  {
    title: 'What',
    cell: ({ kind, change, subject }) =>
      html`<span class="wide-cell"
        >${kind.replaceAll('_', ' ')} ${change.replaceAll('_', ' ')} ${linkOf(kind, subject)}</span
      >`,
  },
  { title: 'Orb', cell: ({ orb_id, subject }) => (orb_id === subject ? '' : orb_id) },
  { title: 'Reason', cell: ({ reason }) => html`<span class="wide-cell">${reason?.replaceAll('_', ' ')}</span>` },
  {
    title: 'Proof',
    cell: ({ receipt_id, log }) =>
      html`<a href=${hrefOf(`/receipts/${receipt_id}`)} aria-label=${`log entry ${log.index}, receipt ${receipt_id}`}
        >log entry ${log.index}</a
      >`,
  },
];

const places: Readonly<Record<string, (subject: string) => string>> = {
  approval: (id) => hrefOf(`/approvals/${id}`),
  incident: (id) => hrefOf(`/incidents/${id}`),
  resolution: (id) => hrefOf(`/runs/${id}`),
  swap: (id) => hrefOf(`/providers/${encodeURIComponent(id)}`),
  order: (id) => hrefOf(`/providers/${encodeURIComponent(id)}`),
  namespace: () => hrefOf('/namespaces'),
  key: () => hrefOf('/keys'),
};

function linkOf(kind: string, subject: string | undefined) {
  const place = places[kind];
  if (subject === undefined) return null;
  return place === undefined ? html`<strong>${subject}</strong>` : html`<a href=${place(subject)}>${subject}</a>`;
}

const kinds = ['swap', 'provider', 'order', 'approval', 'resolution', 'incident', 'standing', 'namespace', 'key'];

function Filters({ query }: Pick<ScreenProps, 'query'>) {
  const [typed, setTyped] = useState(query);
  const set = (name: string) => (value: string) => setTyped({ ...typed, [name]: value });
  return html`<form class="panel filter-form" onSubmit=${onSubmit(() => go(hrefOf('/changes', typed)))}>
    <div class="filters wide">
      <${Who} value=${typed['principal'] ?? ''} onChange=${set('principal')} />
      <${SelectField}
        label="What"
        value=${typed['kind'] ?? ''}
        onChange=${set('kind')}
        options=${[['', 'Anything'], ...kinds.map((one) => [one, one])]}
        required=${false}
        plain
      />
      ${times.map(
        ([name, label]) =>
          html`<${TextField}
            label=${label}
            value=${localOf(typed[name])}
            onChange=${(value: string) => set(name)(isoOf(value))}
            type="datetime-local"
            required=${false}
            plain
          />`,
      )}
      <div class="row">
        <button class="button button-quiet" type="submit">Filter</button>
        ${Object.keys(query).length > 0 && html`<a href=${hrefOf('/changes')}>Clear</a>`}
      </div>
    </div>
  </form>`;
}

const times = [
  ['from', 'From, local time'],
  ['to', 'Before, local time'],
] as const;

// Principals have names for a key that lists keys.
function Who({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const people = [...usePrincipals()].sort(([, one], [, other]) => one.localeCompare(other));
  const named = people.some(([id]) => id === value) || value === '' ? people : [[value, value] as const, ...people];
  const common = { label: 'Who', value, onChange, required: false, plain: true };
  return people.length > 0
    ? html`<${SelectField} ...${common} options=${[['', 'Anyone'], ...named]} />`
    : html`<${TextField} ...${common} placeholder="prn_…" code />`;
}
