import { every, type PluginScope } from '../../../kernel/index.ts';
import { createIssuer } from './issue/issuer.ts';
import { settleCertificates } from './issue/keeper.ts';
import { publishLists } from './issue/published-lists.ts';
import { createRegister } from './verify-service/register.ts';
import { certificateRoutes, type CertificateScope } from './routes/routes.ts';
import { certificateStore } from './issue/tables.ts';
import { repeated } from './issue/scheduler.ts';

/** What the certificates part needs from the ledger. */
interface CertificateDeps extends Pick<CertificateScope, 'reputation' | 'signer' | 'head' | 'maySee' | 'days'> {
  /** Calls the listener after entries were added to the log; answers a function that stops this. */
  readonly onAppend: (listener: () => void) => () => void;
}

/** The certificates part of the ledger: routes, service, and functions to settle and stop it. */
export type Certificates = ReturnType<typeof certificates>;

// Retries what failed, and renews certificates that expire while no other event occurs.
const againMs = 600_000;

/**
 * Issues, renews, suspends and revokes certificates as snapshots and standings require, from the hook `ready` on, and
 * makes the routes that show them.
 */
export function certificates(
  given: Pick<PluginScope<unknown, never>, 'clock' | 'hooks' | 'ids' | 'log' | 'publicUrl' | 'store'>,
  deps: CertificateDeps,
) {
  const { clock, hooks, log, publicUrl, store } = given;
  const { reputation, signer } = deps;
  const reads = store.reads(certificateStore).certificates;
  const issuer = createIssuer(publicUrl, signer);
  const lists = publishLists({ publicUrl, store, reads, signer, clock });
  const register = createRegister(reads, signer, issuer, clock);
  const scope: CertificateScope = { ...given, ...deps, reads, issuer, lists, register };
  const notSettled = (err: unknown): void =>
    log.warn({ err }, 'the server could not update certificates; it tries again');
  // The node that folds the log issues them too: the others would give the same certificates again.
  const role = store.peers.whenHeld('ledger');
  const settling = repeated(async () => void (role.now && (await settleCertificates(scope))), notSettled);
  const { wake } = settling;
  store.peers.follow('ledger', (refs) => void (refs.includes('lists') && lists.changed()));
  const stopTimer = every(againMs, () => settling.run(), notSettled);
  const quiet = [reputation.onSnapshot(wake), reputation.onStanding(wake), onKeyChange(deps, wake)];
  hooks.ready.tap('certificates', () => void store.peers.whenHeld('ledger', wake));
  return {
    routes: certificateRoutes(scope),
    service: register,
    /** Brings all certificates up to date; resolves when it is done. */
    settle: () => settling.run(),
    async stop(): Promise<void> {
      stopTimer();
      for (const stop of quiet) stop();
      await Promise.all([settling.stop(), register.stop()]);
    },
  };
}

/** Calls `changed` when a certificate key was added or changed its status; both are entries of the log. */
function onKeyChange({ onAppend, signer }: CertificateDeps, changed: () => void): () => void {
  const keys = (): string => signer.keys().reduce((all, { kid, status }) => `${all} ${kid}:${status}`, '');
  let known = keys();
  return onAppend(() => {
    const now = keys();
    if (now === known) return;
    known = now;
    changed();
  });
}
