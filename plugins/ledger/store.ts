import {
  defineStore,
  numberedWriter,
  type WriteConnection,
  type WriteContext,
  type WriterScope,
} from '../../kernel/index.ts';
import type { Position } from '../receipts/contract.ts';
import { certificateStore } from './certificate/issue/tables.ts';
import type { Changes } from './projection/projection.ts';
import type { SnapshotOrb } from './projection/snapshot.ts';
import type { Sums } from './projection/tallies.ts';
import { ledgerReads, type KeptSnapshot } from './reputation/reads.ts';
import { ledgerMigration } from './tables.ts';

/** The changes of a batch of entries. */
interface Advance {
  /** The ledger's position before the batch; absent: before the first entry. */
  readonly from?: Position;
  readonly to: Position;
  readonly sums: Sums;
  readonly changes: Changes;
}

/** The changes of a snapshot. */
interface TakenSnapshot {
  readonly snapshot: KeptSnapshot;
  readonly orbs: readonly SnapshotOrb[];
  readonly changes: Changes;
  /** Minutes (since the epoch) before this one are no longer needed. */
  readonly oldest_minute: number;
}

/** The store of the ledger: the projection with its position in the log, and the secret for caller pseudonyms. */
export default defineStore({
  name: 'ledger',
  seals: ['ledger'],
  migrations: [ledgerMigration, ...certificateStore.migrations],
  write: (scope) => ({
    operations: { ...writing(scope).operations, ...certificateStore.write(scope).operations },
  }),
  read: ledgerReads,
});

function writing({ connection }: WriterScope) {
  const addSums = summing(connection);
  const keepChanges = changing(connection);
  const cursor = connection.prepare('SELECT origin, idx FROM ledger_cursor WHERE id = 1');
  const move = connection.prepare(
    'INSERT INTO ledger_cursor (id, origin, idx) VALUES (1, ?, ?) ON CONFLICT (id) DO UPDATE SET origin = excluded.origin, idx = excluded.idx',
  );
  const snapshot = connection.prepare('INSERT INTO ledger_snapshots (day, body) VALUES (?, ?)');
  const snapshotOrb = connection.prepare('INSERT INTO ledger_snapshot_orbs (orb_id, day, body) VALUES (?, ?, ?)');
  const prune = connection.prepare('DELETE FROM ledger_minutes WHERE minute < ?');
  const secret = connection.prepare('SELECT sealed FROM ledger_secret WHERE id = 1');
  const putSecret = connection.prepare(
    'INSERT INTO ledger_secret (id, sealed) VALUES (1, ?) ON CONFLICT (id) DO NOTHING',
  );
  const putSignature = connection.prepare(
    'INSERT INTO ledger_signatures (orb_id, envelope) VALUES (?, ?) ON CONFLICT (orb_id) DO UPDATE SET envelope = excluded.envelope',
  );
  return {
    operations: {
      /** Adds the changes of a batch; refused unless the ledger's position is still the start of the batch. */
      async advance({ from, to, sums, changes }: Advance, write: WriteContext): Promise<null> {
        write.guard('cursor');
        const row = await cursor.get();
        if (row?.['origin'] !== from?.origin || row?.['idx'] !== from?.index)
          throw new Error('the ledger stands at another position than the batch begins');
        addSums(sums);
        keepChanges(changes, write);
        move.queue(to.origin, to.index);
        return null;
      },
      /** Keeps a snapshot; the first of a day counts, so a second one is refused. */
      takeSnapshot({ snapshot: taken, orbs, changes, oldest_minute }: TakenSnapshot, write: WriteContext): null {
        snapshot.queue(taken.day, JSON.stringify(taken));
        for (const orb of orbs) snapshotOrb.queue(orb.orb_id, taken.day, JSON.stringify(orb));
        keepChanges(changes, write);
        prune.queue(oldest_minute);
        return null;
      },
      /** Keeps the sealed secret unless there is one already; answers the valid one. */
      async ensureSecret({ sealed }: { readonly sealed: Uint8Array }): Promise<Uint8Array> {
        putSecret.queue(sealed);
        const held = (await secret.get())?.['sealed'];
        if (!(held instanceof Uint8Array)) throw new Error('the secret of the ledger was not kept');
        return new Uint8Array(held);
      },
      /** Keeps the signature of a manifest. */
      putSignature({ orb_id, envelope }: { readonly orb_id: string; readonly envelope: string }): null {
        putSignature.queue(orb_id, envelope);
        return null;
      },
    },
  };
}

// A row with the same key takes the sums.
function adding(table: string, key: readonly string[], counts: readonly string[]): string {
  const sums = counts.map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sums.join(', ')}`;
}

function summing(connection: WriteConnection): (sums: Sums) => void {
  const callerDay = connection.prepare(
    `INSERT INTO ledger_caller_days (orb_id, day, caller, ok, fault, broken, fast, slow) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ${adding('ledger_caller_days', ['orb_id', 'day', 'caller'], ['ok', 'fault', 'broken', 'fast', 'slow'])}`,
  );
  const minute = connection.prepare(
    `INSERT INTO ledger_minutes (orb_id, minute, provider, n, fault) VALUES (?, ?, ?, ?, ?)
     ${adding('ledger_minutes', ['orb_id', 'minute', 'provider'], ['n', 'fault'])}`,
  );
  const day = connection.prepare(
    `INSERT INTO ledger_days (orb_id, day, name, n) VALUES (?, ?, ?, ?)
     ${adding('ledger_days', ['orb_id', 'day', 'name'], ['n'])}`,
  );
  return ({ callerDays, minutes, days }) => {
    for (const { orb_id, day: at, caller, ok, fault, broken, fast, slow } of callerDays)
      callerDay.queue(orb_id, at, caller, ok, fault, broken, fast, slow);
    for (const { orb_id, minute: at, provider, n, fault } of minutes) minute.queue(orb_id, at, provider, n, fault);
    for (const { orb_id, day: at, name, n } of days) day.queue(orb_id, at, name, n);
  };
}

function changing(connection: WriteConnection): (changes: Changes, write: WriteContext) => void {
  const put = connection.prepare(
    'INSERT INTO ledger_documents (kind, id, body) VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body',
  );
  const event = numberedWriter(connection, 'ledger_events', ['orb_id', 'body']);
  return ({ orbs, incidents, namespaces, refused, events }, write) => {
    for (const orb of orbs) put.queue('orb', orb.orb_id, JSON.stringify(orb));
    for (const incident of incidents) put.queue('incident', incident.incident_id, JSON.stringify(incident));
    for (const grant of namespaces) put.queue('namespace', grant.namespace, JSON.stringify(grant));
    for (const entry of refused) put.queue('refused', entry.receipt_id, JSON.stringify(entry));
    for (const { orb_id, ...body } of events) event({ orb_id, body }, write);
  };
}
