import { useEffect, useState } from 'preact/hooks';
import { onSubmit } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { hrefOf } from '../../frame/router.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { isoOf, localOf } from '../../parts/time.ts';
import { runStates } from './run.ts';

/** The filters of the list of runs, as the address holds them. */
export interface RunFiltersProps {
  readonly query: Readonly<Record<string, string>>;
  readonly onChange: (query: Readonly<Record<string, string>>) => void;
}

const statuses = [['', 'Any'], ...Object.keys(runStates).map((status) => [status, status.replaceAll('_', ' ')])];
const texts = [
  ['provider', 'Provider'],
  ['orbiset_id', 'Orbiset'],
  ['principal', 'Caller'],
  ['reason', 'Reason'],
] as const;
const times = [
  ['from', 'From'],
  ['to', 'Before'],
] as const;
const rare = [...texts, ...times].map(([name]) => name);

/** Shows the filters of the list of runs; those that are seldom used open on demand. */
export function RunFilters({ query, onChange }: RunFiltersProps) {
  const [typed, setTyped] = useState(query);
  useEffect(() => setTyped(query), [JSON.stringify(query)]);
  const set = (name: string) => (value: string) => setTyped({ ...typed, [name]: value });
  const used = rare.filter((name) => query[name] !== undefined).length;
  const choose = (status: string): void => onChange({ ...typed, status });
  const field = ([name, label]: readonly [string, string]) =>
    html`<${TextField} label=${label} required=${false} plain value=${typed[name] ?? ''} onChange=${set(name)} />`;
  return html`<form class="panel filter-form" onSubmit=${onSubmit(() => onChange(typed))}>
    <div class="filters">
      <${SelectField}
        label="Status"
        required=${false}
        plain
        options=${statuses}
        value=${typed['status'] ?? ''}
        onChange=${choose}
      />
      ${field(['orb_id', 'Orb'])}
      <div class="row">
        <button class="button button-quiet" type="submit">Filter</button>
        ${Object.keys(query).length > 0 && html`<a href=${hrefOf('/runs')}>Clear</a>`}
      </div>
    </div>
    <details open=${used > 0}>
      <summary>More filters${used > 0 && ` (${used} set)`}</summary>
      <div class="filters">
        ${texts.map(field)}
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
      </div>
    </details>
  </form>`;
}
