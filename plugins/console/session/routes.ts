import {
  defineRoute,
  isFromOwnPage,
  PlatformError,
  reply,
  timestamp,
  type Answered,
  type Awaitable,
  type Principal,
  type Reply,
  type RequestInfo,
  type Route,
  type Scopes,
} from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import { linkedKey, linkQuestion, madeLink, sessionSchema, signIn, type ShownSession } from './schema.ts';
import { lasts } from './lifetime.ts';
import type { LiveSession, Sessions } from './sessions.ts';
import { mayListen } from '../../runtime/contract.ts';

/** What the routes of sessions need. */
export interface SessionRoutesScope {
  readonly sessions: Sessions;
  /** Base of links to the console. */
  readonly url: string;
  /** All scopes of the installation. */
  readonly scopes: Scopes;
  /** Finds the name of a key. */
  readonly nameOf: (keyId: string) => Awaitable<string | undefined>;
}

const shared = { service: 'runtime', whole: true } as const;
const path = '/console/session';
const oneOfBoth = 'send either `key` or `link`, e.g. {"key": "orb_live_…"}';
const unkept = { 'Cache-Control': 'no-store' } as const;

/** Makes the routes that sign in and out, and those of links that sign in. */
export function sessionRoutes(scope: SessionRoutesScope): readonly Route[] {
  return [beginRoute(scope), readRoute(scope), endRoute(scope), makeLinkRoute(scope), askLinkRoute(scope)];
}

function beginRoute(scope: SessionRoutesScope): Route {
  const { sessions } = scope;
  return defineRoute({
    ...shared,
    method: 'POST',
    path,
    operationId: 'beginConsoleSession',
    summary: 'Sign in to the console with a key or a link',
    public: true,
    body: signIn,
    bodyFaults: ({ key, link }) =>
      (key === undefined) === (link === undefined) ? [{ pointer: '#', detail: oneOfBoth }] : [],
    response: sessionSchema,
    status: 201,
    sends: { 'Set-Cookie': { description: 'The session cookie, valid only in this browser' } },
    problems: [problems.not_from_console, 'unauthenticated', 'tls_required', 'storage_unavailable', 'overloaded'],
    async handle(call) {
      requirePage(call);
      const { key, link } = call.body;
      if ((key === undefined) === (link === undefined)) throw new PlatformError('invalid_body', oneOfBoth);
      const { token, principal } =
        link === undefined ? await byKey(sessions, call, key ?? '') : await byLink(sessions, call, link);
      call.setSession(token);
      const session = await sessions.find(token);
      return reply({ status: 201, headers: unkept, body: await shownSession(scope, principal, session) });
    },
  });
}

async function byKey(sessions: Sessions, call: RequestInfo, key: string) {
  const principal = await call.identify(key);
  return { principal, token: await sessions.begin(principal) };
}

async function byLink(sessions: Sessions, call: RequestInfo, link: string) {
  return (await sessions.redeem(link)) ?? call.refuseCaller(await sessions.explainLink(link));
}

function readRoute(scope: SessionRoutesScope): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path,
    operationId: 'getConsoleSession',
    summary: 'Read the session that is signed in',
    anyKey: true,
    response: sessionSchema,
    async handle({ principal, sessionToken }) {
      const session = sessionToken === undefined ? undefined : await scope.sessions.find(sessionToken);
      return shownSession(scope, principal, session);
    },
  });
}

function endRoute({ sessions }: SessionRoutesScope): Route {
  return defineRoute({
    ...shared,
    method: 'DELETE',
    path,
    operationId: 'endConsoleSession',
    summary: 'Sign out',
    anyKey: true,
    status: 204,
    async handle({ sessionToken, setSession }): Promise<Reply> {
      if (sessionToken !== undefined) {
        await sessions.end(sessionToken);
        setSession(undefined);
      }
      return reply({ status: 204, headers: sessionToken === undefined ? {} : { 'Clear-Site-Data': '"storage"' } });
    },
  });
}

function makeLinkRoute({ sessions, url }: SessionRoutesScope): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/console/links',
    operationId: 'makeConsoleLink',
    summary: 'Create a link that signs in to the console with this key; it works once, within one minute',
    anyKey: true,
    keyAgain: true,
    response: madeLink,
    showsSecret: true,
    status: 201,
    async handle({ principal }) {
      const { token, ends_at } = await sessions.link(principal);
      const body = { url: `${url}/console#link=${token}`, expires_at: timestamp(ends_at) };
      return reply({ status: 201, headers: unkept, body });
    },
  });
}

function askLinkRoute(scope: SessionRoutesScope): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: `${path}/link`,
    operationId: 'readConsoleLink',
    summary: 'Read the key of a sign-in link, without using the link',
    public: true,
    body: linkQuestion,
    response: linkedKey,
    problems: [problems.not_from_console, 'unauthenticated'],
    async handle(call) {
      requirePage(call);
      const { sessions } = scope;
      const { link } = call.body;
      const principal = (await sessions.findLink(link)) ?? (await call.refuseCaller(await sessions.explainLink(link)));
      return reply({ headers: unkept, body: await shown(scope, principal) });
    },
  });
}

// Otherwise a page of another site could sign the browser in with another key, and its user would act with that key.
function requirePage({ headers }: Pick<RequestInfo, 'headers'>): void {
  if (isFromOwnPage(headers, { eventSource: false })) return;
  throw new PlatformError(
    problems.not_from_console,
    'sign in on the page of the console, at the address of this server',
  );
}

async function shown(
  { nameOf }: SessionRoutesScope,
  { key_id, id, tenant, scopes, mode }: Principal,
): Promise<Answered<typeof linkedKey>> {
  return { key_id, name: (await nameOf(key_id)) ?? key_id, principal: id, tenant, scopes: [...scopes], mode };
}

async function shownSession(
  scope: SessionRoutesScope,
  principal: Principal,
  session: LiveSession | undefined,
): Promise<ShownSession> {
  const ends = session && {
    expires_at: timestamp(session.created_at + lasts.session),
    idle_expires_at: timestamp(session.used_at + lasts.idle),
  };
  const known = Object.keys(scope.scopes).sort();
  return {
    ...(await shown(scope, principal)),
    known_scopes: known,
    key_scopes: known.filter((name) => scope.scopes[name]?.keyAgain === true),
    listens: mayListen(principal),
    ...ends,
  };
}
