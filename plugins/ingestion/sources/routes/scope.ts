import { exactly, type Clock } from '../../../../kernel/index.ts';
import type { Intake } from '../../intake/receive.ts';
import type { DeliveryReads } from '../../deliveries/reading.ts';
import type { SourceAdmin } from '../source-admin.ts';
import type { SourceReads } from '../store.ts';

/** What the routes of sources work on. */
export interface SourceRoutesScope {
  readonly intake: Intake;
  readonly admin: SourceAdmin;
  readonly reads: SourceReads;
  readonly deliveries: DeliveryReads;
  readonly publicUrl: string;
  readonly clock: Clock;
}

/** Path parameters of one source. */
export const sourceParams = exactly({ source_id: { type: 'string', maxLength: 64, description: 'Id of the source' } });

/** What all routes of sources share. */
export const managed = { service: 'ingest', scope: 'sources:manage' } as const;
