import {
  defineRoute,
  exactly,
  PlatformError,
  requireAnyScope,
  type Awaitable,
  type Principal,
  type Reply,
  type Route,
} from '../../../kernel/index.ts';
import type { Pages } from '../../pages/contract.ts';
import type { WholeApproval } from '../desk.ts';
import type { Links, OpenLink } from '../links.ts';
import { problems } from '../problems.ts';
import { found, shown, type ViewScope } from '../view.ts';
import { readForm } from './form.ts';
import { approvalPage, decidedPage, signInPage, type ShownApproval } from './pages.ts';

/** What the pages of approvals use. */
export interface PageScope extends ViewScope {
  readonly pages: Pages;
  readonly links: Links;
  /** Base of links to the console; undefined: there is none. */
  readonly console: string | undefined;
  readonly nameOf: (principal: string) => Awaitable<string | undefined>;
}

const text = { type: 'string', maxLength: 64 } as const;
const oneParams = exactly({ approval_id: { ...text, description: 'Id of the approval' } });
const linkParams = exactly({ token: { ...text, description: 'The token of the link' } });
const page = { service: 'runtime', produces: 'text/html', anyQuery: true } as const;
const own = { ...page, path: '/approvals/{approval_id}/page', params: oneParams, eventSource: true } as const;
const linked = {
  ...page,
  path: '/approvals/links/{token}',
  params: linkParams,
  public: true,
  optionalKey: true,
} as const;
const refusals = [
  ...[problems.approval_own, problems.approval_not_yours, problems.approval_differs, problems.approval_decided],
  ...[problems.approval_from_elsewhere, 'invalid_body', 'unsupported_media_type', 'payload_too_large'],
  'storage_unavailable',
] as const;
const linkProblems = [
  problems.approval_link_unknown,
  problems.approval_link_over,
  problems.approval_not_yours,
] as const;

/** Makes the routes of the pages of approvals: what is fetched by GET decides nothing. */
export function pageRoutes(scope: PageScope): readonly Route[] {
  return [showRoute(scope), decideRoute(scope), showLinkRoute(scope), decideLinkRoute(scope)];
}

const showRoute = (scope: PageScope): Route =>
  defineRoute({
    ...own,
    method: 'GET',
    operationId: 'showApprovalPage',
    summary: 'Show an approval to a person who is signed in to the console (a page)',
    public: true,
    optionalKey: true,
    problems: [problems.approval_not_found, 'insufficient_scope'],
    async handle({ params: { approval_id }, principal }) {
      const { pages, console: site } = scope;
      const address = `/approvals/${encodeURIComponent(approval_id)}/page`;
      if (principal === undefined) return signInPage(pages, { address, console: site });
      requireAnyScope(principal, 'runs:approve');
      const whole = await found(scope, approval_id, principal);
      return approvalPage(pages, await pageOf(scope, whole, { principal: principal.id, byLink: false }));
    },
  });

const decideRoute = (scope: PageScope): Route =>
  defineRoute({
    ...own,
    method: 'POST',
    operationId: 'decideOnApprovalPage',
    summary: 'Approve or refuse a held run by the form of its page',
    scope: 'runs:approve',
    raw: true,
    problems: [problems.approval_not_found, ...refusals],
    async handle(call) {
      const { params, sessionToken } = call;
      const { approval_id } = params;
      const form = await readForm(call);
      // The body may have come long after the head.
      const caller = (await call.callerNow()) ?? (await call.refuseCaller('the session has ended; sign in again'));
      await found(scope, approval_id, caller);
      const auth = sessionToken === undefined ? 'key' : 'session';
      await scope.desk.decide({ approval_id, ...form, caller, auth, surface: 'page' });
      return decidedPage(scope.pages, await pageOf(scope, await found(scope, approval_id, caller)));
    },
  });

const showLinkRoute = (scope: PageScope): Route =>
  defineRoute({
    ...linked,
    method: 'GET',
    operationId: 'showApprovalLink',
    summary: 'Show the approval that a link of a notice is for; this decides nothing (a page)',
    problems: linkProblems,
    async handle({ params: { token }, principal }) {
      const { whole, caller } = await opened(scope, token, principal);
      return approvalPage(scope.pages, await pageOf(scope, whole, { principal: caller.id, byLink: true }));
    },
  });

const decideLinkRoute = (scope: PageScope): Route =>
  defineRoute({
    ...linked,
    method: 'POST',
    operationId: 'decideByApprovalLink',
    summary: 'Approve or refuse a held run by the form of the page of a link, once',
    raw: true,
    problems: [...new Set([...linkProblems, ...refusals])],
    async handle(call): Promise<Reply> {
      const { token } = call.params;
      // Before the form: who holds no link learns nothing of its faults.
      await opened(scope, token, call.principal);
      const form = await readForm(call);
      const { link, whole, caller } = await opened(scope, token, call.principal);
      const { approval_id } = whole.row;
      await scope.desk.decide({ approval_id, ...form, caller, auth: 'link', surface: 'page', link });
      return decidedPage(scope.pages, await pageOf(scope, (await scope.desk.whole(approval_id)) ?? whole));
    },
  });

// A caller that says who it is decides by its own link alone.
async function opened({ links }: PageScope, token: string, caller: Principal | undefined): Promise<OpenLink> {
  const open = await links.open(token);
  if (caller === undefined || caller.id === open.caller.id) return open;
  throw new PlatformError(problems.approval_not_yours, 'the link is for another person; decide by your own');
}

async function pageOf(
  scope: PageScope,
  whole: WholeApproval,
  deciding?: ShownApproval['deciding'],
): Promise<ShownApproval> {
  const { row } = whole;
  const isOpen = row.state === 'open' && row.expires_at > scope.clock.now();
  const mayDecide = isOpen && deciding !== undefined && deciding.principal !== row.requester;
  const [approval, requester] = [await shown(whole, scope), await scope.nameOf(row.requester)];
  return { approval, requester, ...(mayDecide ? { deciding } : {}) };
}
