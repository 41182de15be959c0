import type { Awaitable, PluginScope } from '../../../kernel/index.ts';
import type { CertificateSigner } from '../../receipts/contract.ts';
import type { LogSize, Reputation } from '../contract.ts';
import type { Issuer } from './issue/issuer.ts';
import type { PublishedLists } from './issue/published-lists.ts';
import type { CertificateReads } from './issue/tables.ts';
import type { MaySee } from './routes/access.ts';
import type { OwnRegister } from './routes/register.ts';

/** What the certificates part needs from the ledger. */
export interface CertificateDeps {
  readonly reputation: Reputation;
  readonly signer: CertificateSigner;
  /** The newest head of the log. */
  readonly head: () => Awaitable<LogSize | undefined>;
  readonly maySee: MaySee;
  /** For how many days certificates are issued, 1–90. */
  readonly days: number;
  /** Calls the listener after entries were added to the log; answers a function that stops this. */
  readonly onAppend: (listener: () => void) => () => void;
}

/** The parts that issue and show certificates. */
export interface CertificateScope
  extends CertificateDeps, Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'log' | 'publicUrl' | 'store'> {
  readonly reads: CertificateReads;
  readonly issuer: Issuer;
  readonly lists: PublishedLists;
  readonly register: OwnRegister;
}
