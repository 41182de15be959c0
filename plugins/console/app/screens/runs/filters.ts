import { useEffect, useMemo, useState } from 'preact/hooks';
import { filled } from '../../frame/api.ts';
import { onSubmit } from '../../frame/call.ts';
import { serverNow } from '../../frame/clock.ts';
import { html } from '../../frame/html.ts';
import { hrefOf } from '../../frame/router.ts';
import type { RunCounts } from '../../frame/wire.ts';
import { Copy } from '../../parts/copy.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { isoOf, localOf, Time } from '../../parts/time.ts';
import { facetOptions, statusOptions, useCounts, type Options } from './counts.ts';

/** The filters of the list of runs, as the address holds them. */
export type RunQuery = Readonly<Record<string, string>>;

/** The filters, and what is done with changed ones. */
export interface RunFiltersProps {
  readonly query: RunQuery;
  readonly onChange: (query: RunQuery) => void;
}

const ranges: Readonly<Record<string, readonly [name: string, hours: number]>> = {
  ...{ '1h': ['Last hour', 1], '24h': ['Last 24 hours', 24] },
  ...{ '7d': ['Last 7 days', 7 * 24], '30d': ['Last 30 days', 30 * 24] },
};

/** Turns the filters of the address into those of the API: `last` is a time before now, so that it can be kept. */
export function useCallQuery(query: RunQuery): RunQuery {
  return useMemo(() => {
    const { last = '', ...rest } = query;
    const hours = ranges[last]?.[1];
    if (hours === undefined || rest['from'] !== undefined || rest['to'] !== undefined) return rest;
    const minute = Math.floor(serverNow() / 60_000) * 60_000;
    return { ...rest, from: new Date(minute - hours * 3_600_000).toISOString() };
  }, [JSON.stringify(query)]);
}

const facets = [
  ['orb_id', 'Orb'],
  ['provider', 'Provider'],
  ['orbiset_id', 'Orbiset'],
] as const;
const texts = [
  ['principal', 'Caller'],
  ['reason', 'Reason'],
] as const;
const times = [
  ['from', 'From'],
  ['to', 'Before'],
] as const;
const rare = [...texts, ...times].map(([name]) => name);
const plain = { required: false, plain: true } as const;

/** Shows the filters of the list of runs: pick lists with numbers of runs; those that are seldom used open on demand. */
export function RunFilters({ query, onChange }: RunFiltersProps) {
  const [typed, setTyped] = useState(query);
  useEffect(() => setTyped(query), [JSON.stringify(query)]);
  const set = (name: string) => (value: string) => setTyped({ ...typed, [name]: value });
  const choose = (name: string) => (value: string) => onChange(changed(query, { ...typed, [name]: value }));
  const counts = useCounts(useCallQuery(query));
  const used = rare.filter((name) => query[name] !== undefined).length;
  const field = ([name, label]: readonly [string, string]) =>
    html`<${TextField} label=${label} ...${plain} value=${typed[name] ?? ''} onChange=${set(name)} />`;
  const pick = (name: string, label: string, options: Options) =>
    html`<${SelectField}
      label=${label}
      ...${plain}
      options=${options}
      value=${typed[name] ?? ''}
      onChange=${choose(name)}
    />`;
  return html`<form
    class="panel filter-form"
    onSubmit=${onSubmit(() => onChange(changed(query, typed)))}
    onPointerEnter=${counts.again}
    onFocusIn=${counts.again}
  >
    <div class="filters">
      ${pick('status', 'Status', statusOptions(counts.value, typed['status']))}
      ${facets.map(([name, label]) =>
        counts.known ? pick(name, label, facetOptions(counts.value?.[name], typed[name])) : field([name, label]),
      )}
      ${pick('last', 'Time', timeOptions(query))}
      <div class="row">
        <button class="button button-quiet" type="submit">Filter</button>
        ${Object.keys(query).length > 0 && html`<a href=${hrefOf('/runs')}>Clear</a>`}
      </div>
    </div>
    <details open=${used > 0}>
      <summary>More filters${used > 0 && ` (${used} set)`}</summary>
      <div class="filters">
        ${texts.map(field)}${times.map((one) => html`<${TimeField} ...${{ one, typed, set }} />`)}
      </div>
    </details>
    <${Kept} query=${query} counts=${counts.value} />
  </form>`;
}

// A time is either counted back from now or given by its ends.
function changed(query: RunQuery, change: RunQuery): RunQuery {
  const { last = '', from, to, ...rest } = { ...query, ...change };
  const ends = filled({ from, to });
  const isChosen = last !== '' && last !== query['last'];
  return filled({ ...rest, ...(isChosen || Object.keys(ends).length === 0 ? { last } : ends) });
}

interface TimeFieldProps {
  readonly one: readonly [name: string, label: string];
  readonly typed: RunQuery;
  readonly set: (name: string) => (value: string) => void;
}

function TimeField({ one: [name, label], typed, set }: TimeFieldProps) {
  return html`<${TextField}
    label=${`${label}, local time`}
    ...${plain}
    type="datetime-local"
    value=${localOf(typed[name])}
    onChange=${(value: string) => set(name)(isoOf(value))}
  />`;
}

// A filter is kept as its address: as a bookmark, or in a message to others.
function Kept({ query, counts }: { readonly query: RunQuery; readonly counts: RunCounts | undefined }) {
  const uncounted = texts.filter(([name]) => query[name] !== undefined).map(([, label]) => label.toLowerCase());
  const since = counts !== undefined && Date.parse(counts.from) > 0;
  return html`<div class="row small muted kept">
    ${
      counts !== undefined &&
      html`<span
        >Numbers are of runs that
        ended${since && html` since <${Time} at=${counts.from} />`}${
          uncounted.length > 0 && `, of every ${uncounted.join(' and ')}`
        }.</span
      >`
    }
    ${
      Object.keys(query).length > 0 &&
      html`<${Copy} label="Copy the link to these filters" text=${location.origin + hrefOf('/runs', query)} />`
    }
  </div>`;
}

function timeOptions({ from, to }: RunQuery): Options {
  const all = Object.entries(ranges).map(([value, [name]]) => [value, name] as const);
  return [['', from === undefined && to === undefined ? 'Any time' : 'As below'], ...all];
}
