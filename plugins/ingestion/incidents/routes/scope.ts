import type { Clock } from '../../../../kernel/index.ts';
import type { Reputation } from '../../../ledger/contract.ts';
import type { TransparencyLog } from '../../../receipts/contract.ts';
import type { DeliveryReads } from '../../deliveries/reading.ts';
import type { IncidentActs } from '../incident-acts.ts';
import { incidentDetail, incidentParams } from '../schema.ts';
import type { IncidentReads } from '../store/reading.ts';

/** What the routes of incidents stand on; without `ledger` no incident weighs on a score. */
export interface RouteScope {
  readonly reads: IncidentReads;
  readonly acts: IncidentActs;
  readonly clock: Clock;
  readonly signals: Pick<DeliveryReads, 'lastSeen' | 'evidence'>;
  readonly log: Pick<TransparencyLog, 'verifies' | 'position'>;
  readonly ledger?: Pick<Reputation, 'incidentDebts'>;
}

/** What all routes that read incidents share. */
export const read = { service: 'ingest', scope: 'incidents:read' } as const;

/** What all routes that change incidents or windows share. */
export const manage = { service: 'ingest', scope: 'incidents:manage', live: true } as const;

/** What all routes that change one incident share. */
export const act = { ...manage, method: 'POST', params: incidentParams, response: incidentDetail } as const;
