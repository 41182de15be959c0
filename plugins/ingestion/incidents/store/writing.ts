import { rowWriter, type Row, type WriteConnection, type WriteContext } from '../../../../kernel/index.ts';
import type { Act, IncidentRecord, Shown } from '../model/record.ts';
import { renewing, type AlertEvent, type Heard } from '../model/event.ts';
import type { ChangeRow } from './reading.ts';
import type { Maintenance, Note } from '../model/schema.ts';
import { topics } from '../../topics.ts';
import { pruneWrites } from './pruning.ts';

/** An event and the incident to which it is assigned. */
export type Assigned = Readonly<Record<'event_id' | 'incident_id', string>>;

/** Result of a pass over some keys that needs no receipt. */
export interface Settled {
  readonly keys: readonly { readonly key: string; readonly due_ms?: number }[];
  readonly assigned: readonly Assigned[];
  readonly shown: readonly { readonly incident_id: string; readonly shown: Shown }[];
}

/** Makes the named writes of incidents. */
export function incidentWriting(connection: WriteConnection) {
  return {
    ...eventWrites(connection),
    ...changeWrites(connection),
    ...actWrites(connection),
    ...pruneWrites(connection),
  };
}

const eventColumns = [
  ...(['event_id', 'fingerprint', 'key', 'delivery_id', 'occurred_ms', 'incident_id', 'act_id', 'state'] as const),
  ...(['seen_ms', 'record'] as const),
];

function eventWrites(connection: WriteConnection) {
  const find = connection.prepare(
    'SELECT event_id, fingerprint, delivery_id, incident_id, act_id FROM ingestion_incident_events WHERE event_id = ?',
  );
  const drop = connection.prepare('DELETE FROM ingestion_incident_events WHERE event_id = ?');
  const known =
    'ON CONFLICT (event_id) DO UPDATE SET key = excluded.key, occurred_ms = excluded.occurred_ms, record = excluded.record';
  const put = rowWriter(connection, 'ingestion_incident_events', eventColumns, known);
  const hear = hearing(connection);
  const due = connection.prepare(
    "INSERT INTO ingestion_incident_keys (key, due_ms) SELECT DISTINCT key, 0 FROM ingestion_incident_events WHERE fingerprint = ? AND key <> '' ON CONFLICT (key) DO UPDATE SET due_ms = 0",
  );
  return {
    /**
     * Notes which alerts were named again, inserts events and deletes the withdrawn ones; the keys of the alerts of both
     * become due.
     */
    async takeEvents({ events, withdrawn, heard = [] }: TakenEvents): Promise<void> {
      for (const one of heard) hear(one);
      const old: Row[] = [];
      for (const id of withdrawn) {
        const row = await find.get(id);
        if (row !== undefined) old.push(row);
      }
      const touched = new Set([...old.map(({ fingerprint }) => String(fingerprint))]);
      for (const fingerprint of touched) due.queue(fingerprint);
      for (const { event_id } of old) drop.queue(String(event_id));
      for (const event of events) {
        const { incident_id: _, act_id: __, seen_ms: ___, ...record } = event;
        const { fingerprint, delivery } = event;
        // A re-normalized event keeps its incident and the person's decision about it.
        const { incident_id, act_id } = old.find((row) => isOf(row, event)) ?? event;
        put({ ...event, delivery_id: delivery?.delivery_id, incident_id, act_id, record });
        touched.add(fingerprint);
      }
      for (const fingerprint of touched) due.queue(fingerprint);
    },
  };
}

function hearing(connection: WriteConnection): (heard: Heard) => void {
  const again = connection.prepare(
    `UPDATE ingestion_incident_events SET seen_ms = ? WHERE fingerprint = ? AND occurred_ms = ?
       AND (seen_ms IS NULL OR seen_ms < ?) AND NOT EXISTS (SELECT 1 FROM ingestion_incident_events later
         WHERE later.fingerprint = ? AND later.occurred_ms > ? AND later.state IN (${words(renewing)}))`,
  );
  return ({ fingerprint, occurred_ms, seen_ms }) =>
    again.queue(seen_ms, fingerprint, occurred_ms, seen_ms, fingerprint, occurred_ms);
}

function words(all: readonly string[]): string {
  return all.map((word) => `'${word}'`).join(', ');
}

interface TakenEvents {
  readonly events: readonly AlertEvent[];
  readonly withdrawn: readonly string[];
  readonly heard?: readonly Heard[];
}

function isOf(row: Row, { fingerprint, delivery }: AlertEvent): boolean {
  return row['fingerprint'] === fingerprint && row['delivery_id'] === delivery?.delivery_id;
}

function changeWrites(connection: WriteConnection) {
  const assign = connection.prepare('UPDATE ingestion_incident_events SET incident_id = ? WHERE event_id = ?');
  const assignAll = (assigned: readonly Assigned[]): void => {
    for (const { event_id, incident_id } of assigned) assign.queue(incident_id, event_id);
  };
  return { ...applying(connection, assignAll), ...settling(connection, assignAll) };
}

interface AppliedChange extends Pick<ChangeRow, 'change' | 'deliveries'> {
  readonly takes: readonly string[];
  readonly record: Omit<IncidentRecord, 'deliveries'>;
  readonly assigned: readonly Assigned[];
}

type Assign = (assigned: readonly Assigned[]) => void;

