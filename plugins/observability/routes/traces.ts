import { defineRoute, exactly, holds, optional, type Principal, type Route, integer } from '../../../kernel/index.ts';
import type { Incidents, IncidentView } from '../../ingestion/contract.ts';
import { spanOf, spanSchema, traceId, traceOf, type Ring, type Seen, type SpanLink } from '../traces/span.ts';

/** Makes `GET /traces`: the spans in memory, newest first. */
export const tracesRoute = (seen: Ring<Seen>, incidents: Pick<Incidents, 'open'>): Route =>
  defineRoute({
    method: 'GET',
    path: '/traces',
    operationId: 'listTraces',
    service: 'shared',
    scope: 'metrics:read',
    summary: "List recent spans of the tenant's runs, and of swaps, with their receipts and incidents",
    query: exactly({
      trace_id: optional({ ...traceId, description: 'Only spans of this trace' }),
      run_id: optional({ type: 'string', maxLength: 64, description: 'Only spans of this run' }),
      limit: optional(integer(1, 1000, 100, 'Maximum number of spans')),
    }),
    response: exactly({ spans: { type: 'array', description: 'The spans, newest first', items: spanSchema } }),
    handle({ query: { trace_id, run_id, limit = 100 }, principal }) {
      const open = incidents.open();
      const spans: object[] = [];
      for (const one of seen.newest()) {
        if (spans.length === limit) break;
        if (!maySee(one, principal)) continue;
        if (trace_id !== undefined && traceOf(one) !== trace_id) continue;
        if (run_id !== undefined && (one.kind !== 'run' || one.event.run_id !== run_id)) continue;
        spans.push({ ...spanOf(one), links: linksOf(one, open) });
      }
      return { spans };
    },
  });

// A run is its tenant's, and a swap the installation's.
function maySee({ kind, event }: Seen, { tenant, scopes }: Principal): boolean {
  if (kind === 'swap') return holds(scopes, 'providers:read');
  return event.tenant === tenant || scopes.includes('*');
}

/**
 * Makes the links of a span. A run links to itself, to its receipt and to the open incidents that name its Orb or
 * provider and had started by then; a swap links to the open incidents that name its Orb or the provider it left.
 */
export function linksOf(seen: Seen, open: ReturnType<Incidents['open']>): readonly SpanLink[] {
  const named = open.filter((incident) => concerns(incident, seen));
  return [
    ...(seen.kind === 'run' ? own(seen.event) : []),
    ...named.map(({ incident_id: id }): SpanLink => ({ kind: 'incident', id, path: `/incidents/${id}/evidence` })),
  ];
}

function own({ run_id, receipt_id }: { readonly run_id: string; readonly receipt_id: string }): readonly SpanLink[] {
  return [
    { kind: 'run', id: run_id, path: `/runs/${run_id}` },
    { kind: 'receipt', id: receipt_id, path: `/receipts/${receipt_id}` },
  ];
}

function concerns({ scope, starts_at }: IncidentView, { kind, event, at }: Seen): boolean {
  if (Date.parse(starts_at) > at) return false;
  const provider = kind === 'run' ? event.provider?.name : event.from;
  return scope.some((subject) => {
    if (subject.kind === 'orb') return subject.id === event.orb_id;
    return subject.kind === 'provider' && subject.id === provider;
  });
}
