import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../kernel/tools/clock.ts';
import type { Fact, Operation, Held, Platform, Store } from '../../../kernel/index.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import type { StoreOptions } from '../../../kernel/store/serving/store.ts';
import { openShipped } from '../../helpers/stores/open-shipped.ts';
import { shippedList } from '../../helpers/stores/shipped-list.ts';
import { late, readsLate } from '../../helpers/late-reads.ts';
import { openCallerRef } from '../../../plugins/ledger/reputation/caller.ts';
import type { Profile } from '../../../plugins/ledger/contract.ts';
import { openDesk, type Opened } from '../../../plugins/ledger/open.ts';
import type { LedgerReads } from '../../../plugins/ledger/tables/reads.ts';
import ledgerStore from '../../../plugins/ledger/store.ts';
import { startDay, type SyntheticLog } from './synthetic-log.ts';

/** The ledger on a real store, following a synthetic log; snapshots it takes are appended there. */
export interface OpenedLedger extends Opened {
  readonly stateDir: string;
  readonly role: Held;
  /** Sets the clock to 12:00 UTC of a day after the first. */
  setDay(day: number): void;
  /** Follows to the end and takes all snapshots that are due. */
  catchUp(): Promise<void>;
  /** Has the next write fail. */
  failWrite(): void;
  /** Ends it; `keep`: the folder stays. */
  close(options?: { readonly keep?: boolean }): Promise<void>;
}

/** Opens the ledger; `stateDir`: of one that was closed before. */
export async function openLedger(
  log: SyntheticLog,
  options: {
    readonly stateDir?: string;
    readonly profile?: Profile;
    readonly day?: number;
    /** The process has just begun; else it began ten minutes ago. */
    readonly begins?: boolean;
    /** Opens the store as one node of a database. */
    readonly shared?: Pick<StoreOptions, 'address' | 'beside' | 'masterKey' | 'node'>;
    /** Changes the other nodes that the store knows. */
    readonly peers?: (peers: Store['peers']) => Store['peers'];
    /** Changes what the store answers. */
    readonly reading?: (reads: LedgerReads) => LedgerReads;
  } = {},
): Promise<OpenedLedger> {
  const { stateDir = mkdtempSync(join(tmpdir(), 'orb-ledger-')), profile = 'multi-tenant' } = options;
  const noon = (startDay + (options.day ?? 0)) * 86_400_000 + 43_200_000;
  // In ten minutes the clock is steady for long enough to take missed snapshots.
  const begun = options.begins === true ? noon : noon - 600_000;
  let now = begun;
  const clock: Clock = { now: () => now, monotonic: () => performance.now() + now - begun };
  const onTime = await openShipped({
    stateDir,
    ...options.shared,
    modules: [{ module: ledgerStore }],
    list: shippedList,
    version: '1.0.0',
    clock,
    log: silentLog,
  });
  const store = readsLate ? late(onTime) : onTime;
  const fault = { due: false };
  const failing: typeof store = Object.create(store, {
    write: {
      value: (operations: readonly Operation[]) => {
        if (!fault.due) return store.write(operations);
        fault.due = false;
        return Promise.reject(new Error('the disk is full'));
      },
    },
    peers: { value: (options.peers ?? ((peers) => peers))(store.peers) },
    reads: { value: () => (options.reading ?? ((reads) => reads))(store.reads(ledgerStore)) },
  });
  const attest = async ({ fact, operations }: Fact): Promise<object> => {
    await store.write(operations('rec_0'));
    const { kind, ...predicate } = fact;
    return { receipt_id: log.append(kind, predicate), signature_valid: true, timestamp: '' };
  };
  const platform = { attest } as unknown as Platform;
  const runtime = { catalog: { orbs: new Map(), orbisets: new Map() } };
  const opened = await openDesk({
    ...{ clock, platform, runtime, store: failing, home: stateDir, log: silentLog, config: { profile } },
    transparencyLog: log,
    callerRef: await openCallerRef(store),
  });
  now = noon;
  void onTime.begin();
  return {
    ...opened,
    stateDir,
    role: store.peers.whenHeld('ledger'),
    setDay(day) {
      now = (startDay + day) * 86_400_000 + 43_200_000;
    },
    failWrite() {
      fault.due = true;
    },
    catchUp: () => opened.ledger.caughtUp(),
    async close({ keep = false } = {}) {
      await opened.ledger.stop();
      await store.close();
      if (!keep) rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
