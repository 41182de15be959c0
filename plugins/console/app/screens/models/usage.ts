import type { ScreenProps } from '../../frame/screen.ts';
import type { Usage, UsagePage } from '../../frame/wire.ts';
import { withQuery } from '../../frame/api.ts';
import { serverNow } from '../../frame/clock.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet, useList } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { Chart } from '../../parts/chart/chart.ts';
import { startsOf } from '../../parts/chart/scale.ts';
import { ApiCall } from '../../parts/code.ts';
import { SelectField } from '../../parts/field.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty, loaded } from '../../parts/notice.ts';
import { Table } from '../../parts/table.ts';
import { columnsFor, keyOf } from './usage-columns.ts';
import { counted, figure } from './words.ts';

const spans = [
  ['7', 'The last 7 days'],
  ['30', 'The last 30 days'],
  ['90', 'The last 90 days'],
] as const;
const groups = [
  ['model', 'By model'],
  ['key_id', 'By key'],
  ['day', 'By day'],
  ['provider', 'By provider'],
] as const;
const dayMs = 86_400_000;

/** What the bars of the chart count. */
const measures = {
  cost: {
    name: 'Cost',
    unit: 'dollars per day',
    of: ({ cost_nanos: cost }: Usage) => cost,
    written: (count: number) => counted(count, 'nanos'),
  },
  tokens: {
    name: 'Tokens',
    unit: 'tokens per day',
    of: ({ input_tokens: input, output_tokens: output }: Usage) => input + output,
    written: figure,
  },
  calls: { name: 'Calls', unit: 'calls per day', of: ({ calls }: Usage) => calls, written: figure },
} as const;
type Measure = keyof typeof measures;
const measured = Object.entries(measures).map(([value, { name }]) => [value, name] as const);

/** Shows usage and cost of calls of models: a chart of the days, and sums by model, key, day or provider. */
export function UsageScreen({ query }: ScreenProps) {
  const { days = '30', by = 'model', show = 'cost', model, key_id } = query;
  const from = new Date(serverNow() - (Number(days) - 1) * dayMs).toISOString().slice(0, 10);
  const only = { from, model, key_id };
  const path = withQuery('/usage', { by, ...only });
  const list = useList<Usage>({ path: withQuery(path, { limit: 50 }), member: 'usage', idOf: keyOf });
  // At most 90 days: one page.
  const daily = useGet<UsagePage>(withQuery('/usage', { by: 'day', ...only, limit: 100 }));
  const choose = (name: string) => (chosen: string) =>
    go(hrefOf('/usage', { ...query, [name]: chosen }), { replace: true });
  const measure: Measure = show in measures ? (show as Measure) : 'cost';
  return html`<${Page} title="Usage" about="Tokens and cost of the calls of models that ended, by day of UTC.">
    <div class="filters wide">
      <${SelectField} label="Period" options=${spans} value=${days} onChange=${choose('days')} />
      <${SelectField} label="Group" options=${groups} value=${by} onChange=${choose('by')} />
      <${SelectField} label="Chart" options=${measured} value=${measure} onChange=${choose('show')} />
    </div>
    <${Only} query=${query} />
    ${loaded(daily, (page) => html`<${Days} page=${page} measure=${measure} />`)}
    ${
      // Below the chart, which takes its room first.
      (daily.value ?? daily.problem) !== undefined &&
      html`<${ListTable}
        list=${list}
        caption="Usage"
        columns=${columnsFor(by, query)}
        empty=${html`<${Empty} title="No calls of models ended in this period"
          ><p><a href=${hrefOf('/playground')}>Ask a model</a>, or choose a longer period.</p><//
        >`}
        more="More rows"
      />`
    }
    <${ApiCall} call=${{ path }} />
  <//>`;
}

// What the figures are narrowed to, and the way back.
function Only({ query: { model, key_id, ...rest } }: Pick<ScreenProps, 'query'>) {
  if (model === undefined && key_id === undefined) return null;
  return html`<p>
    Only ${model === undefined ? html`the key <code>${key_id}</code>` : html`the model <strong>${model}</strong>`}.
    <a href=${hrefOf('/usage', rest)}>Show all</a>
  </p>`;
}

interface DaysProps {
  readonly page: UsagePage;
  readonly measure: Measure;
}

function Days({ page: { from, to, usage }, measure }: DaysProps) {
  if (usage.length === 0) return null;
  const { name, of, unit, written } = measures[measure];
  const sum = (count: (day: Usage) => number): number => usage.reduce((total, day) => total + count(day), 0);
  const unpriced = sum(({ unpriced_calls: calls }) => calls);
  const calls = sum((day) => day.calls);
  const apart = unpriced === 0 ? '' : `, ${figure(unpriced)} of them without a cost`;
  const caption = `${name}: ${written(sum(of))} in ${calls === 1 ? '1 call' : `${figure(calls)} calls`}${apart}`;
  const axis = { from: Date.parse(from), to: Date.parse(to) + dayMs, step: dayMs };
  const byDay = new Map(usage.map((day) => [Date.parse(day.day ?? ''), of(day)]));
  const values = startsOf(axis).map((at) => byDay.get(at) ?? 0);
  return html`<section class="panel stack">
    <figure class="figure">
      <figcaption>${caption}</figcaption>
      <${Chart}
        label=${`${name} by day, from ${from} to ${to}: ${written(sum(of))}`}
        kind="bars"
        axis=${axis}
        days
        unit=${unit}
        least=${1}
        series=${[{ id: measure, name, look: 'look-0', values }]}
        written=${written}
      />
    </figure>
    <details>
      <summary>Show as a table</summary>
      <${Table} caption="Days" columns=${columnsFor('day', {})} rows=${[...usage].reverse()} rowKey=${keyOf} />
    </details>
  </section>`;
}
