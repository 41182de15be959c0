import type { Clock } from '../../../../kernel/index.ts';
import type { IncidentDebt } from '../../../ledger/contract.ts';
import type { Position } from '../../../receipts/contract.ts';
import type { DeliveryReads } from '../../deliveries/reading.ts';
import type { IncidentActs } from '../incident-acts.ts';
import type { IncidentReads } from '../store/reading.ts';

/** What the routes of incidents stand on. */
export interface RouteScope {
  readonly reads: IncidentReads;
  readonly acts: IncidentActs;
  readonly clock: Clock;
  /** What is known of a delivery, as long as it is kept. */
  readonly evidence: DeliveryReads['evidence'];
  /** Where a receipt stands in the log. */
  readonly position: (receiptId: string) => Position | undefined;
  /** What the ledger makes of an incident, by Orb. */
  readonly debts: (incidentId: string) => readonly IncidentDebt[];
}

/** What all routes that read incidents share. */
export const read = { service: 'ingest', scope: 'incidents:read' } as const;

/** What all routes that change incidents or windows share. */
export const manage = { service: 'ingest', scope: 'incidents:manage' } as const;
