import { useState } from 'preact/hooks';
import { withQuery } from '../../frame/api.ts';
import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { SelectField } from '../../parts/field.ts';
import { loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import { Time, useUtc } from '../../parts/time.ts';
import { providerEvents } from '../providers/provider.ts';
import type { ProviderHealth } from '../../frame/wire.ts';

const spans = [
  ['hour', 'The last 24 hours'],
  ['day', 'The last 30 days'],
] as const;
const stepMs = { hour: 3_600_000, day: 86_400_000 } as const;

type Point = ProviderHealth['points'][number];

/** How a provider was in the last hours or days, with reasons. */
export function Health({ name }: { readonly name: string }) {
  const [step, setStep] = useState('hour');
  const reading = useGet<ProviderHealth>(withQuery(`/providers/${encodeURIComponent(name)}/health`, { step }));
  useEvents(providerEvents, reading.reload, reading.reload);
  // Without the plugin that notes it, there is no past.
  if (reading.problem?.code === 'route_not_found') return null;
  return html`<section class="panel stack">
    <h2>Health over time</h2>
    <div class="filters wide">
      <${SelectField} label="Period" options=${spans} value=${step} onChange=${setStep} />
    </div>
    ${loaded(
      reading,
      (of) =>
        html`<${Strip} of=${of} />
          <${Table}
            caption="Changes of health"
            columns=${columns}
            rows=${of.changes}
            rowKey=${({ at, node }: Point) => `${at} ${node}`}
            empty=${html`<p class="muted">It did not change in this period.</p>`}
          />`,
    )}
  </section>`;
}

const columns: readonly Column<Point>[] = [
  { title: 'Time', cell: ({ at }) => html`<${Time} at=${at} />` },
  {
    title: 'Health',
    cell: ({ health, now }) =>
      html`<${Status}
          of=${health}
        />${now !== undefined && now !== health && html` <span class="muted">then ${now}</span>`}`,
  },
  { title: 'Reason', cell: ({ reason }) => html`<span class="wide-cell">${reason ?? '–'}</span>` },
  { title: 'Node', cell: ({ node }) => node },
];

const width = 720;
const height = 40;
// Not by the colour alone.
const tall: Readonly<Record<Point['health'], number>> = { unknown: 6, up: 14, degraded: 26, down: height };

// The table below has the same as words, so that readers of screen readers get the strip as one image.
function Strip({ of: { from, points, step, to } }: { readonly of: ProviderHealth }) {
  const inUtc = useUtc();
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const wide = (stepMs[step] / (end - start)) * width;
  const bad = points.filter(({ health }) => health === 'down' || health === 'degraded').length;
  const label = `${bad} of ${points.length} ${points.length === 1 ? step : `${step}s`} had a problem`;
  return html`<svg
      class="health-strip"
      viewBox="0 0 ${width} ${height}"
      preserveAspectRatio="none"
      role="img"
      aria-label=${label}
    >
      ${points.map(
        (point) =>
          html`<rect
            key=${point.at}
            class=${`health-${point.health}`}
            x=${((Date.parse(point.at) - start) / (end - start)) * width + 1}
            y=${height - tall[point.health]}
            width=${wide - 2}
            height=${tall[point.health]}
          >
            <title>${wordsOf(point, inUtc)}</title>
          </rect>`,
      )}
    </svg>
    <p class="chart-ends small muted">
      <span><${Time} at=${from} /></span><span>${label}</span><span><${Time} at=${to} /></span>
    </p>`;
}

function wordsOf({ at, health, reason }: Point, inUtc: boolean): string {
  const time = inUtc ? `${at.slice(0, 16).replace('T', ' ')} UTC` : new Date(at).toLocaleString();
  return `${time}: ${health}${reason === undefined ? '' : `, ${reason}`}`;
}
