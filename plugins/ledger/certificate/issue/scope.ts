import type { Awaitable, PluginScope } from '../../../../kernel/index.ts';
import type { LogSize, Reputation } from '../../contract.ts';
import type { CertificateSigner } from '../../../receipts/contract.ts';
import type { Issuer } from './issuer.ts';
import type { PublishedLists } from './published-lists.ts';
import type { CertificateReads } from './tables.ts';

/** What issuing certificates needs. */
export interface IssueScope extends Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'log' | 'publicUrl' | 'store'> {
  readonly reads: CertificateReads;
  readonly signer: CertificateSigner;
  readonly reputation: Reputation;
  /** The newest head of the log. */
  readonly head: () => Awaitable<LogSize | undefined>;
  /** For how many days certificates are issued, 1–90. */
  readonly days: number;
  readonly issuer: Issuer;
  readonly lists: PublishedLists;
}
