export { IncidentScreen } from './incident.ts';
export { Incidents } from './list.ts';
export { Maintenance } from './maintenance.ts';
