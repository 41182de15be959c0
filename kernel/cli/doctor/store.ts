import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../error.ts';
import type { StoreAddress } from '../../store/contract.ts';
import { timestamp } from '../../tools/clock.ts';
import { ReadFailed, viewStore, type StoreView } from '../../store/read-only.ts';
import { logBytesIn, mostLogBytes } from '../../store/sqlite/log-size.ts';
import { verdictOn, type Kept, type Verdict } from '../backup.ts';
import type { CommandCall } from '../command.ts';
import { examineDatabase } from './database.ts';
import { fine, type Examination, type Finding } from './finding.ts';

const storeName = 'store.db';

/** Examines the store, and the clock: that of the database, or by the times in the file. */
export const checkStore: Examination = async ({ stateDir, store }) => {
  const address = addressOf(store);
  if (address !== undefined) return examineDatabase(address, stateDir);
  if (!existsSync(join(stateDir, storeName))) return [{ name: 'store', state: 'skipped', detail: 'there is none yet' }];
  const long = longLog(logBytesIn(stateDir));
  let view: StoreView | undefined;
  try {
    view = await viewStore({ stateDir });
    const found =
      view === undefined ? [unread('it cannot be opened')] : [integrity(view), ...movedAway(view), clock(view)];
    return [...found, ...long];
  } catch (error) {
    return [error instanceof ReadFailed ? unread(error.message) : damaged(String(error)), ...long];
  } finally {
    view?.close();
  }
};

// A fault of the address is that of the configuration, which is reported by its own examination.
function addressOf(store: CommandCall['store']): StoreAddress | undefined {
  try {
    return store().address;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

function integrity(view: StoreView): Finding {
  const rows = view.prepare('PRAGMA quick_check(5)').all().flatMap(Object.values).map(String);
  return rows.join() === 'ok' ? fine('store', 'is whole') : damaged(rows.join('; '));
}

function longLog(bytes: number): readonly Finding[] {
  if (bytes <= mostLogBytes) return [];
  return [
    {
      name: 'store log',
      state: 'warning',
      detail: `store.db-wal has ${Math.round(bytes / 1024 ** 2)} MiB, and is not emptied into the store`,
      remedy: 'Another program reads the store for a long time: end it. A restart of the server empties the log, too.',
    },
  ];
}

function movedAway(view: StoreView): readonly Finding[] {
  const moved = view.hasTable('kernel_moved') ? view.prepare('SELECT place FROM kernel_moved').get() : undefined;
  if (moved === undefined) return [];
  const detail = `was moved to ${String(moved['place'])}`;
  return [
    { name: 'store', state: 'fault', detail, remedy: 'Set ORB_STORE_URL to that database: no server starts here.' },
  ];
}

// Nothing is known of the contents, so nothing is to be put back.
function unread(why: string): Finding {
  const remedy =
    'See that this user may read store.db, that the disk works and the store is not locked; then look again.';
  return { name: 'store', state: 'fault', detail: `cannot be read, so it was not checked: ${why}`, remedy };
}

function damaged(detail: string): Finding {
  const remedy = 'Put back the newest backup: orb restore FOLDER --replace. Keep the damaged file for looking at.';
  return { name: 'store', state: 'fault', detail, remedy };
}

// A clock that was set back makes receipts that seem older than earlier ones.
function clock(view: StoreView): Finding {
  // Ids grow with time: the newest run is among the last.
  const last = 'SELECT finished_at FROM runtime_runs ORDER BY run_id DESC LIMIT 100';
  const newest = view.prepare(`SELECT max(finished_at) AS at FROM (${last}) AS last`).get()?.['at'];
  const now = timestamp(Date.now());
  if (typeof newest !== 'string' || newest <= now) return fine('clock', now);
  return {
    name: 'clock',
    state: 'fault',
    detail: `it is ${now}, but a run ended at ${newest}`,
    remedy: 'Set the clock, and keep it by NTP: times of receipts come from it.',
  };
}

function unopened({ absent, unchecked = '' }: Verdict['sealed'][number]): Finding {
  const finding = { name: 'sealed values', detail: `not checked: ${unchecked}` };
  if (absent === true) return { ...finding, state: 'skipped' };
  return { ...finding, state: 'fault', remedy: 'Put back the master key of this store: without it no server starts.' };
}

/**
 * Makes the examination of the log: all that was signed, rebuilt from its entries, by the checks that plugins declare.
 */
export function checkLog(kept: readonly Kept[]): Examination {
  return async (call) => {
    // Beside a database: what a server of this state dir has signed with.
    const signed = addressOf(call.store) === undefined ? join(call.stateDir, storeName) : call.stateDir;
    if (!existsSync(signed)) return [{ name: 'log', state: 'skipped', detail: 'there is none yet' }];
    const said: string[] = [];
    const listening = { ...call, note: (text: string) => void said.push(text) };
    const {
      exit,
      sealed,
      unread: wasUnread,
    } = await verdictOn(kept, listening).catch((error: unknown) => {
      said.push(String(error));
      return { exit: undefined, unread: true, sealed: [] };
    });
    if (exit === 0) return [fine('log', 'every entry is under its signed checkpoint'), ...sealed.map(unopened)];
    if (wasUnread)
      return [
        {
          ...{ name: 'log', state: 'warning', detail: said.join('; ') || 'could not be checked' },
          remedy: 'Nothing is known of the log itself. Remove what keeps it from being read, then run orb log fsck.',
        },
      ];
    return [
      {
        name: 'log',
        state: 'fault',
        detail: said.join('; ') || `orb log fsck ends with ${String(exit)}`,
        remedy:
          'orb log fsck shows where. Do not use this store any longer: restore the newest backup that passes its check.',
      },
    ];
  };
}
