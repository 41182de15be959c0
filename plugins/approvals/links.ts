import { createHash, randomBytes } from 'node:crypto';
import { holds, operation, PlatformError, type Operation, type Principal } from '../../kernel/index.ts';
import type { Principals } from '../api-keys/contract.ts';
import type { Desk, DeskScope, WholeApproval } from './desk.ts';
import { problems } from './problems.ts';
import approvalsStore from './store.ts';
import { usedLink, type LinkRow } from './tables/links.ts';

/** What links need. */
export interface LinksScope extends Pick<DeskScope, 'clock' | 'groups' | 'reads'> {
  readonly desk: Desk;
  /** Absent: no plugin knows principals, so there are no links. */
  readonly principals: Pick<Principals, 'callers'> | undefined;
  /** Base of links; undefined: there is no page to which they could lead. */
  readonly url: string | undefined;
}

/** What a link opens. */
export interface OpenLink {
  readonly link: LinkRow;
  readonly whole: WholeApproval;
  /** The person that the link names, as its keys are now. */
  readonly caller: Principal;
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Links in notices, by which one person decides on one approval, once, without signing in. */
export class Links {
  readonly #scope: LinksScope;

  constructor(scope: LinksScope) {
    this.#scope = scope;
  }

  /**
   * Makes a link, and the write that keeps its hash; the token is nowhere else. Undefined: the group allows none, or the
   * person could not decide.
   */
  async create(
    { row }: WholeApproval,
    { asked, principal }: Pick<LinkRow, 'asked' | 'principal'>,
  ): Promise<{ readonly url: string; readonly write: Operation } | undefined> {
    const { clock, groups, url } = this.#scope;
    const isFor = groups.get(asked)?.links === true && principal !== row.requester;
    if (!isFor || url === undefined || (await this.#callerOf(principal, row.mode)) === undefined) return undefined;
    // 256 random bits that say nothing.
    const token = randomBytes(32).toString('base64url');
    const { approval_id } = row;
    const kept = { hash: hashOf(token), approval_id, principal, asked, created_at: clock.now() };
    return { url: `${url}/approvals/links/${token}`, write: operation(approvalsStore, 'link', kept) };
  }

  /**
   * Finds what a link opens, without using it up. Throws 404 for an unknown link, 410 for one that is used or whose
   * approval is not open, and 403 for a person who may not decide any more.
   */
  async open(token: string): Promise<OpenLink> {
    const { reads, desk, clock, groups } = this.#scope;
    const link = await reads.link(hashOf(token));
    const whole = link && (await desk.whole(link.approval_id));
    if (link === undefined || whole === undefined)
      throw new PlatformError(problems.approval_link_unknown, 'the link is not complete, or was never sent');
    const { row } = whole;
    if (link.used_at !== null) throw over(usedLink);
    if (row.state !== 'open') throw over(`the approval is ${row.state}; nothing was changed`);
    if (row.expires_at <= clock.now()) throw over('the approval has expired; nothing was changed');
    if (groups.get(link.asked)?.links !== true) throw over(`the group ${link.asked} takes no decisions by links now`);
    const caller = await this.#callerOf(link.principal, row.mode);
    if (caller === undefined || groups.get(link.asked)?.members.includes(link.principal) !== true)
      throw new PlatformError(problems.approval_not_yours, 'the person that the link names may not decide any more');
    return { link, whole, caller };
  }

  // A link gives no right: its person has a key that may decide.
  async #callerOf(principal: string, mode: 'live' | 'sandbox'): Promise<Principal | undefined> {
    const callers = (await this.#scope.principals?.callers(principal)) ?? [];
    return callers.find((one) => holds(one.scopes, 'runs:approve') && (mode === 'sandbox' || one.mode === 'live'));
  }
}

function over(why: string): PlatformError {
  return new PlatformError(problems.approval_link_over, why);
}