function applying(connection: WriteConnection, assign: Assign) {
  const changing = ['state', 'severity', 'retracted', 'starts_at', 'ends_at', 'updated_at', 'merged_into', 'record'];
  const columns = ['incident_id', 'key', 'kind', 'frozen', ...changing];
  const known = `ON CONFLICT (incident_id) DO UPDATE SET ${changing.map((name) => `${name} = excluded.${name}`).join(', ')}`;
  const putIncident = rowWriter(connection, 'ingestion_incidents', columns, known);
  const onceFor = (key: readonly string[]): string => `ON CONFLICT (${key.join(', ')}) DO NOTHING`;
  const ofScope = ['incident_id', 'kind', 'id'] as const;
  const putScope = rowWriter(connection, 'ingestion_incident_scopes', ofScope, onceFor(['kind', 'id', 'incident_id']));
  const ofChange = ['incident_id', 'change_number', 'record'] as const;
  const putChange = rowWriter(connection, 'ingestion_incident_changes', [...ofChange, 'at', 'receipt_id']);
  const ofDelivery = ['incident_id', 'delivery_id'] as const;
  const perDelivery = [...ofChange, 'delivery_id'] as const;
  const putDelivery = rowWriter(connection, 'ingestion_incident_deliveries', perDelivery, onceFor(ofDelivery));
  const take = connection.prepare('UPDATE ingestion_incidents SET merged_into = ? WHERE incident_id = ?');
  const moveActs = connection.prepare('UPDATE ingestion_incident_acts SET incident_id = ? WHERE incident_id = ?');
  return {
    /**
     * Writes one attested change with its receipt. `record`: the incident afterwards; `takes`: the incidents whose
     * signals it takes over.
     */
    applyChange({ record, change, deliveries, assigned, takes }: AppliedChange, write: WriteContext): void {
      const { incident_id, change_number, facts, receipt_id, updated_at: at } = record;
      putIncident({ ...facts, ...record, frozen: 0, record });
      for (const subject of facts.scope) putScope({ incident_id, ...subject });
      putChange({ incident_id, change_number, at, receipt_id, record: { change, facts, deliveries } });
      for (const one of deliveries)
        putDelivery({ incident_id, change_number, delivery_id: one.delivery_id, record: one });
      for (const taken of takes) {
        take.queue(incident_id, taken);
        moveActs.queue(incident_id, taken);
      }
      assign(assigned);
      write.tell(topics.incidents, incident_id);
    },
  };
}

function settling(connection: WriteConnection, assign: Assign) {
  const findIncident = connection.prepare('SELECT record FROM ingestion_incidents WHERE incident_id = ?');
  const show = connection.prepare('UPDATE ingestion_incidents SET record = ? WHERE incident_id = ?');
  const dueAt = connection.prepare(
    'INSERT INTO ingestion_incident_keys (key, due_ms) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET due_ms = excluded.due_ms',
  );
  const done = connection.prepare('DELETE FROM ingestion_incident_keys WHERE key = ?');
  return {
    async settleKeys({ keys, assigned, shown }: Settled, write: WriteContext): Promise<void> {
      for (const { key, due_ms } of keys)
        if (due_ms === undefined) done.queue(key);
        else dueAt.queue(key, due_ms);
      assign(assigned);
      for (const { incident_id, shown: now } of shown) {
        const row = await findIncident.get(incident_id);
        if (row === undefined) continue;
        const record = JSON.parse(String(row['record'])) as object;
        show.queue(JSON.stringify({ ...record, shown: now }), incident_id);
        write.tell(topics.incidents, incident_id);
      }
    },
  };
}

function actWrites(connection: WriteConnection) {
  const putAct = rowWriter(connection, 'ingestion_incident_acts', ['act_id', 'incident_id', 'record']);
  const mark = connection.prepare('UPDATE ingestion_incident_events SET act_id = ? WHERE incident_id = ?');
  const due = connection.prepare(
    'INSERT INTO ingestion_incident_keys (key, due_ms) SELECT key, 0 FROM ingestion_incidents WHERE incident_id = ? ON CONFLICT (key) DO UPDATE SET due_ms = 0',
  );
  const note = rowWriter(connection, 'ingestion_incident_notes', ['note_id', 'incident_id', 'record']);
  const times = 'starts_at = excluded.starts_at, ends_at = excluded.ends_at, record = excluded.record';
  const putWindow = rowWriter(
    connection,
    'ingestion_maintenance',
    ['maintenance_id', 'starts_at', 'ends_at', 'record'],
    `ON CONFLICT (maintenance_id) DO UPDATE SET ${times}`,
  );
  const dropWindow = connection.prepare('DELETE FROM ingestion_maintenance WHERE maintenance_id = ?');
  const allDue = connection.prepare('UPDATE ingestion_incident_keys SET due_ms = 0');
  return {
    /**
     * Writes a person's decision; a resolution or retraction marks the events of the incident. The key stays due until
     * its other effects are processed, even after a crash.
     */
    putAct(act: Act): void {
      putAct({ ...act, record: act });
      if (act.kind !== 'acknowledged') mark.queue(act.act_id, act.incident_id);
      due.queue(act.incident_id);
    },
    putNote(row: Note, write: WriteContext): void {
      note({ ...row, record: row });
      if (row.public) write.tell(topics.incidents, row.incident_id);
    },
    putWindow(window: Maintenance, write: WriteContext): void {
      putWindow({ ...window, record: window });
      allDue.queue();
      write.tell(topics.windows, window.maintenance_id);
    },
    dropWindow({ maintenance_id }: { readonly maintenance_id: string }, write: WriteContext): void {
      dropWindow.queue(maintenance_id);
      allDue.queue();
      write.tell(topics.windows, maintenance_id);
    },
  };
}
