import { defineRoute, exactly, idOfCursor, nextOf, optional, pageQuery, type Route } from '../../../../kernel/index.ts';
import { incidentDetail, incidentFilters, incidentParams, incidentSummary, openWish, text } from '../model/schema.ts';
import { checkScope, detailOf, manage, read, summaryOf, type RouteScope } from './wire.ts';
import { getIncident } from './checks.ts';
import { problems } from '../../problems.ts';

/** Makes the routes that list, show and open incidents. */
export function incidentRoutes(scope: RouteScope): readonly Route[] {
  return [listRoute(scope), openRoute(scope), readRoute(scope)];
}

const listRoute = ({ lists }: RouteScope): Route =>
  defineRoute({
    ...read,
    method: 'GET',
    path: '/incidents',
    operationId: 'listIncidents',
    summary: 'List incidents, newest first',
    query: { ...incidentFilters, properties: { ...pageQuery, ...incidentFilters.properties } },
    response: exactly({
      incidents: { type: 'array', description: 'Newest first', items: incidentSummary },
      next_cursor: optional({ ...text, description: 'Cursor of the next page; absent on the last' }),
    }),
    async handle({ query: { limit, cursor, ...wanted } }) {
      const page = await lists.list({ ...wanted, after: idOfCursor(cursor, 'inc_'), limit });
      return { incidents: page.items.map(summaryOf), ...nextOf(page) };
    },
  });

const openRoute = ({ acts, reads }: RouteScope): Route =>
  defineRoute({
    ...manage,
    method: 'POST',
    path: '/incidents',
    operationId: 'openIncident',
    summary: 'Open an incident manually; it gets a receipt, and no alert joins it',
    body: openWish,
    status: 201,
    response: incidentDetail,
    async handle({ body, principal }) {
      checkScope(body.scope);
      const record = await acts.open(body, principal.id);
      return detailOf(await getIncident(reads, record.incident_id), reads);
    },
  });

const readRoute = ({ reads }: RouteScope): Route =>
  defineRoute({
    ...read,
    method: 'GET',
    path: '/incidents/{incident_id}',
    operationId: 'getIncident',
    summary: 'Read an incident with its alerts, notes and changes',
    params: incidentParams,
    response: incidentDetail,
    problems: [problems.incident_not_found],
    handle: async ({ params: { incident_id } }) => detailOf(await getIncident(reads, incident_id), reads),
  });
