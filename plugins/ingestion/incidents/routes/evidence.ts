import { defineRoute, type Route } from '../../../../kernel/index.ts';
import type { DeliveryRef } from '../model/event.ts';
import type { ChangeRow } from '../store/reading.ts';
import { evidenceSchema, incidentParams } from '../model/schema.ts';
import { getIncident } from './checks.ts';
import { read, summaryOf, type RouteScope } from './wire.ts';
import { problems } from '../../problems.ts';

/** Makes the route that leads from an incident to its receipts, its deliveries and its debt. */
export const evidenceRoute = ({ reads, signals, transparency, ledger }: RouteScope): Route =>
  defineRoute({
    ...read,
    method: 'GET',
    path: '/incidents/{incident_id}/evidence',
    operationId: 'getIncidentEvidence',
    summary: 'Show the receipts of an incident, the deliveries behind them and its effect on scores',
    params: incidentParams,
    response: evidenceSchema,
    problems: [problems.incident_not_found],
    async handle({ params: { incident_id } }) {
      const row = await getIncident(reads, incident_id);
      const changes = await reads.changes(incident_id);
      const positions = await transparency.positions(changes.map(({ receipt_id }) => receipt_id));
      const listed = listedIn(changes);
      const kept = await signals.evidenceOfEach(listed.map(({ ref }) => ref.delivery_id));
      return {
        incident: summaryOf(row),
        receipts: changes.map(({ receipt_id, change_number, change, at }) => ({
          ...{ receipt_id, change_number, change, at },
          ...positions.get(receipt_id),
          url: `/receipts/${receipt_id}`,
        })),
        deliveries: listed.map(({ ref, receipt_ids }, at) => ({
          ...ref,
          receipt_ids,
          // `ref` is attested and permanent; the verification data exists only while the row of the delivery is kept.
          ...(kept[at] ?? { raw_kept: false }),
          url: `/deliveries/${ref.delivery_id}`,
        })),
        debts: (await ledger?.incidentDebts(incident_id)) ?? [],
      };
    },
  });

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
