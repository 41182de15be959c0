import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { IdLink } from '../../parts/id-link.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useScope } from '../../frame/session.ts';
import { loaded } from '../../parts/notice.ts';
import { Facts, Table, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { Acts } from './acts.ts';
import { Evidence } from './evidence.ts';
import { Severity, State, incidentEvents, scopeText } from './words.ts';
import { Timeline } from './timeline.ts';
import type { IncidentDetail } from '../../frame/wire.ts';

/** Shows one incident: how it is, what happened, what proves it, and what can be done. */
export function IncidentScreen({ params: { incident_id: id = '' } }: ScreenProps) {
  const incident = useGet<IncidentDetail>(`/incidents/${encodeURIComponent(id)}`);
  const { value, reload } = incident;
  const mayManage = useScope('incidents:manage');
  useEvents(incidentEvents, ({ data }) => data['incident_id'] === id && reload(), reload);
  return html`<${Page}
    title=${value?.title ?? 'Incident'}
    above=${{ href: hrefOf('/incidents'), name: 'Incidents' }}
    about=${html`<code>${id}</code>`}
    acts=${value && mayManage && html`<${Acts} of=${value} onDone=${reload} />`}
  >
    ${loaded(
      incident,
      (shown) =>
        html`<${About} incident=${shown} />
          <section class="panel stack">
            <h2>Timeline</h2>
            <${Timeline} incident=${shown} />
          </section>
          ${shown.kind !== 'operator' && shown.alerts.length > 0 && html`<${Alerts} of=${shown.alerts} />`}
          <${Evidence} key=${shown.changes.length} id=${id} />`,
    )}
  <//>`;
}

function About({ incident }: { readonly incident: IncidentDetail }) {
  const { severity, phase, impact, scope, starts_at, ends_at, reason, resolution, merged_into, failing_receipt_id } =
    incident;
  const signs = [
    incident.corroborated && 'at least two sources report it',
    incident.flapping && 'it opens and closes often',
    incident.reopen_count > 0 && `it was reopened ${incident.reopen_count} times`,
  ].filter((sign) => sign !== false);
  return html`<section class="panel">
    <${Facts}
      of=${[
        ['Status', html`<${State} of=${incident} /><span class="muted"> · ${phase}</span>`],
        ['Severity', html`<${Severity} of=${severity} />`],
        ['Impact', impact.replaceAll('_', ' ')],
        ['Affects', scopeText(scope)],
        ['Started', html`<${Time} at=${starts_at} both />`],
        [
          'Ended',
          ends_at &&
            html`<${Time} at=${ends_at} both /> ${resolution && html`<span class="muted">${resolution}</span>`}`,
        ],
        ['Reason', reason],
        ['Details', signs.length > 0 && signs.join(', ')],
        ['Merged into', merged_into && html`<${IdLink} id=${merged_into} />`],
        ['Failing receipt', failing_receipt_id && html`<${IdLink} id=${failing_receipt_id} />`],
      ]}
    />
  </section>`;
}

type Alert = IncidentDetail['alerts'][number];

const columns: readonly Column<Alert>[] = [
  { title: 'Alert', cell: ({ title }) => html`<span class="title-cell">${title}</span>` },
  { title: 'Vendor', cell: ({ vendor }) => vendor },
  { title: 'Status', cell: ({ state }) => state },
  { title: 'Severity', cell: ({ severity }) => html`<${Severity} of=${severity} />` },
  { title: 'Signals', figures: true, cell: ({ events }) => String(events) },
  { title: 'First', cell: ({ first_at }) => html`<${Time} at=${first_at} />` },
  { title: 'Last', cell: ({ last_at }) => html`<${Time} at=${last_at} />` },
];

function Alerts({ of }: { readonly of: readonly Alert[] }) {
  return html`<section class="stack">
    <h2>Alerts</h2>
    <${Table} caption="Alerts" columns=${columns} rows=${of} rowKey=${({ fingerprint }: Alert) => fingerprint} />
  </section>`;
}
