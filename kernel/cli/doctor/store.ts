import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../error.ts';
import type { StoreAddress } from '../../store/contract.ts';
import { timestamp } from '../../tools/clock.ts';
import { ReadFailed, viewStore, type StoreView } from '../../store/read-only.ts';
import { logBytesIn, mostLogBytes } from '../../store/sqlite/log-size.ts';
import { verdictOn, type Kept, type Verdict } from '../backup.ts';
import type { CommandCall } from '../command.ts';
import { fine, type Examination, type Finding } from './finding.ts';

const storeName = 'store.db';

/** Examines the store in a file, and the clock by the times in it. */
export const checkStore: Examination = async ({ stateDir, store }) => {
  // The plugin of the engine examines it.
  if (addressOf(store) !== undefined) return [];
  if (!existsSync(join(stateDir, storeName)))
    return [{ name: 'store', state: 'skipped', detail: 'does not exist yet' }];
  const long = longLog(logBytesIn(stateDir));
  let view: StoreView | undefined;
  try {
    view = await viewStore({ stateDir });
    const found =
      view === undefined ? [unread('cannot be opened')] : [integrity(view), ...movedAway(view), clock(view)];
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
  return rows.join() === 'ok' ? fine('store', 'is intact') : damaged(rows.join('; '));
}

function longLog(bytes: number): readonly Finding[] {
  if (bytes <= mostLogBytes) return [];
  return [
    {
      name: 'store log',
      state: 'warning',
      detail: `store.db-wal has ${Math.round(bytes / 1024 ** 2)} MiB and is not being written to the store`,
      remedy:
        'Another program has been reading the store for a long time: stop it. A restart of the server also empties the log.',
    },
  ];
}

function movedAway(view: StoreView): readonly Finding[] {
  const moved = view.hasTable('kernel_moved') ? view.prepare('SELECT place FROM kernel_moved').get() : undefined;
  if (moved === undefined) return [];
  const detail = `was moved to ${String(moved['place'])}`;
  return [
    {
      name: 'store',
      state: 'fault',
      detail,
      remedy: 'Set ORB_STORE_URL to that database: servers do not start with this store.',
    },
  ];
}

// Nothing is known of the contents, so nothing is to be put back.
function unread(why: string): Finding {
  const remedy =
    'Check that this user may read store.db, that the disk works and that the store is not locked; then try again.';
  return { name: 'store', state: 'fault', detail: `was not checked, because it cannot be read: ${why}`, remedy };
}

function damaged(detail: string): Finding {
  const remedy = 'Restore the newest backup: orb restore FOLDER --replace. Keep the damaged file for inspection.';
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
    detail: `the clock shows ${now}, but a run ended at ${newest}`,
    remedy: 'Set the clock and synchronize it with NTP: times of receipts come from it.',
  };
}

function unopened({ absent, unchecked = '' }: Verdict['sealed'][number]): Finding {
  const finding = { name: 'sealed values', detail: `not checked: ${unchecked}` };
  if (absent === true) return { ...finding, state: 'skipped' };
  return {
    ...finding,
    state: 'fault',
    remedy: 'Restore the master key of this store: without it, servers do not start.',
  };
}

/**
 * Makes the examination of the log: all that was signed, rebuilt from its entries, by the checks that plugins declare.
 */
export function checkLog(kept: readonly Kept[]): Examination {
  return async (call) => {
    // Beside a database: what a server of this state dir has signed with.
    const signed = addressOf(call.store) === undefined ? join(call.stateDir, storeName) : call.stateDir;
    if (!existsSync(signed)) return [{ name: 'log', state: 'skipped', detail: 'does not exist yet' }];
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
    if (exit === 0) return [fine('log', 'all entries match the signed checkpoint'), ...sealed.map(unopened)];
    if (wasUnread)
      return [
        {
          ...{ name: 'log', state: 'warning', detail: said.join('; ') || 'could not be checked' },
          remedy: 'The state of the log is unknown. Remove the cause, then run orb log fsck.',
        },
      ];
    return [
      {
        name: 'log',
        state: 'fault',
        detail: said.join('; ') || `orb log fsck exits with ${String(exit)}`,
        remedy:
          'Run orb log fsck to find the damage. Stop using this store: restore the newest backup that passes its check.',
      },
    ];
  };
}
