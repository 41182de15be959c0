import { later } from '../../frame/later.ts';
import type { Screen } from '../../frame/screen.ts';

const scope = 'incidents:read';
const screen = (name: string, title: string) => ({ title, component: later('incidents', name, title) });

/** The screens of incidents and maintenance. */
export const incidentScreens: readonly Screen[] = [
  { path: '/incidents', ...screen('Incidents', 'Incidents'), scope, tab: { jump: 'i' } },
  { path: '/incidents/{incident_id}', ...screen('IncidentScreen', 'Incident'), scope, ids: 'inc_' },
  { path: '/maintenance', ...screen('Maintenance', 'Maintenance'), scope },
];
