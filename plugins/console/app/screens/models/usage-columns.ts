import type { Usage } from '../../frame/wire.ts';
import type { Column } from '../../parts/table.ts';
import { html } from '../../frame/html.ts';
import { hrefOf } from '../../frame/router.ts';
import { counted, figure } from './words.ts';

type Query = Readonly<Record<string, string>>;

/** Identifies a sum among those of one question. */
export const keyOf = ({ day, key_id, model, provider }: Usage): string => [day, key_id, model, provider].join('\n');

/** Makes the columns of sums that are grouped by a name; a model and a key lead to their own days. */
export function columnsFor(by: string, query: Query): readonly Column<Usage>[] {
  const [title, cell] = names[by] ?? names['model'] ?? [];
  return [{ title: title ?? '', cell: (row) => html`<span class="name-cell">${cell?.(row, query)}</span>` }, ...counts];
}

const names: Readonly<Record<string, readonly [string, (row: Usage, query: Query) => unknown]>> = {
  model: [
    'Model',
    ({ model = '' }, query) => html`<a href=${hrefOf('/usage', { ...query, by: 'day', model })}>${model}</a>`,
  ],
  key_id: [
    'Key',
    ({ key_id: id = '', key_name: name = id }, query) =>
      html`<a href=${hrefOf('/usage', { ...query, by: 'model', key_id: id })} title=${id}>${name}</a>`,
  ],
  day: ['Day', ({ day }) => day],
  provider: ['Provider', ({ provider }) => provider],
};

const counts: readonly Column<Usage>[] = [
  { title: 'Calls', figures: true, cell: ({ calls }) => figure(calls) },
  { title: 'Input tokens', figures: true, cell: ({ input_tokens: count }) => figure(count) },
  { title: 'From a cache', figures: true, cell: ({ cache_read_tokens: count }) => figure(count) },
  { title: 'Output tokens', figures: true, cell: ({ output_tokens: count }) => figure(count) },
  { title: 'Cost', figures: true, cell: ({ cost_nanos: cost }) => counted(cost, 'nanos') },
  { title: 'Without cost', figures: true, cell: ({ unpriced_calls: count }) => figure(count) },
  { title: 'Without usage', figures: true, cell: ({ unknown_calls: count }) => figure(count) },
];
