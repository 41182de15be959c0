import type { Screen } from '../../frame/screen.ts';
import { IncidentScreen } from './incident.ts';
import { Incidents } from './list.ts';
import { Maintenance } from './maintenance.ts';

const scope = 'incidents:read';

/** The screens of incidents and maintenance. */
export const incidentScreens: readonly Screen[] = [
  { path: '/incidents', title: 'Incidents', scope, tab: { jump: 'i' }, component: Incidents },
  { path: '/incidents/{incident_id}', title: 'Incident', scope, ids: 'inc_', component: IncidentScreen },
  { path: '/maintenance', title: 'Maintenance', scope, component: Maintenance },
];
