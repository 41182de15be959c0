import { defineRoute, exactly, optional, type Route } from '../../../../kernel/index.ts';
import { authStrengths } from '../../signals/words.ts';
import type { DeliveryRef } from '../cluster/event.ts';
import type { ChangeRow } from '../store/reading.ts';
import { incidentParams, incidentSummary, text } from '../schema.ts';
import { read, type RouteScope } from './scope.ts';
import { getIncident, summaryOf } from './wire.ts';
import { problems } from '../../problems.ts';
import { changes } from '../words.ts';

const receipt = exactly({
  receipt_id: { ...text, description: 'Id of the receipt' },
  change_number: { type: 'integer', description: 'Number of the change, from 1' },
  change: { type: 'string', enum: changes, description: 'What changed' },
  at: { ...text, description: 'When it happened' },
  origin: optional({ ...text, description: 'The log that holds it' }),
  index: optional({ type: 'integer', description: 'Its position there' }),
  url: { ...text, description: 'Address of the receipt' },
});

const delivery = exactly({
  delivery_id: { ...text, description: 'Id of the delivery' },
  source_id: { ...text, description: 'Id of the source' },
  digest: { ...text, description: '`sha256:<hex>` of the raw body' },
  auth_strength: { type: 'string', enum: authStrengths, description: 'How well the sender proved itself' },
  receipt_ids: { type: 'array', items: text, description: 'Receipts that list it' },
  scheme: optional({ ...text, description: 'How it was verified' }),
  secret_version: optional({ type: 'integer', description: 'Number of the secret that fits' }),
  received_at: optional({ ...text, description: 'When it arrived' }),
  raw_kept: { type: 'boolean', description: 'The raw body can be fetched and hashed again' },
  url: { ...text, description: 'Address of the delivery' },
});

export const evidenceSchema = exactly('IncidentEvidence', {
  incident: { ...incidentSummary, description: 'The incident' },
  receipts: { type: 'array', description: 'Receipts of its changes', items: receipt },
  deliveries: { type: 'array', description: 'Deliveries that they list', items: delivery },
  debts: {
    type: 'array',
    description: 'The debt it makes, by Orb',
    items: exactly({
      orb_id: { ...text, description: 'Id of the Orb' },
      debt_milli: { type: 'integer', description: 'Thousandths of the hundred that take all points' },
      snapshot_day: { ...text, description: 'The day for which it was computed' },
    }),
  },
});

/** Makes the route that walks from an incident to its receipts, its deliveries and the debt it makes. */
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
          // What is attested stands by itself; how it was verified is known as long as the delivery's row is kept.
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
