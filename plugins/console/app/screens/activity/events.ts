import { useRef, useState } from 'preact/hooks';
import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import type { LiveEvent } from '../../frame/live-event.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useSession } from '../../frame/session.ts';
import { onSubmit } from '../../frame/call.ts';
import { ApiCall } from '../../parts/code.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { LiveBar } from '../../parts/live-bar.ts';
import { Empty, ProblemNote } from '../../parts/notice.ts';
import { Table, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';

const mostKept = 500;
const names = ['event', 'events'] as const;
const groups = [
  ...[
    'run',
    'approval',
    'swap',
    'health',
    'provider',
    'order',
    'incident',
    'policy',
    'key',
    'signing_key',
    'namespace',
  ],
  'standing',
];

/** Shows the newest events that the key can read, and follows what happens. */
export function Events({ query }: ScreenProps) {
  const { listens } = useSession();
  if (!listens)
    return html`<${Page} title="Events">
      <${Empty} title="Your key cannot read events">
        <p>It needs <code>runs:read</code>, or another scope that reads events.</p>
      <//>
    <//>`;
  return html`<${Following} query=${query} />`;
}

function Following({ query }: Pick<ScreenProps, 'query'>) {
  const stream = useFollowed();
  const { items, paused, setPaused, within } = stream;
  const { type = '', about = '' } = query;
  return html`<${Page}
    title="Events"
    about="What happened last, and what happens now. An event has names and ids, and neither inputs nor reasons."
    acts=${html`<button class="button button-quiet" type="button" onClick=${() => setPaused(!paused)}>
      ${paused ? 'Resume' : 'Pause'}
    </button>`}
  >
    <${Filters} key=${about} query=${query} stream=${stream} />
    <${ProblemNote} problem=${stream.problem} />
    <div ...${within}>
      <${Table}
        caption="Events"
        columns=${columns}
        rows=${items.filter((event) => fits(event, type, about))}
        rowKey=${({ id }: LiveEvent) => id}
        empty=${html`<${None} title=${items.length === 0 ? 'Nothing has happened yet' : 'No events match the filters'} />`}
      />
    </div>
    <${ApiCall} call=${{ path: type === '' ? '/events' : `/events?types=${encodeURIComponent(type)}` }} />
  <//>`;
}

const None = ({ title }: { readonly title: string }) =>
  html`<${Empty} title=${title}>
    <p>
      New events appear here automatically. For what was long before, see <a href=${hrefOf('/runs')}>runs</a> and
      <a href=${hrefOf('/changes')}> who did what</a>.
    </p>
  <//>`;

interface FiltersProps extends Pick<ScreenProps, 'query'> {
  readonly stream: ReturnType<typeof useFollowed>;
}

function Filters({ query: { type = '', about = '' }, stream }: FiltersProps) {
  const [typed, setTyped] = useState(about);
  const choose = (values: Readonly<Record<string, string>>): void =>
    go(hrefOf('/events', { type, about, ...values }), { replace: true });
  const types = new Set([...groups.map((one) => `${one}.*`), ...stream.items.map((one) => one.type), type]);
  types.delete('');
  return html`<form class="filters" onSubmit=${onSubmit(() => choose({ about: typed.trim() }))}>
    <${SelectField}
      label="Type"
      value=${type}
      onChange=${(value: string) => choose({ type: value })}
      options=${[['', 'All'], ...[...types].sort().map((one) => [one, one])]}
      required=${false}
      plain
    />
    <${TextField}
      label="About"
      value=${typed}
      onChange=${setTyped}
      placeholder="An id or a name"
      required=${false}
      plain
      code
    />
    <div class="row"><button class="button button-quiet" type="submit">Filter</button></div>
    <${LiveBar} list=${{ ...stream, outdated: false }} names=${names} />
  </form>`;
}

/** The events that came, newest first; while the reader is in the table, or it is paused, new ones wait. */
function useFollowed() {
  const [items, setItems] = useState<readonly LiveEvent[]>([]);
  const [waiting, setWaiting] = useState<readonly LiveEvent[]>([]);
  const [paused, setPaused] = useState(false);
  const inside = useRef({ pointer: false, focus: false });
  const shown = useRef(0);
  const add = (last: readonly LiveEvent[], more: readonly LiveEvent[]): readonly LiveEvent[] =>
    [...more, ...last].slice(0, mostKept);
  const take = (event: LiveEvent): void => {
    const { pointer, focus } = inside.current;
    // Where there is no row, none moves.
    if (paused || ((pointer || focus) && shown.current > 0)) setWaiting((last) => add(last, [event]));
    else setItems((last) => add(last, [event]));
  };
  const past = useGet<{ readonly events: readonly LiveEvent[] }>('/events/recent?limit=200');
  const opened = useRef(false);
  const state = useEvents(['*'], take, () => {
    // What happened between the read and the stream. Later reads would move rows.
    if (!opened.current) past.reload();
    opened.current = true;
  });
  const known = new Set([...items, ...waiting].map(({ id }) => id));
  const before = (past.value?.events ?? []).filter(({ id }) => !known.has(id));
  const all = add(before, items);
  shown.current = all.length;
  const showHeld = (): void => {
    setItems((last) => add(last, waiting));
    setWaiting([]);
  };
  const set = (part: 'pointer' | 'focus', value: boolean) => () => void (inside.current[part] = value);
  return {
    ...{ items: all, held: waiting.length, paused, showHeld, state, problem: past.problem },
    setPaused(value: boolean) {
      setPaused(value);
      if (!value) showHeld();
    },
    within: {
      onPointerEnter: set('pointer', true),
      onPointerLeave: set('pointer', false),
      onFocusIn: set('focus', true),
      onFocusOut: set('focus', false),
    },
  };
}

function fits({ data, type }: LiveEvent, wanted: string, about: string): boolean {
  const ofType = wanted === '' || (wanted.endsWith('.*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted);
  return ofType && (about === '' || Object.values(data).some((value) => String(value).includes(about)));
}

const columns: readonly Column<LiveEvent>[] = [
  { title: 'Time', cell: ({ timestamp }) => html`<${Time} at=${timestamp} />` },
  { title: 'Type', cell: ({ type }) => html`<code>${type}</code>` },
  {
    title: 'About',
    cell: ({ data }) =>
      html`<ul class="plain">
        ${Object.entries(data).map(([name, value]) => html`<li key=${name}><span class="muted">${name.replaceAll('_', ' ')}</span> ${linkOf(name, String(value))}</li>`)}
      </ul>`,
  },
];

const places: Readonly<Record<string, (value: string) => string>> = {
  run_id: (id) => hrefOf(`/runs/${id}`),
  receipt_id: (id) => hrefOf(`/receipts/${id}`),
  approval_id: (id) => hrefOf(`/approvals/${id}`),
  incident_id: (id) => hrefOf(`/incidents/${id}`),
  key_id: (id) => hrefOf(`/keys/${id}`),
  orb_id: (id) => hrefOf('/runs', { orb_id: id }),
  provider: (name) => hrefOf('/runs', { provider: name }),
};

function linkOf(name: string, value: string) {
  const place = places[name];
  return place === undefined ? html`<code>${value}</code>` : html`<a class="mono" href=${place(value)}>${value}</a>`;
}
