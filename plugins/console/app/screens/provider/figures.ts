import { withQuery } from '../../frame/api.ts';
import { serverNow } from '../../frame/clock.ts';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import { loaded } from '../../parts/notice.ts';
import { Table, type Column } from '../../parts/table.ts';
import { durationOf, Time } from '../../parts/time.ts';
import type { Point, Stats } from '../../frame/wire.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const failing = ['failed', 'timed_out', 'indeterminate'] as const;

/** Counts and durations of the runs of a provider, by the hour. */
export function Figures({ name }: { readonly name: string }) {
  return useScope('stats:read') ? html`<${Counts} key=${name} name=${name} />` : null;
}

function Counts({ name }: { readonly name: string }) {
  // The same address as long as the hour lasts.
  const from = new Date(Math.floor(serverNow() / hourMs) * hourMs - dayMs).toISOString();
  const reading = useGet<Stats>(withQuery('/stats', { by: 'provider', step: 'hour', from }));
  return html`<section class="panel stack">
    <h2>Runs in the last 24 hours</h2>
    ${loaded(reading, ({ series }) => {
      const points = series.find(({ value }) => value === name)?.points ?? [];
      return html`<${Table}
        caption="Runs by the hour"
        columns=${columnsFor(name)}
        rows=${[...points].reverse()}
        rowKey=${({ at }: Point) => at}
        empty=${html`<p class="muted">It served no run.</p>`}
      />`;
    })}
  </section>`;
}

const failed = ({ statuses }: Point): number => failing.reduce((sum, status) => sum + (statuses[status] ?? 0), 0);

const columnsFor = (name: string): readonly Column<Point>[] => [
  { title: 'From', cell: ({ at }) => html`<a href=${runsIn(name, at)}><${Time} at=${at} /></a>` },
  { title: 'Runs', figures: true, cell: ({ total }) => total },
  { title: 'Failed', figures: true, cell: failed },
  { title: 'p50', figures: true, cell: ({ p50_ms }) => durationOf(p50_ms) },
  { title: 'p95', figures: true, cell: ({ p95_ms }) => durationOf(p95_ms) },
];

const runsIn = (name: string, at: string): string =>
  hrefOf('/runs', { provider: name, from: at, to: new Date(Date.parse(at) + hourMs).toISOString() });
