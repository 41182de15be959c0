import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fine, timestamp, type Examination, type Finding } from '../../../kernel/index.ts';
import { ReadFailed, viewStore, type StoreView } from '../../../kernel/maintenance.ts';
import { storeName } from '../store-file.ts';
import { fault, skipped, warning } from './finding.ts';
import { placeOf, verdictOf, type StoreVerdict } from '../contract.ts';

// The write-ahead log is emptied into the store at 16 MiB; four times as much means that something keeps it from that.
const mostLogBytes = 64 * 1024 ** 2;

/** Examines the store in a file, and the clock by the times in it. */
export const checkStore: Examination = async ({ stateDir, store }) => {
  // The plugin of the engine examines it.
  if (placeOf(store)?.address !== undefined) return [];
  if (!existsSync(join(stateDir, storeName))) return [skipped('store', 'does not exist yet')];
  const long = longLog(statSync(join(stateDir, `${storeName}-wal`), { throwIfNoEntry: false })?.size ?? 0);
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

function integrity(view: StoreView): Finding {
  const rows = view.prepare('PRAGMA quick_check(5)').all().flatMap(Object.values).map(String);
  return rows.join() === 'ok' ? fine('store', 'is intact') : damaged(rows.join('; '));
}

function longLog(bytes: number): readonly Finding[] {
  if (bytes <= mostLogBytes) return [];
  const detail = `store.db-wal has ${Math.round(bytes / 1024 ** 2)} MiB and is not being written to the store`;
  const remedy =
    'Another program has been reading the store for a long time: stop it. A restart of the server also empties the log.';
  return [warning('store log', detail, remedy)];
}

function movedAway(view: StoreView): readonly Finding[] {
  const moved = view.hasTable('kernel_moved') ? view.prepare('SELECT place FROM kernel_moved').get() : undefined;
  if (moved === undefined) return [];
  const remedy = 'Set ORB_STORE_URL to that database: servers do not start with this store.';
  return [fault('store', `was moved to ${String(moved['place'])}`, remedy)];
}

// The contents are unknown, so the remedy is not a restore.
function unread(why: string): Finding {
  const remedy =
    'Check that this user may read store.db, that the disk works and that the store is not locked; then try again.';
  return fault('store', `was not checked, because it cannot be read: ${why}`, remedy);
}

function damaged(detail: string): Finding {
  const remedy = 'Restore the newest backup: orb restore FOLDER --replace. Keep the damaged file for inspection.';
  return fault('store', detail, remedy);
}

// A clock that was set back makes receipts that seem older than earlier ones.
function clock(view: StoreView): Finding {
  // Ids grow with time: the newest run is among the last.
  const last = 'SELECT finished_at FROM runtime_runs ORDER BY run_id DESC LIMIT 100';
  const newest = view.prepare(`SELECT max(finished_at) AS at FROM (${last}) AS last`).get()?.['at'];
  const now = timestamp(Date.now());
  if (typeof newest !== 'string' || newest <= now) return fine('clock', now);
  const remedy = 'Set the clock and synchronize it with NTP: times of receipts come from it.';
  return fault('clock', `the clock shows ${now}, but a run ended at ${newest}`, remedy);
}

function unopened({ absent, unchecked = '' }: StoreVerdict['sealed'][number]): Finding {
  const detail = `not checked: ${unchecked}`;
  if (absent === true) return skipped('sealed values', detail);
  return fault('sealed values', detail, 'Restore the master key of this store: without it, servers do not start.');
}

/** Examines the log: all that was signed, rebuilt from its entries, by the checks that plugins declare. */
export const checkLog: Examination = async (call) => {
  if (call.installation.shipped.every(({ backup }) => backup === undefined)) return [];
  // Beside a database: what a server of this state dir has signed with.
  const signed = placeOf(call.store)?.address === undefined ? join(call.stateDir, storeName) : call.stateDir;
  if (!existsSync(signed)) return [skipped('log', 'does not exist yet')];
  const said: string[] = [];
  const listening = { ...call, note: (text: string) => void said.push(text) };
  const verdict = await verdictOf(listening).catch((error: unknown) => {
    said.push(String(error));
    return { exit: 1, unread: true, sealed: [] };
  });
  const { exit, sealed } = verdict;
  if (exit === 0) return [fine('log', 'all entries match the signed checkpoint'), ...sealed.map(unopened)];
  const detail = said.join('; ');
  if (verdict.unread) {
    const remedy = 'The state of the log is unknown. Remove the cause, then run orb log fsck.';
    return [warning('log', detail || 'could not be checked', remedy)];
  }
  const remedy =
    'Run orb log fsck to find the damage. Stop using this store: restore the newest backup that passes its check.';
  return [fault('log', detail || `orb log fsck exits with ${exit}`, remedy)];
};
