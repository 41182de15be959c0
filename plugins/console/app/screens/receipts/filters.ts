import { useState } from 'preact/hooks';
import { filled } from '../../frame/api.ts';
import { onSubmit } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { hrefOf } from '../../frame/router.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { isoOf, localOf } from '../../parts/time.ts';
import { facetOptions, statusOptions, useCounts, type Options } from '../runs/counts.ts';
import { isOpenState } from '../runs/run.ts';

/** The filters of the list of receipts, as the address holds them. */
export interface ReceiptFiltersProps {
  readonly query: Readonly<Record<string, string>>;
  readonly onChange: (query: Readonly<Record<string, string>>) => void;
}

const times = [
  ['from', 'From'],
  ['to', 'Before'],
] as const;
const plain = { required: false, plain: true } as const;

/** Shows the filters of the list of receipts: those that the API has. */
export function ReceiptFilters({ query, onChange }: ReceiptFiltersProps) {
  // What was typed belongs to the query that it changes; another query starts from its own values.
  const of = JSON.stringify(query);
  const [last, setLast] = useState({ of, values: query });
  const typed = last.of === of ? last.values : query;
  const set = (name: string) => (value: string) => setLast({ of, values: { ...typed, [name]: value } });
  const choose = (name: string) => (value: string) => onChange({ ...typed, [name]: value });
  const { orb, orbiset, status, from, to } = query;
  // Each run has one receipt, so the numbers of runs are those of receipts.
  const { known, value: counts } = useCounts(filled({ orb_id: orb, orbiset_id: orbiset, status, from, to }));
  const pick = (name: string, label: string, options: Options) =>
    html`<${SelectField}
      label=${label}
      ...${plain}
      options=${options}
      value=${typed[name] ?? ''}
      onChange=${choose(name)}
    />`;
  const name = (of: 'orb' | 'orbiset', label: string) =>
    known
      ? pick(of, label, facetOptions(counts?.[`${of}_id`], typed[of]))
      : html`<${TextField} label=${label} ...${plain} value=${typed[of] ?? ''} onChange=${set(of)} />`;
  return html`<form class="panel filter-form" onSubmit=${onSubmit(() => onChange(typed))}>
    <div class="filters wide">
      ${pick(
        'status',
        'Status of the run',
        statusOptions(counts, typed['status']).filter(([one]) => !isOpenState(one)),
      )}
      ${name('orb', 'Orb')} ${name('orbiset', 'Orbiset')}
      ${times.map(
        ([name, label]) =>
          html`<${TextField}
            label=${`${label}, local time`}
            required=${false}
            plain
            type="datetime-local"
            value=${localOf(typed[name])}
            onChange=${(value: string) => set(name)(isoOf(value))}
          />`,
      )}
      <div class="row">
        <button class="button button-quiet" type="submit">Filter</button>
        ${Object.keys(query).length > 0 && html`<a href=${hrefOf('/receipts')}>Clear</a>`}
      </div>
    </div>
  </form>`;
}
