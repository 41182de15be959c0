import { runStates } from '../runs/run.ts';
import { useState } from 'preact/hooks';
import { onSubmit } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { hrefOf } from '../../frame/router.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { isoOf, localOf } from '../../parts/time.ts';

/** The filters of the list of receipts, as the address holds them. */
export interface ReceiptFiltersProps {
  readonly query: Readonly<Record<string, string>>;
  readonly onChange: (query: Readonly<Record<string, string>>) => void;
}

const attested = Object.keys(runStates).filter((status) => !['queued', 'held', 'running'].includes(status));
const statuses = [['', 'Any'], ...attested.map((status) => [status, status.replaceAll('_', ' ')])];
const texts = [
  ['orb', 'Orb'],
  ['orbiset', 'Orbiset'],
] as const;
const times = [
  ['from', 'From'],
  ['to', 'Before'],
] as const;

/** Shows the filters of the list of receipts: those that the API has. */
export function ReceiptFilters({ query, onChange }: ReceiptFiltersProps) {
  // What was typed belongs to the query that it changes; another query starts from its own values.
  const of = JSON.stringify(query);
  const [last, setLast] = useState({ of, values: query });
  const typed = last.of === of ? last.values : query;
  const set = (name: string) => (value: string) => setLast({ of, values: { ...typed, [name]: value } });
  const choose = (status: string): void => onChange({ ...typed, status });
  return html`<form class="panel filter-form" onSubmit=${onSubmit(() => onChange(typed))}>
    <div class="filters wide">
      <${SelectField}
        label="Status of the run"
        required=${false}
        plain
        options=${statuses}
        value=${typed['status'] ?? ''}
        onChange=${choose}
      />
      ${texts.map(
        ([name, label]) =>
          html`<${TextField}
            label=${label}
            required=${false}
            plain
            value=${typed[name] ?? ''}
            onChange=${set(name)}
          />`,
      )}
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
