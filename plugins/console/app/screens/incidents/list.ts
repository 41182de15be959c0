import { useState } from 'preact/hooks';
import { withQuery } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { useLiveList } from '../../frame/live.ts';
import { Page } from '../../frame/page.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useScope } from '../../frame/session.ts';
import { Act } from '../../parts/act.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { ListTable } from '../../parts/list-table.ts';
import { LiveBar } from '../../parts/live-bar.ts';
import { Empty } from '../../parts/notice.ts';
import type { Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { Severity, State, incidentEvents, scopeText } from './words.ts';
import { missingOf, SubjectFields, subjectsOf, typedOf } from './subjects.ts';
import type { Incident, IncidentDetail } from '../../frame/wire.ts';

const names = ['incident', 'incidents'] as const;

const columns: readonly Column<Incident>[] = [
  {
    title: 'Incident',
    cell: ({ incident_id: id, title }) => html`<a class="title-cell" href=${hrefOf(`/incidents/${id}`)}>${title}</a>`,
  },
  { title: 'Status', cell: (incident) => html`<${State} of=${incident} />` },
  { title: 'Severity', cell: ({ severity }) => html`<${Severity} of=${severity} />` },
  { title: 'Affects', cell: ({ scope }) => html`<div class="wide-cell">${scopeText(scope)}</div>` },
  { title: 'Opened by', cell: ({ kind }) => openers[kind] ?? kind },
  { title: 'Started', cell: ({ starts_at }) => html`<${Time} at=${starts_at} />` },
];

const openers: Readonly<Record<string, string>> = {
  alerts: 'alerts',
  weak: 'a weak alert',
  operator: 'an operator',
  integrity: 'the auditor',
  measured: 'measurement',
};

const states = [
  ['unresolved', 'unresolved'],
  ['all', 'all'],
  ['open', 'open'],
  ['acknowledged', 'acknowledged'],
  ['resolved', 'resolved'],
] as const;
const severities = ['all', 'critical', 'high', 'warning', 'info'].map((one) => [one, one] as const);

/** Lists incidents; those that are not resolved first of all. */
export function Incidents({ query: { state = 'unresolved', severity = 'all' } }: ScreenProps) {
  const filter = (value: string): string | undefined => (value === 'all' ? undefined : value);
  const path = withQuery('/incidents', { state: filter(state), severity: filter(severity), limit: 50 });
  const options = { path, member: 'incidents', idOf: (one: Incident) => one.incident_id, types: incidentEvents, names };
  const list = useLiveList<Incident>(options);
  const mayManage = useScope('incidents:manage');
  const choose = (name: string) => (value: string) =>
    go(hrefOf('/incidents', { state, severity, [name]: value }), { replace: true });
  return html`<${Page}
    title="Incidents"
    about="Incidents opened by alerts, health checks and operators."
    acts=${html`<a class="button button-quiet" href=${hrefOf('/maintenance')}>Maintenance</a>${mayManage && html`<${Open} />`}`}
  >
    <div class="filters">
      <${SelectField} label="Status" value=${state} onChange=${choose('state')} options=${states} />
      <${SelectField} label="Severity" value=${severity} onChange=${choose('severity')} options=${severities} />
      <${LiveBar} list=${list} names=${names} />
    </div>
    <${ListTable}
      list=${list}
      caption="Incidents"
      columns=${columns}
      empty=${html`<${None} all=${state === 'all' && severity === 'all'} />`}
      more="Show older incidents"
    />
  <//>`;
}

function None({ all }: { readonly all: boolean }) {
  if (!all)
    return html`<${Empty} title="No incidents match the filters">
      <p>
        New incidents appear here automatically.
        <a href=${hrefOf('/incidents', { state: 'all' })}>Show all incidents</a>
      </p>
    <//>`;
  return html`<${Empty} title="No incidents yet">
    <p>Connect a <a href=${hrefOf('/sources')}>source</a> of alerts, or open an incident yourself.</p>
  <//>`;
}

function Open() {
  const [title, setTitle] = useState('');
  const [severity, setSeverity] = useState('warning');
  const [subjects, setSubjects] = useState(typedOf([]));
  return html`<${Act}
    label="Open an incident"
    main
    says=${html`<p>A receipt attests it, and the status page shows it immediately. Alerts are not merged into it; you resolve it yourself.</p>`}
    call=${{ method: 'POST', path: '/incidents', body: { title, severity, scope: subjectsOf(subjects) } }}
    missing=${title === '' ? 'Enter a title.' : missingOf(subjects)}
    onDone=${({ incident_id }: IncidentDetail) => go(hrefOf(`/incidents/${incident_id}`))}
    done="The incident is open"
  >
    <${TextField}
      label="Title"
      hint="For operators; the status page names the services."
      value=${title}
      onChange=${setTitle}
    />
    <${SelectField} label="Severity" value=${severity} onChange=${setSeverity} options=${severities.slice(1)} />
    <${SubjectFields} typed=${subjects} onChange=${setSubjects} />
  <//>`;
}
