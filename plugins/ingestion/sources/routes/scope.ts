import type { Clock } from '../../../../kernel/index.ts';
import type { Door } from '../../intake/receive.ts';
import type { LedgerReads } from '../../deliveries/reading.ts';
import type { SourceDesk } from '../source-admin.ts';
import type { SourceReads } from '../store.ts';

/** What the routes of sources work on. */
export interface SourceRoutesScope {
  readonly door: Door;
  readonly desk: SourceDesk;
  readonly reads: SourceReads;
  readonly ledger: LedgerReads;
  readonly publicUrl: string;
  readonly clock: Clock;
}

/** Path parameters of one source. */
export const sourceParams = {
  type: 'object',
  additionalProperties: false,
  required: ['source_id'],
  properties: { source_id: { type: 'string', maxLength: 64, description: 'Id of the source' } },
} as const;

/** What all routes of sources share. */
export const managed = { service: 'ingest', scope: 'sources:manage' } as const;
