import type { Answered } from '../../kernel/index.ts';
import { apiCommand, painted, Shown } from '../terminal/contract.ts';
import { services, serviceTitles, statusTitles } from './contract.ts';
import type { statusBody } from './status/schema.ts';

/** `orb status`: shows the status of the platform; exit code 1 unless it is operational or under maintenance. */
export const showStatus = apiCommand<Answered<typeof statusBody>>({
  path: 'status',
  summary: 'show the status of the platform; exit code 1 if it is not operational',
  route: 'GET /status',
  show: (shown) =>
    new Shown((screen) => {
      const width = Math.max(...services.map((name) => serviceTitles[name].length));
      const { status, uptime_30d_pct: uptime, incidents, last_updated } = shown;
      const title = (one: typeof status): string => painted(one, screen, statusTitles[one]);
      return [
        `${title(status)}, ${uptime} % in 30 days (as of ${last_updated})`,
        ...services.map((name) => `  ${serviceTitles[name].padEnd(width)}  ${title(shown.services[name])}`),
        ...incidents.map((incident) => `  ! ${incident.title} (${incident.status} since ${incident.started_at})`),
      ].join('\n');
    }),
  exit: ({ status }) => (status === 'operational' || status === 'under_maintenance' ? 0 : 1),
});
