import { every, type PluginScope, type Route } from '../../../kernel/index.ts';
import type { CertificateSigner } from '../../receipts/contract.ts';
import type { LogSize, Reputation } from '../contract.ts';
import { createIssuer } from './issue/issuer.ts';
import { settleCertificates } from './issue/keeper.ts';
import { publishLists } from './issue/published-lists.ts';
import { createRegister } from './routes/register.ts';
import type { CertificateRegister } from './verifier/report.ts';
import { certificateRoutes } from './routes/routes.ts';
import { certificateStore } from './issue/tables.ts';
import type { MaySee } from './routes/access.ts';
import { repeated } from './issue/scheduler.ts';

/** What certificates need of the ledger around them. */
export interface CertificateDeps {
  readonly reputation: Reputation;
  readonly signer: CertificateSigner;
  /** The newest head of the log. */
  readonly head: () => LogSize | undefined;
  readonly maySee: MaySee;
  /** For how many days certificates are issued, 1–90. */
  readonly days: number;
  /** Calls back after entries were added to the log; answers how to stop. */
  readonly onAppend: (listener: () => void) => () => void;
}

/** What certificates give to the ledger around them. */
export interface Certificates {
  readonly routes: readonly Route[];
  readonly service: CertificateRegister;
  /** Brings all certificates up to date; resolves when it is done. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

type Scope = Pick<PluginScope<unknown, never>, 'clock' | 'hooks' | 'ids' | 'log' | 'publicUrl' | 'store'>;

// What failed is tried again, and what runs out while nothing else happens is renewed.
const againMs = 600_000;

/**
 * Issues, renews, suspends and revokes certificates as snapshots and standings demand, from the hook `ready` on, and
 * makes the routes that show them.
 */
export function certificates(scope: Scope, deps: CertificateDeps): Certificates {
  const { clock, hooks, ids, log, publicUrl, store } = scope;
  const { days, head, maySee, reputation, signer } = deps;
  const reads = store.reads(certificateStore);
  const issuer = createIssuer(publicUrl, signer);
  const lists = publishLists({ publicUrl, installation: store.installation, reads, signer, clock });
  const register = createRegister(reads, signer, issuer, clock);
  const { addressOf, changed } = lists;
  const notSettled = (err: unknown): void =>
    log.warn({ err }, 'certificates could not be brought up to date; the server tries again');
  const settling = repeated(
    () =>
      settleCertificates({
        ...{ store, reads, reputation, signer, issuer, head, publicUrl, addressOf, days, clock, ids, log, changed },
      }),
    notSettled,
  );
  const { wake } = settling;
  const stopTimer = every(againMs, () => settling.run(), notSettled);
  const quiet = [reputation.onSnapshot(wake), reputation.onStanding(wake), onKeyChange(deps, wake)];
  hooks.ready.tap('certificates', () => wake());
  return {
    routes: certificateRoutes({ publicUrl, reads, reputation, signer, issuer, lists, register, clock, maySee }),
    service: register,
    settle: () => settling.run(),
    async stop() {
      stopTimer();
      for (const stop of quiet) stop();
      await Promise.all([settling.stop(), register.stop()]);
    },
  };
}

/** Calls back when a certificate key was added, or changed its status: both are entries of the log. */
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
