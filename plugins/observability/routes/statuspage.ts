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

const shared = { method: 'GET', service: 'shared', public: true, conditional: true, problems: [] } as const;
/** `incidents.json` covers the last `pastDays` days and lists at most `mostIncidents` incidents, like Statuspage. */
const pastDays = 90;
const mostIncidents = 50;

/** One route: its file, the end of its operation's name, and what it does. */
type Facts = readonly [file: string, name: string, does: string, response: JsonSchema];

const routes = {
  status: ['status', 'Status', 'Read the status', statusSchema],
  summary: ['summary', 'Summary', 'Read the status summary', summarySchema],
  components: ['components', 'Components', 'List the services', componentList],
  incidents: ['incidents', 'Incidents', 'List the newest incidents', incidentList],
  unresolved: ['incidents/unresolved', 'Unresolved', 'List open incidents', incidentList],
} as const satisfies Readonly<Record<string, Facts>>;

/** Makes `/api/v2/…`: the status in the format of Statuspage's API, for tools that read this format. */
export function statuspageRoutes(scope: StatusScope & { readonly installation: string }): readonly Route[] {
  const { board, history, publicUrl, clock } = scope;
  const frame: PageFrame = { id: scope.installation, publicUrl };
  const open = (snapshot: Snapshot): readonly object[] =>
    [...snapshot.incidents].reverse().map((one) => statuspageIncident(incidentOf(one, publicUrl), snapshot, frame));
  const planned = (window: MaintenanceView, snapshot: Snapshot): object =>
    statuspageMaintenance(maintenanceOf(window, publicUrl, clock.now()), snapshot, frame);
  type Members = (snapshot: Snapshot) => object | Promise<object>;
  const route = ([file, name, does, response]: Facts, members: Members): Route =>
    defineRoute({
      ...shared,
      path: `/api/v2/${file}.json`,
      operationId: `getStatuspage${name}`,
      summary: `${does} in the format of Statuspage`,
      response,
      async handle(call) {
        const snapshot = await board.snapshot();
        return cached(call, { page: pageOf(snapshot, frame), ...(await members(snapshot)) });
      },
    });
  return [
    route(routes.status, (snapshot) => ({ status: indicatorOf(snapshot) })),
    route(routes.summary, (snapshot) => ({
      components: componentsOf(snapshot, frame),
      incidents: open(snapshot),
      scheduled_maintenances: [...snapshot.maintenance, ...snapshot.planned].map((one) => planned(one, snapshot)),
      status: indicatorOf(snapshot),
    })),
    route(routes.components, (snapshot) => ({ components: componentsOf(snapshot, frame) })),
    route(routes.incidents, async (snapshot) => ({
      incidents: (await history.of(pastDays)).incidents
        .slice(0, mostIncidents)
        .map((one) => statuspageIncident(incidentOf(one, publicUrl), snapshot, frame)),
    })),
    route(routes.unresolved, (snapshot) => ({ incidents: open(snapshot) })),
  ];
}
