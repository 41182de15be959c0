import { useState } from 'preact/hooks';
import type { Call } from '../../frame/api.ts';
import { serverNow } from '../../frame/clock.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { TextField } from '../../parts/field.ts';
import { Empty, loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import { isoOf, localOf, Time } from '../../parts/time.ts';
import { scopeText } from './words.ts';
import { missingOf, SubjectFields, subjectsOf, typedOf } from './subjects.ts';
import type { MaintenanceWindow } from '../../frame/wire.ts';

const began = ({ starts_at }: MaintenanceWindow): boolean => Date.parse(starts_at) <= serverNow();

const columns: readonly Column<MaintenanceWindow>[] = [
  { title: 'Window', cell: ({ title }) => html`<span class="title-cell">${title}</span>` },
  {
    title: 'Status',
    cell: (window) =>
      html`<${Status} of=${began(window) ? 'in progress' : 'planned'} tone=${began(window) ? 'warn' : 'none'} />`,
  },
  { title: 'Affects', cell: ({ scope }) => html`<div class="wide-cell">${scopeText(scope)}</div>` },
  {
    title: 'When',
    cell: ({ starts_at, ends_at }) =>
      html`<div><${Time} at=${starts_at} /> to</div>
        <div><${Time} at=${ends_at} /></div>`,
  },
];

/** Lists maintenance that is planned or under way, and plans more. */
export function Maintenance() {
  const list = useGet<{ readonly windows: readonly MaintenanceWindow[] }>('/maintenance');
  const { reload } = list;
  const mayManage = useScope('incidents:manage');
  const acts: Column<MaintenanceWindow> = {
    title: 'Actions',
    cell: (window) =>
      html`<span class="row tight"
        ><${Change} of=${window} onDone=${reload} /><${End} of=${window} onDone=${reload}
      /></span>`,
  };
  return html`<${Page}
    title="Maintenance"
    above=${{ href: hrefOf('/incidents'), name: 'Incidents' }}
    about="Planned work. It opens no incidents, does not count as downtime, and appears on the status page."
    acts=${mayManage && html`<${Plan} onDone=${reload} />`}
  >
    ${loaded(
      list,
      ({ windows }) =>
        html`<${Table}
          caption="Maintenance windows"
          columns=${mayManage ? [...columns, acts] : columns}
          rows=${windows}
          rowKey=${({ maintenance_id }: MaintenanceWindow) => maintenance_id}
          empty=${html`<${Empty} title="No planned maintenance"
            ><p>Plan a window before work that affects callers. The status page announces it.</p><//
          >`}
        />`,
    )}
  <//>`;
}

interface Typed {
  readonly title: string;
  /** As a field of local time has it. */
  readonly from: string;
  readonly to: string;
  readonly subjects: ReturnType<typeof typedOf>;
}

const hour = 3_600_000;

function typedWindow(window?: MaintenanceWindow): Typed {
  const soon = Math.ceil(serverNow() / hour) * hour;
  const { title = '', starts_at, ends_at, scope = [] } = window ?? {};
  return {
    title,
    from: localOf(starts_at ?? soon),
    to: localOf(ends_at ?? soon + hour),
    subjects: typedOf(scope),
  };
}

function missing({ title, from, to, subjects }: Typed): string | undefined {
  if (title === '') return 'Enter a title.';
  if (from === '' || to === '' || from >= to) return 'The end must be after the start.';
  return missingOf(subjects);
}

function Fields({ typed, onChange }: { readonly typed: Typed; readonly onChange: (typed: Typed) => void }) {
  const set = (part: Partial<Typed>): void => onChange({ ...typed, ...part });
  return html`<${TextField}
      label="Title"
      hint="Public: the status page shows it."
      value=${typed.title}
      onChange=${(title: string) => set({ title })}
    />
    <div class="filters">
      <${TextField}
        label="Start"
        hint="Your local time."
        type="datetime-local"
        value=${typed.from}
        onChange=${(from: string) => set({ from })}
      />
      <${TextField}
        label="End"
        hint="Your local time."
        type="datetime-local"
        value=${typed.to}
        onChange=${(to: string) => set({ to })}
      />
    </div>
    <${SubjectFields} typed=${typed.subjects} onChange=${(subjects: Typed['subjects']) => set({ subjects })} />`;
}

function Plan({ onDone }: { readonly onDone: () => void }) {
  const [typed, setTyped] = useState(() => typedWindow());
  const { title, from, to, subjects } = typed;
  const body = { title, scope: subjectsOf(subjects), starts_at: isoOf(from), ends_at: isoOf(to) };
  return html`<${Act}
    label="Plan a window"
    main
    says=${html`<p>The status page shows it immediately as planned.</p>`}
    call=${{ method: 'POST', path: '/maintenance', body }}
    missing=${missing(typed)}
    onDone=${onDone}
    done="The window is planned"
  >
    <${Fields} typed=${typed} onChange=${setTyped} />
  <//>`;
}

// Only what differs is sent: the past part of a window cannot change.
function Change({ of: window, onDone }: ActOn<MaintenanceWindow>) {
  const start = typedWindow(window);
  const [typed, setTyped] = useState(start);
  const { title, from, to, subjects } = typed;
  const body = {
    ...(title === start.title ? {} : { title }),
    ...(from === start.from ? {} : { starts_at: isoOf(from) }),
    ...(to === start.to ? {} : { ends_at: isoOf(to) }),
    ...(JSON.stringify(subjects) === JSON.stringify(start.subjects) ? {} : { scope: subjectsOf(subjects) }),
  };
  const call: Call = { method: 'PATCH', path: `/maintenance/${window.maintenance_id}`, body };
  return html`<${Act}
    label="Change"
    title=${`Change “${window.title}”`}
    says=${html`<p>The status page shows it immediately.</p>`}
    call=${call}
    missing=${missing(typed) ?? (Object.keys(body).length === 0 ? 'Change at least one field.' : undefined)}
    onDone=${onDone}
    done="The window is changed"
  >
    <${Fields} typed=${typed} onChange=${setTyped} />
  <//>`;
}

function End({ of: window, onDone }: ActOn<MaintenanceWindow>) {
  const running = began(window);
  return html`<${Act}
    label=${running ? 'End now' : 'Delete'}
    title=${`${running ? 'End' : 'Delete'} “${window.title}”`}
    danger
    says=${html`<p>
      ${running ? 'The window ends now. From now on, outages count as downtime.' : 'The window is deleted from the plan.'}
    </p>`}
    call=${{ method: 'DELETE', path: `/maintenance/${window.maintenance_id}` }}
    onDone=${onDone}
    done=${running ? 'The window has ended' : 'The window is deleted'}
  />`;
}
