import {
  defineRoute,
  idOfCursor,
  pageOf,
  pageQuery,
  plainText,
  timestamp,
  type Route,
} from '../../../../kernel/index.ts';
import type { IncidentQuery } from '../store/reading.ts';
import type { RouteScope } from './scope.ts';
import {
  checkScope,
  detailOf,
  getIncident,
  incidentDetail,
  incidentParams,
  incidentSummary,
  severities,
  states,
  summaryOf,
  text,
  time,
  wishedScope,
} from './wire.ts';
import { problems } from '../../problems.ts';

const id = { type: 'string', maxLength: 200 } as const;

/** Makes the routes that list, show and open incidents. */
export function incidentRoutes(scope: RouteScope): readonly Route[] {
  return [listRoute(scope), openRoute(scope), readRoute(scope)];
}

function listRoute({ reads }: RouteScope): Route {
  return defineRoute({
    service: 'ingest',
    scope: 'incidents:read',
    method: 'GET',
    path: '/incidents',
    operationId: 'listIncidents',
    summary: 'List incidents, newest first',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...pageQuery,
        state: { ...states, enum: [...states.enum, 'unresolved'], description: '`unresolved`: open or acknowledged' },
        severity: { ...severities, description: 'Only of this severity' },
        kind: {
          type: 'string',
          enum: ['alerts', 'weak', 'operator', 'integrity', 'measured'],
          description: 'Only of this kind',
        },
        retracted: { type: 'boolean', description: 'Only retracted ones, or only the others' },
        component: { ...id, description: 'Only of this component' },
        provider: { ...id, description: 'Only of this provider' },
        orb_id: { ...id, description: 'Only of this Orb' },
        from: { ...time, description: 'Began at or after it' },
        to: { ...time, description: 'Began before it' },
      },
    },
    response: {
      type: 'object',
      required: ['incidents'],
      properties: {
        incidents: { type: 'array', description: 'Newest first', items: incidentSummary },
        next_cursor: { ...text, description: 'Cursor of the next page; absent on the last' },
      },
    },
    problems: [],
    handle({ query }) {
      const { limit, cursor } = query;
      const after = idOfCursor(cursor, 'inc_');
      const found = reads.list({ ...wanted(query), ...(after === undefined ? {} : { after }), limit: limit + 1 });
      const { items, next_cursor } = pageOf(found, limit, ({ incident_id }) => incident_id);
      return { incidents: items.map(summaryOf), ...(next_cursor === undefined ? {} : { next_cursor }) };
    },
  });
}

interface Wanted {
  readonly state?: string;
  readonly severity?: string;
  readonly kind?: string;
  readonly retracted?: boolean;
  readonly component?: string;
  readonly provider?: string;
  readonly orb_id?: string;
  readonly from?: string;
  readonly to?: string;
}

function wanted({ state, severity, kind, retracted, component, provider, orb_id, from, to }: Wanted) {
  const subjects = [
    { kind: 'component', id: component },
    { kind: 'provider', id: provider },
    { kind: 'orb', id: orb_id },
  ] as const;
  const named = subjects.flatMap(({ kind, id }) => (id === undefined ? [] : [{ kind, id }]));
  const query: Omit<IncidentQuery, 'limit'> = {
    ...(state === undefined ? {} : state === 'unresolved' ? { unresolved: true } : { state }),
    ...(severity === undefined ? {} : { severity }),
    ...(kind === undefined ? {} : { kind }),
    ...(retracted === undefined ? {} : { retracted }),
    // Stored times are UTC with three decimals and compare as text.
    ...(from === undefined ? {} : { from: timestamp(Date.parse(from)) }),
    ...(to === undefined ? {} : { to: timestamp(Date.parse(to)) }),
    ...(named.length === 0 ? {} : { subjects: named }),
  };
  return query;
}

function openRoute({ acts, reads }: RouteScope): Route {
  return defineRoute({
    service: 'ingest',
    scope: 'incidents:manage',
    method: 'POST',
    path: '/incidents',
    operationId: 'openIncident',
    live: true,
    summary: "Open an incident of the operator's own; it is attested, and no alert joins it",
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['title', 'severity', 'scope'],
      properties: {
        title: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          pattern: plainText,
          description: 'For operators; /status uses words of its own',
        },
        severity: { ...severities, description: 'How bad it is' },
        scope: { ...wishedScope, description: 'The subjects it concerns' },
        starts_at: { ...time, description: 'Default: now' },
      },
    },
    status: 201,
    response: incidentDetail,
    problems: [],
    async handle({ body, principal }) {
      checkScope(body.scope);
      const record = await acts.open(body, principal.id);
      return detailOf(getIncident(reads, record.incident_id), reads);
    },
  });
}

function readRoute({ reads }: RouteScope): Route {
  return defineRoute({
    service: 'ingest',
    scope: 'incidents:read',
    method: 'GET',
    path: '/incidents/{incident_id}',
    operationId: 'getIncident',
    summary: 'Read an incident with its alerts, notes and changes',
    params: incidentParams,
    response: incidentDetail,
    problems: [problems.incident_not_found],
    handle: ({ params: { incident_id } }) => detailOf(getIncident(reads, incident_id), reads),
  });
}
