import { useEffect, useState } from 'preact/hooks';
import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useScope } from '../../frame/session.ts';
import { loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Table, type Column } from '../../parts/table.ts';
import { durationOf, Time } from '../../parts/time.ts';
import { SwapHistory } from './history.ts';
import { OrderOf, useOrder } from './order.ts';
import { percentOf, providerEvents } from './provider.ts';
import { SwapProgress } from './progress.ts';
import { SwapActs } from './swap-acts.ts';
import type { LastFailure, ProviderRow, ProviderStatus, Swap } from '../../frame/wire.ts';

const everyMs = 500;

/** Shows the providers of one Orb: active, standby, and a swap in progress. */
export function OneOrb({ params }: ScreenProps) {
  const orb = params['orb_id'] ?? '';
  const reading = useGet<ProviderStatus>(`/providers/${encodeURIComponent(orb)}/status`);
  const { value: status, loading, reload } = reading;
  const [swap, setSwap] = useState<string>();
  const swaps = useScope('providers:swap');
  const order = useOrder(orb);
  // What comes later would move what is there.
  const settled = order === undefined || order.value !== undefined || order.problem !== undefined;
  useEvents(providerEvents, reload, reload);
  const moving = status !== undefined && status.swap_status !== 'stable';
  // A drain sends no events, so poll its state while it lasts.
  useEffect(() => {
    if (!moving || loading) return undefined;
    const timer = setTimeout(reload, everyMs);
    return () => clearTimeout(timer);
  }, [moving, loading]);
  const done = ({ swap_id }: Swap): void => {
    setSwap(swap_id);
    reload();
  };
  const last = status?.last_swap;
  return html`<${Page}
    title=${orb}
    above=${{ href: hrefOf('/providers'), name: 'Providers' }}
    about="Swap the provider of this Orb. The new provider is tested first, and no run is lost."
    acts=${status && swaps && html`<${SwapActs} of=${status} onDone=${done} />`}
  >
    ${loaded(
      settled ? reading : { ...reading, value: undefined },
      (of) =>
        html`${last && (moving || last.swap_id === swap) && html`<${SwapProgress} swap=${last} status=${of} />`}
          <${Now} of=${of} />
          ${order && html`<${OrderOf} reading=${order} onDone=${reload} />`}
          <${SwapHistory} title="Swaps of this Orb" orb=${orb} />`,
    )}
  <//>`;
}

function Now({ of: status }: { readonly of: ProviderStatus }) {
  const { active_provider, generation, source, swap_status, providers } = status;
  return html`<section class="panel">
      <${Facts}
        of=${[
          ['Active provider', html`<strong>${active_provider ?? 'none'}</strong>`],
          ['Generation', generation],
          ['Bound by', source === 'swap' ? 'a swap' : 'the order of the providers'],
          ['Swap', html`<${Status} of=${swap_status} />`],
        ]}
      />
    </section>
    <${Table}
      caption="Providers in the order in which they are tried"
      columns=${columns}
      rows=${providers}
      rowKey=${({ name, generation: opening, role }: ProviderRow) => `${name} ${opening} ${role}`}
      empty=${html`<p class="muted">No provider can serve this Orb. Add a provider with its capability.</p>`}
    />`;
}

const columns: readonly Column<ProviderRow>[] = [
  { title: 'Provider', cell: ({ name }) => html`<a href=${hrefOf(`/providers/-/${name}`)}>${name}</a>` },
  { title: 'Role', cell: ({ role }) => html`<${Status} of=${role} />` },
  { title: 'Health', cell: ({ health }) => html`<${Status} of=${health} />` },
  {
    title: 'Breaker',
    // Of a breaker, closed is the good state.
    cell: ({ breaker }) => html`<${Status} of=${breaker} tone=${breaker === 'closed' ? 'good' : 'bad'} />`,
  },
  { title: 'In flight', figures: true, cell: ({ in_flight }) => in_flight },
  { title: 'Errors, 5 min', figures: true, cell: ({ error_rate }) => percentOf(error_rate) },
  { title: 'p95', figures: true, cell: ({ p95_ms }) => durationOf(p95_ms) },
  { title: 'Generation', figures: true, cell: ({ generation }) => generation },
  {
    title: 'Last failure',
    cell: ({ probe_failure: probe, call_failure: call }) =>
      [failureOf('Probe', probe), failureOf('Call', call)].filter((one) => one !== undefined),
  },
  { title: 'Adapter', cell: ({ adapter }) => html`<code>${adapter}</code>` },
];

function failureOf(what: string, failure: LastFailure | undefined) {
  return failure && html`<p>${what} <${Time} at=${failure.at} />: ${failure.reason}</p>`;
}
