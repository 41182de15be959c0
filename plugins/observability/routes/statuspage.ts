import { defineRoute, type JsonSchema, type Route } from '../../../kernel/index.ts';
import type { MaintenanceView } from '../../ingestion/contract.ts';
import type { Snapshot } from '../status/board.ts';
import { incidentOf, maintenanceOf } from '../status/wire.ts';
import {
  componentsOf,
  indicatorOf,
  pageOf,
  statuspageIncident,
  statuspageMaintenance,
  type PageFrame,
} from '../status/statuspage.ts';
import { cached } from './cached.ts';
import { componentList, incidentList, statusSchema, summarySchema } from './statuspage-schema.ts';
import type { StatusScope } from './status.ts';

/** What the routes in Statuspage's form speak of. */
export interface StatuspageScope extends StatusScope {
  /** Names the page. */
  readonly installation: string;
}

const shared = { method: 'GET', service: 'shared', public: true, problems: [] } as const;
/** Days that `incidents.json` looks back, and how many it lists at most, as Statuspage does. */
const pastDays = 90;
const mostIncidents = 50;

/** Makes `/api/v2/…`: the status in the form of Statuspage's API, for tools that read it. */
export function statuspageRoutes(scope: StatuspageScope): readonly Route[] {
  const { board, history, publicUrl, clock } = scope;
  const frame: PageFrame = { id: scope.installation, publicUrl };
  const open = (snapshot: Snapshot): readonly object[] =>
    [...snapshot.incidents].reverse().map((one) => statuspageIncident(incidentOf(one, publicUrl), snapshot, frame));
  const planned = (window: MaintenanceView, snapshot: Snapshot): object =>
    statuspageMaintenance(maintenanceOf(window, publicUrl, clock.now()), snapshot, frame);
  const route = (path: string, summary: string, response: JsonSchema, members: (snapshot: Snapshot) => object): Route =>
    defineRoute({
      ...shared,
      path,
      summary,
      response,
      handle(call) {
        const snapshot = board.snapshot();
        return cached(call, { page: pageOf(snapshot, frame), ...members(snapshot) });
      },
    });
  return [
    route('/api/v2/status.json', 'Tell the status as Statuspage does', statusSchema, (snapshot) => ({
      status: indicatorOf(snapshot),
    })),
    route('/api/v2/summary.json', 'Sum the status up as Statuspage does', summarySchema, (snapshot) => ({
      components: componentsOf(snapshot, frame),
      incidents: open(snapshot),
      scheduled_maintenances: [...snapshot.maintenance, ...snapshot.planned].map((one) => planned(one, snapshot)),
      status: indicatorOf(snapshot),
    })),
    route('/api/v2/components.json', 'List the services as Statuspage does', componentList, (snapshot) => ({
      components: componentsOf(snapshot, frame),
    })),
    route('/api/v2/incidents.json', 'List the newest incidents as Statuspage does', incidentList, (snapshot) => ({
      incidents: history
        .of(pastDays)
        .incidents.slice(0, mostIncidents)
        .map((one) => statuspageIncident(incidentOf(one, publicUrl), snapshot, frame)),
    })),
    route('/api/v2/incidents/unresolved.json', 'List open incidents as Statuspage does', incidentList, (snapshot) => ({
      incidents: open(snapshot),
    })),
  ];
}
