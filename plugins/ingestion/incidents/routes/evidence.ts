import { defineRoute, type Route } from '../../../../kernel/index.ts';
import type { DeliveryRef } from '../cluster/event.ts';
import type { ChangeRow } from '../store/reading.ts';
import { evidenceSchema, incidentParams } from '../schema.ts';
import { getIncident, read, summaryOf, type RouteScope } from './wire.ts';
import { problems } from '../../problems.ts';

/** Makes the route that leads from an incident to its receipts, its deliveries and its debt. */
export function evidenceRoute({ reads, signals, log, ledger }: RouteScope): Route {
  return defineRoute({
    ...read,
    method: 'GET',
    path: '/incidents/{incident_id}/evidence',
    operationId: 'getIncidentEvidence',
    summary: 'Walk from an incident to its receipts, the deliveries behind them and the debt it makes',
    params: incidentParams,
    response: evidenceSchema,
    problems: [problems.incident_not_found],
    handle({ params: { incident_id } }) {
      const row = getIncident(reads, incident_id);
      const changes = reads.changes(incident_id);
      return {
        incident: summaryOf(row),
        receipts: changes.map(({ receipt_id, change_number, change, at }) => ({
          ...{ receipt_id, change_number, change, at },
          ...log.position(receipt_id),
          url: `/receipts/${receipt_id}`,
        })),
        deliveries: listedIn(changes).map(({ ref, receipt_ids }) => ({
          ...ref,
          receipt_ids,
          // `ref` is attested and permanent; the verification data exists only while the row of the delivery is kept.
          ...(signals.evidence(ref.delivery_id) ?? { raw_kept: false }),
          url: `/deliveries/${ref.delivery_id}`,
        })),
        debts: ledger?.incidentDebts(incident_id) ?? [],
      };
    },
  });
}

function listedIn(changes: readonly ChangeRow[]) {
  const listed = new Map<string, { readonly ref: DeliveryRef; readonly receipt_ids: string[] }>();
  for (const { deliveries, receipt_id } of changes)
    for (const ref of deliveries) {
      const one = listed.get(ref.delivery_id) ?? { ref, receipt_ids: [] };
      one.receipt_ids.push(receipt_id);
      listed.set(ref.delivery_id, one);
    }
  return [...listed.values()];
}
