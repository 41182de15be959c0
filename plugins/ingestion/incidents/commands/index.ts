import type { Command } from '../../../../kernel/index.ts';
import { actCommands } from './act.ts';
import { evidenceCommand } from './evidence.ts';
import { listIncidents, showIncident } from './list.ts';
import { maintenanceCommands } from './maintenance.ts';
import { openIncident } from './open.ts';

/** All commands of incidents. */
export const incidentCommands: readonly Command[] = [
  listIncidents,
  showIncident,
  openIncident,
  ...actCommands,
  evidenceCommand,
  ...maintenanceCommands,
];
