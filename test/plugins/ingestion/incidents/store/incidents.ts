import type { Act, IncidentRecord } from '../../../../../plugins/ingestion/incidents/model/record.ts';
import type { AlertEvent, DeliveryRef } from '../../../../../plugins/ingestion/incidents/model/event.ts';
import type { Note } from '../../../../../plugins/ingestion/incidents/model/schema.ts';
import { incidentPart } from '../../../../../plugins/ingestion/incidents/store/store-part.ts';
import ingestionStore from '../../../../../plugins/ingestion/store.ts';
import { openInMemory, type MemoryStore } from '../../../../helpers/stores/memory.ts';

type Operations = ReturnType<typeof incidentPart.write>['operations'];
type Record = Omit<IncidentRecord, 'deliveries'>;

/** The tables of incidents in memory, with short ways to fill them. */
export interface IncidentTables extends MemoryStore<Operations, ReturnType<typeof incidentPart.read>> {
  incident(id: string, more?: Partial<Record>, facts?: Partial<Record['facts']>, change?: Change): void;
  take(events: readonly AlertEvent[], withdrawn?: readonly string[]): Promise<void>;
}

type Change = Partial<Omit<Parameters<Operations['applyChange']>[0], 'record'>>;

/** A time of the day on which these tests play. */
export const at = (second: number): string => new Date(Date.UTC(2026, 10, 21) + second * 1000).toISOString();

/** Opens them. */
export function openTables(): IncidentTables {
  const store = openInMemory({ ...incidentPart, migrations: ingestionStore.migrations });
  return {
    ...store,
    incident(incident_id, more = {}, facts = {}, change = {}) {
      const state: Record['facts'] = { state: 'open', severity: 'high', scope: [], starts_at: at(10), ...facts };
      const record = {
        ...{ incident_id, key: 'k', kind: 'alerts' as const, change_number: 1, retracted: false, facts: state },
        ...{ shown: { title: incident_id } as Record['shown'], updated_at: at(10), receipt_id: 'rec_1' },
        ...more,
      };
      store.operations.applyChange({ record, change: 'opened', deliveries: [], assigned: [], takes: [], ...change });
    },
    take: (events, withdrawn = []) => store.operations.takeEvents({ events, withdrawn }),
  };
}

/** An event of an alert. */
export const event = (event_id: string, more: Partial<AlertEvent> = {}): AlertEvent =>
  ({ event_id, fingerprint: 'f', key: 'k', occurred_ms: 10, title: event_id, ...more }) as AlertEvent;

/** A delivery as incidents name it. */
export const delivery = (delivery_id: string): DeliveryRef => ({
  ...{ delivery_id, source_id: 'src_1', digest: 'sha256:x', auth_strength: 'strong' },
});

/** What a person decided. */
export const act = (act_id: string, incident_id: string, kind: Act['kind'] = 'resolved'): Act => ({
  ...{ act_id, incident_id, kind, at_ms: 1, principal: 'prn_1' },
});

/** What a person wrote. */
export const note = (note_id: string, incident_id: string): Note => ({ note_id, incident_id }) as unknown as Note;
