import type { Awaitable, PluginScope } from '../../../../kernel/index.ts';
import type { LogSize, Reputation } from '../../contract.ts';
import type { Issuer } from './issuer.ts';
import type { ListSource, PublishedLists } from './published-lists.ts';

/** What issuing certificates needs. */
export interface IssueScope extends ListSource, Pick<PluginScope<unknown, never>, 'ids' | 'log'> {
  readonly reputation: Reputation;
  /** The newest head of the log. */
  readonly head: () => Awaitable<LogSize | undefined>;
  /** For how many days certificates are issued, 1–90. */
  readonly days: number;
  readonly issuer: Issuer;
  readonly lists: PublishedLists;
}
