import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { useGet, useList } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import { Act } from '../../parts/act.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import type { ShownProvider } from './adapter.ts';
import { providerEvents } from '../providers/provider.ts';
import type { ListedOrb, ProviderStatus } from '../../frame/wire.ts';

interface Row {
  readonly orb: Pick<ListedOrb, 'orb_id' | 'title'>;
  readonly status: ProviderStatus;
}

/** Shows the Orbs that a provider can serve, its place in the order of each, and the act that makes it the first. */
export function UsedBy({ of: { capability, name } }: { readonly of: ShownProvider }) {
  const reads = useScope('orbs:read');
  const swaps = useScope('providers:swap');
  const orbs = useGet<{ readonly orbs: readonly ListedOrb[] }>(reads ? '/orbs?limit=100' : undefined);
  const list = useList<ProviderStatus>({ path: '/providers?limit=100', member: 'orbs', idOf: ({ orb_id }) => orb_id });
  const again = (): void => void list.refresh();
  useEvents(providerEvents, again, again);
  const fitting = new Map(
    (orbs.value?.orbs ?? []).filter((orb) => orb.capability === capability).map((orb) => [orb.orb_id, orb]),
  );
  const rows = list.items.flatMap((status): readonly Row[] => {
    const { orb_id, providers } = status;
    const orb =
      fitting.get(orb_id) ?? (providers.some((one) => one.name === name) ? { orb_id, title: orb_id } : undefined);
    return orb === undefined ? [] : [{ orb, status }];
  });
  const executes = useScope('orbs:execute');
  const acts = { name, swaps, executes, onDone: again };
  return html`<section class="stack">
    <h2>Orbs that it can serve</h2>
    <p class="muted">
      The active provider of an Orb is tried first, the standbys after it, one after the other. A swap makes a provider
      the active one, and stays through restarts. The page of the Orb shows and changes the order of the standbys.
    </p>
    <${Table}
      caption="Orbs that it can serve"
      columns=${[...columnsFor(name), { title: 'Actions', cell: (row: Row) => html`<${Acts} of=${row} ...${acts} />` }]}
      rows=${rows}
      rowKey=${({ orb }: Row) => orb.orb_id}
      empty=${html`<p class="muted">No Orb needs the capability ${capability}.</p>`}
    />
  </section>`;
}

const columnsFor = (name: string): readonly Column<Row>[] => [
  {
    title: 'Orb',
    cell: ({ orb: { orb_id, title } }) =>
      html`<a href=${hrefOf(`/providers/${encodeURIComponent(orb_id)}`)}>${title}</a
        >${title !== orb_id && html` <code>${orb_id}</code>`}`,
  },
  { title: 'Active provider', cell: ({ status }) => status.active_provider ?? 'none' },
  { title: 'Place of this provider', cell: ({ status }) => html`<${Place} of=${status} name=${name} />` },
];

function Place({ of: { providers }, name }: { readonly of: ProviderStatus; readonly name: string }) {
  const at = providers.findIndex((one) => one.name === name);
  const found = providers[at];
  if (found === undefined)
    return html`<span class="muted">not in the order: bindings name others; a swap can use it</span>`;
  return html`<${Status} of=${found.role} /> ${found.role === 'standby' && html`<span class="muted">${at}</span>`}
    <${Status} of=${found.health} />`;
}

interface ActsProps {
  readonly of: Row;
  readonly name: string;
  readonly swaps: boolean;
  readonly executes: boolean;
  readonly onDone: () => void;
}

function Acts({ of: { orb, status }, name, swaps, executes, onDone }: ActsProps) {
  const { orb_id, title } = orb;
  const { active_provider, generation } = status;
  const call = {
    ...{ method: 'POST', path: `/providers/${encodeURIComponent(orb_id)}/swap`, body: { provider: name } },
    headers: { 'If-Match': `"${generation}"` },
  };
  if (active_provider === name)
    return executes && html`<a href=${hrefOf('/try', { orb_id })}>Try it<span class="hidden"> with ${title}</span></a>`;
  return (
    swaps &&
    html`<${Act}
      label="Swap to it"
      title=${`Swap ${title} to ${name}`}
      says=${html`<p>
        <strong>${name}</strong> is tested without an effect, then becomes the active provider of
        <code>${orb_id}</code>. Runs in progress finish on <strong>${active_provider ?? 'the old one'}</strong>. If the
        test fails, nothing changes.
      </p>`}
      call=${call}
      done=${`${name} is the active provider of ${title}`}
      onDone=${onDone}
    />`
  );
}
