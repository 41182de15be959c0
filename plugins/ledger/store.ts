import {
  defineStore,
  numberedWriter,
  replacing,
  rowWriter,
  type WriteConnection,
  type WriteContext,
  type WriterScope,
} from '../../kernel/index.ts';
import { certificateStore } from './certificate/issue/tables.ts';
import type { SnapshotOrb } from './projection/snapshot.ts';
import type { Changes } from './projection/state.ts';
import { callerCounts, minuteCounts, type Sums } from './projection/tallies.ts';
import { ledgerReads, type KeptSnapshot, type Move } from './tables/reads.ts';
import { cursorsMigration, ledgerMigration } from './tables/migrations.ts';

/** The changes of a batch of entries. */
interface Advance {
  readonly moves: readonly Move[];
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
  opens: [
    {
      table: 'ledger_secret',
      purpose: 'ledger',
      what: 'the secret of pseudonyms in the ledger',
      rows: 'SELECT sealed FROM ledger_secret',
    },
  ],
  migrations: [ledgerMigration, ...certificateStore.migrations, cursorsMigration],
  write: (scope) => ({ operations: { ...writing(scope).operations, ...certificateStore.write(scope).operations } }),
  read: (connection) => ({ ...ledgerReads(connection), ...certificateStore.read(connection) }),
});

function writing({ connection }: WriterScope) {
  const addSums = summing(connection);
  const keepChanges = changing(connection);
  const move = moving(connection);
  const beginInterval = connection.prepare('UPDATE ledger_cursors SET first = NULL WHERE first IS NOT NULL');
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
      /** Adds the changes of a batch; refused unless the ledger's positions are still those at which the batch begins. */
      async advance({ moves, sums, changes }: Advance, write: WriteContext): Promise<null> {
        write.guard('cursor');
        for (const one of moves) await move(one);
        addSums(sums);
        keepChanges(changes, write);
        return null;
      },
      /** Keeps a snapshot; the first of a day counts, so a second one is refused. */
      takeSnapshot({ snapshot: taken, orbs, changes, oldest_minute }: TakenSnapshot, write: WriteContext): null {
        snapshot.queue(taken.day, JSON.stringify(taken));
        for (const orb of orbs) snapshotOrb.queue(orb.orb_id, taken.day, JSON.stringify(orb));
        keepChanges(changes, write);
        beginInterval.queue();
        prune.queue(oldest_minute);
        write.tell('ledger', 'snapshot');
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
      putSignature(
        { orb_id, envelope }: { readonly orb_id: string; readonly envelope: string },
        write: WriteContext,
      ): null {
        putSignature.queue(orb_id, envelope);
        write.tell('ledger', 'signature');
        return null;
      },
    },
  };
}

function moving(connection: WriteConnection): (move: Move) => Promise<void> {
  const cursor = connection.prepare('SELECT idx FROM ledger_cursors WHERE origin = ?');
  const put = connection.prepare(
    `INSERT INTO ledger_cursors (origin, idx, newest, first) VALUES (?, ?, ?, ?)
     ${replacing(['origin'], ['idx', 'newest', 'first'])}`,
  );
  const forget = connection.prepare('DELETE FROM ledger_cursor WHERE id = 1');
  return async ({ first, from, index, newest, origin }) => {
    if ((await cursor.get(origin))?.['idx'] !== from)
      throw new Error('the ledger is not at the position where the batch starts');
    if (from === undefined) forget.queue();
    put.queue(origin, index, newest, first);
  };
}

// A row with the same key takes the sums.
function adding<K extends string, N extends string>(
  connection: WriteConnection,
  table: string,
  key: readonly K[],
  counts: readonly N[],
) {
  const sums = counts.map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  const conflict = `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sums.join(', ')}`;
  return rowWriter<K | N>(connection, table, [...key, ...counts], conflict);
}

function summing(connection: WriteConnection): (sums: Sums) => void {
  const callerDay = adding(connection, 'ledger_caller_days', ['orb_id', 'day', 'caller'], callerCounts);
  const minute = adding(connection, 'ledger_minutes', ['orb_id', 'minute', 'provider'], minuteCounts);
  const day = adding(connection, 'ledger_days', ['orb_id', 'day', 'name'], ['n']);
  return ({ callerDays, minutes, days }) => {
    for (const row of callerDays) callerDay(row);
    for (const row of minutes) minute(row);
    for (const row of days) day(row);
  };
}

function changing(connection: WriteConnection): (changes: Changes, write: WriteContext) => void {
  const put = connection.prepare(
    'INSERT INTO ledger_documents (kind, id, body) VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body',
  );
  const end = connection.prepare('DELETE FROM ledger_documents WHERE kind = ? AND id = ?');
  const decided = ['kind', 'id', 'origin', 'idx', 'receipt_id'] as const;
  const decider = rowWriter(connection, 'ledger_deciders', decided, replacing(['kind', 'id'], decided));
  const event = numberedWriter(connection, 'ledger_events', ['orb_id', 'body']);
  return ({ arrived, deciders, events, incidents, namespaces, orbs, refused, revoked, waiting }, write) => {
    for (const orb of orbs) put.queue('orb', orb.orb_id, JSON.stringify(orb));
    for (const incident of incidents) put.queue('incident', incident.incident_id, JSON.stringify(incident));
    for (const grant of namespaces) put.queue('namespace', grant.namespace, JSON.stringify(grant));
    for (const entry of refused) put.queue('refused', entry.receipt_id, JSON.stringify(entry));
    for (const line of waiting) put.queue('waiting', line.receipt_id, JSON.stringify(line));
    for (const id of arrived) end.queue('waiting', id);
    for (const key of revoked) put.queue('revoked', key.kid, JSON.stringify(key));
    for (const { index, ...row } of deciders) decider({ ...row, idx: index });
    for (const { orb_id, ...body } of events) event({ orb_id, body }, write);
    // Counts are in no memory.
    if (orbs.length + incidents.length + namespaces.length > 0) write.tell('ledger', 'state');
  };
}
