import { createListeners, type PluginScope } from '../../kernel/index.ts';
import type { TransparencyLog } from '../receipts/contract.ts';
import type { CallerRef } from './reputation/caller.ts';
import type { Profile, SnapshotRef, StandingChanged } from './contract.ts';
import { Ledger } from './follow/ledger.ts';
import { createReputation, Desk, type ServiceOptions } from './reputation/service.ts';
import { Signatures } from './signatures.ts';
import ledgerStore from './store.ts';
import type { Runtime } from '../runtime/contract.ts';

/** What opening the ledger needs. */
interface OpenOptions extends Pick<
  PluginScope<{ readonly profile?: Profile; readonly missed_days_until?: string }, never>,
  'clock' | 'config' | 'home' | 'log' | 'platform' | 'store'
> {
  readonly runtime: Pick<Runtime, 'catalog'>;
  readonly transparencyLog: TransparencyLog;
  readonly callerRef: CallerRef;
}

/** The parts of the ledger, open. */
export type Opened = Awaited<ReturnType<typeof openDesk>>;

/** Connects the parts of the ledger; it starts to follow the log at its first `wake`. */
export async function openDesk(scope: OpenOptions) {
  const { clock, config, log, platform, runtime, store, callerRef } = scope;
  const { profile = 'single-org', missed_days_until: missedUntil } = config;
  const reads = store.reads(ledgerStore);
  const kept = await reads.signatures();
  const ledger = await Ledger.open({
    ...{ store, reads, platform, clock, profile, missedUntil },
    log: scope.transparencyLog,
    logger: log,
    onChanges: (changes) => desk.folded(changes),
    onCaughtUp: () => desk.caughtUp(),
    onSnapshot: (snapshot) => desk.snapshotTaken(snapshot),
  });
  const signatures = new Signatures({
    ...scope,
    orbs: runtime.catalog.orbs,
    kept,
    grantOf: (namespace) => ledger.projection.state.namespaces.get(namespace),
  });
  const failed = (err: unknown): void => log.error({ err }, 'a listener of the ledger failed');
  const options: ServiceOptions = {
    ...{ ledger, reads, signatures, profile, callerRef, clock },
    snapshots: createListeners<SnapshotRef>(failed),
    standings: createListeners<StandingChanged>(failed),
  };
  const desk = new Desk(options);
  await desk.reload();
  ledger.listen();
  store.peers.follow('ledger', async (refs) => {
    if (refs.includes('signature')) signatures.learn(await reads.signatures());
  });
  // The log names this Orb.
  const isNamed = (orbId: string): boolean => ledger.projection.state.orbs.has(orbId);
  return { desk, ledger, reads, service: createReputation(desk, options), signatures, profile, isNamed };
}
