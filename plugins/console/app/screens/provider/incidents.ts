import { withQuery } from '../../frame/api.ts';
import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { useList } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useKnown, useScope } from '../../frame/session.ts';
import { ListTable } from '../../parts/list-table.ts';
import type { Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { incidentEvents, Severity, State } from '../incidents/words.ts';
import type { Incident } from '../../frame/wire.ts';

const scope = 'incidents:read';

/** The incidents about a provider, the newest first. */
export function Incidents({ name }: { readonly name: string }) {
  const reads = useScope(scope);
  return useKnown(scope) && reads ? html`<${List} key=${name} name=${name} />` : null;
}

function List({ name }: { readonly name: string }) {
  const path = withQuery('/incidents', { provider: name, limit: 10 });
  const list = useList<Incident>({ path, member: 'incidents', idOf: ({ incident_id }) => incident_id });
  const again = (): void => void list.refresh();
  useEvents(incidentEvents, again, again);
  return html`<section class="stack">
    <h2>Incidents</h2>
    <${ListTable}
      list=${list}
      caption="Incidents"
      columns=${columns}
      empty=${html`<p class="muted">No incident was about it.</p>`}
      more="Older incidents"
    />
  </section>`;
}

const columns: readonly Column<Incident>[] = [
  {
    title: 'Incident',
    cell: ({ incident_id, title }) => html`<a href=${hrefOf(`/incidents/${incident_id}`)}>${title}</a>`,
  },
  { title: 'State', cell: (incident) => html`<${State} of=${incident} />` },
  { title: 'Severity', cell: ({ severity }) => html`<${Severity} of=${severity} />` },
  { title: 'Started', cell: ({ starts_at }) => html`<${Time} at=${starts_at} />` },
];
