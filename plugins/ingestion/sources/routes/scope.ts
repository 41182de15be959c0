import { exactly, type Clock } from '../../../../kernel/index.ts';
import type { Intake } from '../../intake/receive.ts';
import type { DeliveryReads } from '../../deliveries/reading.ts';
import type { SourceAdmin } from '../source-admin.ts';
import type { SourceReads } from '../store.ts';
import { problems } from '../../problems.ts';

/** What the routes of sources work on. */
export interface SourceRoutesScope {
  readonly intake: Intake;
  readonly admin: SourceAdmin;
  readonly reads: SourceReads;
  readonly deliveries: DeliveryReads;
  readonly publicUrl: string;
  readonly clock: Clock;
}

const params = exactly({ source_id: { type: 'string', maxLength: 64, description: 'Id of the source' } });

/** What all routes of sources share. */
export const managed = { service: 'ingest', scope: 'sources:manage' } as const;

/** What the routes that read one source share. */
export const readsSource = { ...managed, params, problems: [problems.source_not_found] } as const;

/** What the routes that change one source share. */
export const changesSource = { ...readsSource, live: true } as const;
