import type { Incidents, IncidentView } from '../../ingestion/contract.ts';
import type { Seen, SpanLink } from './span.ts';

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
