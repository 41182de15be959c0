import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet, useList } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useScope } from '../../frame/session.ts';
import type { Budget, ListedOrb, OrbisetDetail } from '../../frame/wire.ts';
import { Act } from '../../parts/act.ts';
import { ApiCall, Json } from '../../parts/code.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty, loaded } from '../../parts/notice.ts';
import { Facts, type Column } from '../../parts/table.ts';
import { limitsText } from './limits.ts';
import { orbHref } from './list.ts';
import { policyLink, scheduleLine, usePolicyFiles, useSchedules, useSees } from './used.ts';
import { namesOrb } from './words.ts';

/** Shows one Orbiset: what may run in it, how much, and what depends on it. */
export function OrbisetScreen({ params: { id = '' } }: ScreenProps) {
  const path = `/orbisets/${encodeURIComponent(id)}`;
  const reading = useGet<OrbisetDetail>(path);
  return html`<${Page}
    title=${id}
    above=${{ href: hrefOf('/orbisets'), name: 'Orbisets' }}
    about="What may run in this Orbiset, and how much."
    acts=${reading.value && html`<${Acts} of=${reading.value} />`}
  >
    ${loaded(
      reading,
      (of) =>
        html`<${Declared} of=${of} />
          <${Orbs} of=${of} />
          <section class="panel stack">
            <h2>What depends on it</h2>
            <${Dependents} id=${id} />
          </section>
          <section class="panel stack">
            <h2>Raw data</h2>
            <details>
              <summary>The manifest as JSON</summary>
              <${Json} value=${of.manifest} label="manifest" />
            </details>
          </section>
          <${ApiCall} call=${{ path }} />`,
      'Loading the Orbiset',
    )}
  <//>`;
}

function Acts({ of }: { readonly of: OrbisetDetail }) {
  const { manifest, manifest_digest, source } = of;
  const { id } = manifest;
  const path = `/orbisets/${encodeURIComponent(id)}`;
  if (!useScope('orbisets:manage') || source === 'file') return null;
  return html`<a class="button button-quiet" href=${hrefOf(`${path}/edit`)}>Edit</a>
    <${Act}
      label="Delete"
      title=${`Delete the Orbiset ${id}`}
      says=${html`<p>
          Calls that name <code>${id}</code> are refused from then on. Its runs and receipts stay. Open runs must end
          first. The id stays reserved for its tenant.
        </p>
        <p>These depend on it now:</p>
        <${Dependents} id=${id} />`}
      word=${id}
      danger
      call=${{ method: 'DELETE', path, headers: { 'If-Match': `"${manifest_digest}"` } }}
      onDone=${() => go(hrefOf('/orbisets'))}
      done=${`The Orbiset ${id} is deleted`}
    />`;
}

function Declared({ of: { manifest, source } }: { readonly of: OrbisetDetail }) {
  const { id, tenant, labels = {}, orbs, providers, retention_days: kept, tools } = manifest;
  return html`<section class="panel stack">
    <${Facts}
      of=${[
        ['Tenant', tenant],
        ['Orbs', orbs.map((one) => html`<code>${one}</code> `)],
        ['Providers', providers?.join(', ') ?? 'all'],
        ['Limits', limitsText(manifest) ?? 'none'],
        ['Kept inputs', daysText(kept?.inputs)],
        ['Kept outputs', daysText(kept?.outputs)],
        [
          'Labels for policies',
          Object.keys(labels).length > 0 &&
            Object.entries(labels).map(([name, value]) => html`<code>${name}: ${value}</code> `),
        ],
        ['Full receipts for agents', tools?.receipts === 'full' && 'yes'],
        ['Repeated calls of agents', manifest.repeat_guard === false && 'are executed again'],
        ['Metered calls of unknown outcome', manifest.retry_unknown === false && 'are not tried elsewhere'],
        [
          'Defined in',
          source === 'file'
            ? html`<code>data/orbisets/${id}.json</code>. To change it, change the file and restart.`
            : 'the store, through the API',
        ],
      ]}
    />
  </section>`;
}

const daysText = (days = 0): string => (days === 0 ? 'no' : `encrypted, for ${days} days`);

const columns: readonly Column<ListedOrb>[] = [
  {
    title: 'Orb',
    cell: ({ orb_id, title }) =>
      html`<a class="name-cell" href=${orbHref(orb_id)}>${title}</a> <span class="small muted sub-id">${orb_id}</span>`,
  },
  { title: 'Effect', cell: ({ effect }) => effect },
  { title: 'Description', cell: ({ description }) => html`<div class="wide-cell">${description}</div>` },
];

function Orbs({ of: { manifest } }: { readonly of: OrbisetDetail }) {
  const shows = ({ orb_id }: ListedOrb): boolean => manifest.orbs.some((pattern) => namesOrb(pattern, orb_id));
  const list = useList<ListedOrb>({ path: '/orbs?limit=100', member: 'orbs', idOf: ({ orb_id }) => orb_id, shows });
  return html`<section class="stack">
    <h2>Orbs that may run here</h2>
    <${ListTable}
      list=${list}
      rows=${list.items.filter(shows)}
      caption="Orbs that may run here"
      columns=${columns}
      empty=${html`<${Empty} title="No Orb of this installation fits"><p>Change the list of Orbs.</p><//>`}
      more="Show more Orbs"
    />
  </section>`;
}

function Dependents({ id }: { readonly id: string }) {
  const [schedules, callbacks, policies, budgets] = [
    'schedules:manage',
    'subscriptions:manage',
    'policies:read',
    'usage:read',
  ].map(useSees);
  return html`<${Facts}
    of=${[
      ['Schedules', schedules && html`<${Schedules} id=${id} />`],
      ['Callbacks', callbacks && html`<${Callbacks} id=${id} />`],
      ['Policies that name it', policies && html`<${Policies} id=${id} />`],
      ['Budgets', budgets && html`<${Budgets} id=${id} />`],
    ]}
  />`;
}

const lines = <T>(all: readonly T[], show: (one: T) => unknown) =>
  all.length === 0
    ? html`<span class="muted">None</span>`
    : html`<ul class="plain">
        ${all.map((one) => html`<li>${show(one)}</li>`)}
      </ul>`;

function Schedules({ id }: { readonly id: string }) {
  return loaded(useSchedules([id]), (all) => lines(all, scheduleLine));
}

interface Subscriptions {
  readonly subscriptions: readonly { readonly subscription_id: string; readonly url: string }[];
}

function Callbacks({ id }: { readonly id: string }) {
  const found = useGet<Subscriptions>(`/orbisets/${encodeURIComponent(id)}/subscriptions`);
  return loaded(found, ({ subscriptions }) =>
    lines(subscriptions, ({ subscription_id, url }) => html`${hostOf(url)} <code>${subscription_id}</code>`),
  );
}

// The rest of an address may hold a secret.
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

function Policies({ id }: { readonly id: string }) {
  return loaded(
    usePolicyFiles((source) => source.includes(JSON.stringify(id))),
    (all) => lines(all, policyLink),
  );
}

function Budgets({ id }: { readonly id: string }) {
  const found = useGet<{ readonly budgets: readonly Budget[] }>('/budgets?limit=100');
  return loaded(found, ({ budgets }) =>
    lines(
      budgets.filter(({ scope, subject }) => scope === 'orbiset' && subject === id),
      ({ per, unit, limit, spent }) =>
        html`<a href=${hrefOf('/budgets')}>per ${per}</a>: ${spent.toLocaleString('en')} of
          ${limit.toLocaleString('en')} ${unit}`,
    ),
  );
}
