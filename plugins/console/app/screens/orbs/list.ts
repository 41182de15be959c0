import { useState } from 'preact/hooks';
import { withQuery } from '../../frame/api.ts';
import { serverNow } from '../../frame/clock.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet, useList } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useKnown, useScope } from '../../frame/session.ts';
import type { ListedOrb, ProviderStatus, Reputation, Stats } from '../../frame/wire.ts';
import { ApiCall } from '../../parts/code.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import type { Column } from '../../parts/table.ts';
import { scoreText, Tier } from '../reputation/words.ts';
import { useSees } from './used.ts';

const path = '/orbs?limit=20';

/** Writes the address of the screen of an Orb. */
export const orbHref = (orbId: string): string => hrefOf(`/orbs/${encodeURIComponent(orbId)}`);

/** Lists the Orbs of the installation: what each does, who serves it, how much it is used, and its score. */
export function Orbs() {
  const list = useList<ListedOrb>({ path, member: 'orbs', idOf: ({ orb_id }) => orb_id });
  const manages = useScope('orbs:manage');
  const scored = useKnown('reputation:suspend');
  const columns = [...shape, ...useProviders(), ...useRuns(), ...(scored ? [score] : [])];
  return html`<${Page}
    title="Orbs"
    about="What callers can run: each Orb is a contract that a provider fulfils."
    acts=${html`<a class="button button-quiet" href=${hrefOf('/orbisets')}>Orbisets</a>
      ${manages && html`<a class="button" href=${hrefOf('/orbs/-/new')}>New Orb</a>`}`}
  >
    <${ListTable}
      list=${list}
      caption="Orbs"
      columns=${columns}
      empty=${html`<${Empty} title="No Orbs yet">
        <p>
          ${manages ? html`<a href=${hrefOf('/orbs/-/new')}>Add an Orb</a>` : html`Add a manifest to <code>data/orbs</code>`}.
        </p>
      <//>`}
      more="Show more Orbs"
    />
    <${ApiCall} call=${{ path }} />
  <//>`;
}

const shape: readonly Column<ListedOrb>[] = [
  {
    title: 'Orb',
    cell: ({ orb_id, title }) =>
      html`<a class="name-cell" href=${orbHref(orb_id)}>${title}</a> <span class="small muted sub-id">${orb_id}</span>`,
  },
  { title: 'Capability', cell: ({ capability }) => capability },
  {
    title: 'Effect',
    cell: ({ effect }) => html`<${Status} of=${effect} tone=${effect === 'irreversible' ? 'warn' : 'none'} />`,
  },
];

function useProviders(): readonly Column<ListedOrb>[] {
  const sees = useSees('providers:read');
  const { value } = useGet<{ readonly orbs: readonly ProviderStatus[] }>(sees ? '/providers?limit=100' : undefined);
  const byOrb = new Map(value?.orbs.map((one) => [one.orb_id, one.providers]));
  const cell = ({ orb_id }: ListedOrb) => {
    const [active, ...others] = [...(byOrb.get(orb_id) ?? [])].sort((one) => (one.role === 'active' ? -1 : 0));
    if (active === undefined) return value === undefined ? '' : html`<span class="muted">None</span>`;
    return html`<a href=${hrefOf(`/providers/${encodeURIComponent(orb_id)}`)}>${active.name}</a>${' '}
      <${Status} of=${active.health} />
      ${others.length > 0 && html`<span class="muted">and ${others.length} more</span>`}`;
  };
  return sees ? [{ title: 'Providers', cell }] : [];
}

const dayMs = 86_400_000;

function useRuns(): readonly Column<ListedOrb>[] {
  const sees = useSees('stats:read');
  const [from] = useState(() => new Date(serverNow() - dayMs).toISOString());
  const { value } = useGet<Stats>(sees ? withQuery('/stats', { by: 'orb_id', step: 'hour', from }) : undefined);
  const byOrb = new Map(
    value?.series.map((one) => [one.value, one.points.reduce((sum, { total }) => sum + total, 0)] as const),
  );
  const cell = ({ orb_id }: ListedOrb) =>
    value && html`<a href=${hrefOf('/runs', { orb_id })}>${(byOrb.get(orb_id) ?? 0).toLocaleString('en')}</a>`;
  return sees ? [{ title: 'Runs, 24 hours', figures: true, cell }] : [];
}

const score: Column<ListedOrb> = {
  title: 'Score',
  cell: ({ orb_id }) => html`<${Score} orbId=${orb_id} />`,
};

function Score({ orbId }: { readonly orbId: string }) {
  const { value } = useGet<Reputation>(`/reputation/${encodeURIComponent(orbId)}`);
  if (value === undefined) return null;
  const { status, reputation_score, certification_tier } = value;
  return html`<a href=${hrefOf(`/reputation/${encodeURIComponent(orbId)}`)}>${scoreText(reputation_score)}</a>${' '}
    ${status === 'suspended' ? html`<${Status} of="suspended" />` : html`<${Tier} of=${certification_tier} />`}`;
}
