import { handOver } from '../../frame/later.ts';
import { IncidentScreen } from './incident.ts';
import { Incidents } from './list.ts';
import { Maintenance } from './maintenance.ts';

handOver('incidents', { Incidents, IncidentScreen, Maintenance });
