import { defineRoute, exactly, type Route } from '../../../../kernel/index.ts';
import { noteWish } from '../model/schema.ts';
import { act, detailOf, type RouteScope } from './wire.ts';
import { getIncident } from './checks.ts';
import { problems } from '../../problems.ts';

const reasoned = exactly({
  reason: { type: 'string', minLength: 1, maxLength: 500, description: 'Recorded in a receipt and visible' },
});

const nothing = exactly({});

/** Makes the routes by which people act on an incident. */
export function actRoutes(scope: RouteScope): readonly Route[] {
  return [acknowledgeRoute(scope), ...reasonedRoutes(scope), noteRoute(scope)];
}

const acknowledgeRoute = ({ acts, reads }: RouteScope): Route =>
  defineRoute({
    ...act,
    path: '/incidents/{incident_id}/acknowledge',
    operationId: 'acknowledgeIncident',
    summary: 'Acknowledge an incident; its downtime continues',
    body: nothing,
    problems: [problems.incident_not_found, problems.incident_conflict],
    async handle({ params: { incident_id }, principal }) {
      await acts.acknowledge(incident_id, principal.id);
      return detailOf(await getIncident(reads, incident_id), reads);
    },
  });

function reasonedRoutes({ acts, reads }: RouteScope): readonly Route[] {
  const verbs = [
    ['resolve', 'Close an incident; alerts that are already firing do not reopen it, the next alert opens a new one'],
    ['retract', 'Mark an incident as a false positive; it affects no score'],
  ] as const;
  return verbs.map(([verb, summary]) =>
    defineRoute({
      ...act,
      path: `/incidents/{incident_id}/${verb}`,
      operationId: `${verb}Incident`,
      summary,
      body: reasoned,
      problems: [problems.incident_not_found, problems.incident_conflict, problems.integrity_incident],
      async handle({ params: { incident_id }, body: { reason }, principal }) {
        await acts[verb](incident_id, principal.id, reason);
        return detailOf(await getIncident(reads, incident_id), reads);
      },
    }),
  );
}

const noteRoute = ({ acts, reads }: RouteScope): Route =>
  defineRoute({
    ...act,
    path: '/incidents/{incident_id}/notes',
    operationId: 'addIncidentNote',
    summary: 'Add a note to an incident; a public note appears on /status',
    body: noteWish,
    status: 201,
    problems: [problems.incident_not_found],
    async handle({ params: { incident_id }, body, principal }) {
      await acts.note(incident_id, principal.id, body);
      return detailOf(await getIncident(reads, incident_id), reads);
    },
  });
