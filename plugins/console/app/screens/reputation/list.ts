import { withQuery } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet, useList } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useKnown, useScope } from '../../frame/session.ts';
import { SelectField } from '../../parts/field.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty, loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import { scoreText, Tier } from './words.ts';
import type { ListedOrb, Listing } from '../../frame/wire.ts';

const pathOf = (id: string): string => hrefOf(`/reputation/${encodeURIComponent(id)}`);

const columns: readonly Column<Listing>[] = [
  { title: 'Orb', cell: ({ orb_id: id }) => html`<a href=${pathOf(id)}>${id}</a>` },
  { title: 'Score', figures: true, cell: ({ reputation_score }) => scoreText(reputation_score) },
  {
    title: 'Tier',
    cell: ({ standing, certification_tier: tier }) =>
      standing === 'suspended' ? html`<${Status} of="suspended" />` : html`<${Tier} of=${tier} />`,
  },
  { title: 'Status', cell: ({ status }) => status },
  { title: 'Runs, 30 days', figures: true, cell: ({ usage }) => usage.runs_30d.toLocaleString('en') },
  { title: 'Title', cell: ({ title }) => html`<div class="wide-cell">${title}</div>` },
];

const pageSize = 50;

const tiers = ['all', 'none', 'bronze', 'silver', 'gold'].map(
  (one) => [one, one === 'none' ? 'no tier' : one] as const,
);
const sorts = [
  ['score', 'score'],
  ['name', 'name'],
  ['runs', 'runs'],
  ['published', 'last published'],
] as const;

/** Lists published Orbs with their scores, and all Orbs of this installation. */
export function ReputationScreen({ query }: ScreenProps) {
  const market = useKnown('marketplace:publish');
  const mayOrbs = useScope('orbs:read');
  const mayNames = useScope('namespaces:manage');
  return html`<${Page}
    title="Reputation"
    about="Score, tier and marketplace status of each Orb, computed from the log."
    acts=${
      market &&
      html`${mayNames && html`<a class="button button-quiet" href=${hrefOf('/namespaces')}>Namespaces</a>`}
        <a class="button button-quiet" href="/marketplace" target="_blank" rel="noreferrer">Marketplace</a>`
    }
  >
    ${market && html`<${Market} query=${query} />`} ${mayOrbs && html`<${Own} />`}
  <//>`;
}

function Market({ query: { tier = 'all', sort = 'score', offset = '0' } }: Pick<ScreenProps, 'query'>) {
  const asked = { tier: tier === 'all' ? undefined : tier, sort, offset: offset === '0' ? undefined : offset };
  const market = useGet<{ readonly orbs: readonly Listing[]; readonly total: number }>(
    withQuery('/marketplace/orbs', { ...asked, limit: pageSize }),
  );
  const show = (name: string) => (chosen: string) =>
    go(hrefOf('/reputation', { tier, sort, [name]: chosen }), { replace: true });
  return html`<section class="stack">
    <h2>On the marketplace</h2>
    <div class="filters">
      <${SelectField} label="Tier" value=${tier} onChange=${show('tier')} options=${tiers} />
      <${SelectField} label="Sort by" value=${sort} onChange=${show('sort')} options=${sorts} />
    </div>
    ${loaded(
      market,
      ({ orbs, total }) =>
        html`<${Table}
            caption="Published Orbs"
            columns=${columns}
            rows=${orbs}
            rowKey=${({ orb_id }: Listing) => orb_id}
            empty=${html`<${Nothing} filtered=${tier !== 'all'} />`}
          />
          <${Pager} at=${Number(offset)} total=${total} onGo=${(to: number) => show('offset')(String(to))} />`,
    )}
  </section>`;
}

type PagerProps = Readonly<Record<'at' | 'total', number>> & { readonly onGo: (offset: number) => void };

function Pager({ at, total, onGo }: PagerProps) {
  if (total <= pageSize) return null;
  const [back, next] = [Math.max(0, at - pageSize), at + pageSize];
  return html`<div class="row">
    <button class="button button-quiet" type="button" disabled=${at === 0} onClick=${() => onGo(back)}>Back</button>
    <span class="muted">${at + 1} to ${Math.min(total, next)} of ${total}</span>
    <button class="button button-quiet" type="button" disabled=${next >= total} onClick=${() => onGo(next)}>
      Next
    </button>
  </div>`;
}

function Nothing({ filtered }: { readonly filtered: boolean }) {
  return filtered
    ? html`<${Empty} title="No published Orb has this tier"
        ><p><a href=${hrefOf('/reputation')}>Show all tiers</a></p><//
      >`
    : html`<${Empty} title="No Orbs are published yet"><p>Open an Orb below and publish it.</p><//>`;
}

const ownColumns: readonly Column<ListedOrb>[] = [
  { title: 'Orb', cell: ({ orb_id: id }) => html`<a href=${pathOf(id)}>${id}</a>` },
  { title: 'Title', cell: ({ title }) => title },
  { title: 'Description', cell: ({ description }) => html`<div class="wide-cell">${description}</div>` },
];

function Own() {
  const list = useList<ListedOrb>({ path: '/orbs?limit=100', member: 'orbs', idOf: ({ orb_id }) => orb_id });
  return html`<section class="stack">
    <h2>Orbs of this installation</h2>
    <${ListTable}
      list=${list}
      caption="Orbs of this installation"
      columns=${ownColumns}
      empty=${html`<${Empty} title="No Orbs yet"><p>Add a manifest to data/orbs, or use the API.</p><//>`}
      more="Show more"
    />
  </section>`;
}
