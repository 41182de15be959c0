import { useEffect, useState } from 'preact/hooks';
import { api, withQuery } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { useList } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Status } from '../../parts/status.ts';
import type { Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import type { Delivery } from '../../frame/wire.ts';

/** Which deliveries are shown. */
export interface DeliveriesProps {
  readonly title: string;
  readonly source?: string;
  readonly state?: string;
  /** Shown if there are none. */
  readonly none: string;
  /** Names of sources by their ids, where those of several are shown. */
  readonly names?: ReadonlyMap<string, string>;
}

/** Lists deliveries; dead letters can be read again together. */
export function Deliveries({ title, source, state, none, names }: DeliveriesProps) {
  const path = withQuery('/deliveries', { limit: 20, source_id: source, state });
  const list = useList<Delivery>({ path, member: 'deliveries', idOf: ({ delivery_id }) => delivery_id });
  const again = (): void => void list.refresh();
  return html`<section class="stack">
    <div class="row spread">
      <h2>${title}</h2>
      <div class="row">
        <button class="button button-quiet" type="button" onClick=${again}>Refresh</button>
        ${state === 'dead' && list.items.length > 0 && html`<${ReplayDead} of=${source} onDone=${again} />`}
      </div>
    </div>
    <${ListTable}
      list=${list}
      caption=${title}
      columns=${names === undefined ? columns : [...columns.slice(0, 1), ofSource(names), ...columns.slice(1)]}
      empty=${html`<p class="muted">${none}</p>`}
      more="Older ones"
    />
  </section>`;
}

const columns: readonly Column<Delivery>[] = [
  {
    title: 'Received',
    cell: ({ delivery_id, received_at, test }) => [
      html`<a href=${hrefOf(`/deliveries/${delivery_id}`)}><${Time} at=${received_at} /></a> `,
      test === true && html`<span class="chip">test</span>`,
    ],
  },
  { title: 'Status', cell: ({ state }) => html`<${Status} of=${state} tone=${toneOf(state)} />` },
  { title: 'Reason', cell: ({ reason }) => reason?.replaceAll('_', ' ') ?? '' },
  { title: 'Signals', figures: true, cell: ({ signals }) => signals ?? 0 },
  {
    title: 'Authentication',
    cell: ({ auth_scheme, auth_strength }) => `${auth_scheme}, ${auth_strength.replaceAll('_', ' ')}`,
  },
  { title: 'Vendor', cell: ({ vendor }) => vendor },
];

const ofSource = (names: ReadonlyMap<string, string>): Column<Delivery> => ({
  title: 'Source',
  cell: ({ source_id }) => html`<a href=${hrefOf(`/sources/${source_id}`)}>${names.get(source_id) ?? source_id}</a>`,
});

/** Says how good a state of a delivery is. */
export const toneOf = (state: Delivery['state']): 'good' | 'bad' | 'warn' | 'none' =>
  state === 'done' ? 'good' : state === 'dead' ? 'bad' : state === 'queued' ? 'warn' : 'none';

function ReplayDead({ of: source, onDone }: ActOn<string | undefined>) {
  const wanted = { state: 'dead', ...(source === undefined ? {} : { source_id: source }) };
  return html`<${Act}
    label="Replay all"
    says=${html`<p>Processes the stored bodies again, for example after an upgrade that supports them. <${Matched} wanted=${wanted} /></p>`}
    call=${{ method: 'POST', path: '/deliveries/replay', body: wanted }}
    done="The deliveries are queued for replay"
    onDone=${onDone}
  />`;
}

// When the dialog opens, count the matches without an effect.
function Matched({ wanted }: { readonly wanted: object }) {
  const [found, setFound] = useState<number>();
  useEffect(() => {
    const call = { method: 'POST', path: '/deliveries/replay', body: { ...wanted, dry_run: true } } as const;
    api<{ readonly matched: number }>(call).then(
      ({ matched }) => setFound(matched),
      () => undefined,
    );
  }, []);
  return found === undefined
    ? null
    : html`<strong>${found} ${found === 1 ? 'delivery' : 'deliveries'} will be replayed.</strong>`;
}
