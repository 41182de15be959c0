import {
  defineRoute,
  exactly,
  idOfCursor,
  operation,
  optional,
  pageOf,
  pageQuery,
  PlatformError,
  reply,
  requireKey,
  timestamp,
  type Principal,
  type Route,
  type Scopes,
} from '../../../kernel/index.ts';
import { reachesAll, refuseStronger, takesKey } from './grant.ts';
import type { RevokedListeners } from '../follow.ts';
import { issueKey, keyEvent, type Issuer } from '../issue.ts';
import { createdKey, keySummary, type KeySummary } from '../key.ts';
import { keyRequest, orderKey, refuse, scopeFaults } from './order.ts';
import { scopesRoute } from './scopes.ts';
import apiKeysStore, { type KeyReads } from '../store.ts';
import { generateToken } from '../token.ts';
import { problems } from '../problems.ts';

/** Dependencies of the key routes. */
interface KeyRoutesScope extends Issuer {
  readonly reads: KeyReads;
  /** All scopes of the installation, by name. */
  readonly scopes: Scopes;
  readonly revoked: RevokedListeners;
}

const keyParams = exactly({ key_id: { type: 'string', maxLength: 64, description: 'Id of the key' } });

const listQuery = { type: 'object', additionalProperties: false, properties: pageQuery } as const;

const keyPage = exactly('KeyPage', {
  keys: { type: 'array', items: keySummary, description: 'Newest first, including revoked keys' },
  next_cursor: optional({ type: 'string', description: 'Absent on the last page' }),
});

const managed = { service: 'runtime', scope: 'keys:manage' } as const;

/** Makes the routes of `/keys`. A key without `*` sees and manages only keys of its own tenant. */
export function keyRoutes(scope: KeyRoutesScope): readonly Route[] {
  return [createRoute, listRoute, selfRoute, scopesRoute, readRoute, revokeRoute].map((route) => route(scope));
}

function createRoute(scope: KeyRoutesScope): Route {
  const { reads, scopes, clock, ids } = scope;
  return defineRoute({
    ...managed,
    method: 'POST',
    path: '/keys',
    operationId: 'createKey',
    alsoNeeds: 'each scope that it grants',
    summary: 'Create a key; only this answer shows it',
    body: keyRequest,
    bodyFaults: (body) => scopeFaults(body['scopes'], scopes),
    response: createdKey,
    showsSecret: true,
    status: 201,
    problems: ['principal_not_found', 'key_required'],
    async handle(call) {
      const { body, principal } = call;
      if (body.scopes.some((wanted) => takesKey(wanted, scopes))) requireKey(call);
      const rules = { reads, scopes, now: clock.now(), newPrincipal: () => ids('prn') };
      const order = await orderKey(body, principal, rules);
      const key = generateToken(order.mode);
      const summary = await issueKey(scope, order, key);
      return reply({ status: 201, headers: { 'Cache-Control': 'no-store' }, body: { ...summary, key } });
    },
  });
}

const listRoute = ({ reads }: KeyRoutesScope): Route =>
  defineRoute({
    ...managed,
    method: 'GET',
    path: '/keys',
    operationId: 'listKeys',
    summary: 'List keys, newest first',
    query: listQuery,
    response: keyPage,
    sends: { Link: true },
    async handle({ query: { limit, cursor }, principal }) {
      const tenant = reachesAll(principal.scopes) ? undefined : principal.tenant;
      const found = await reads.list({ tenant, after: idOfCursor(cursor, 'key_'), limit: limit + 1 });
      const { items: keys, next_cursor } = pageOf(found, limit, ({ key_id }) => key_id);
      if (next_cursor === undefined) return { keys };
      const link = `</keys?limit=${limit}&cursor=${next_cursor}>; rel="next"`; // RFC 8288
      return reply({ headers: { Link: link }, body: { keys, next_cursor } });
    },
  });

const selfRoute = ({ reads }: KeyRoutesScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/keys/self',
    operationId: 'getOwnKey',
    service: 'runtime',
    anyKey: true,
    summary: 'Read the key of this request',
    response: keySummary,
    problems: ['key_not_found'],
    handle: ({ principal }) => getKey(reads, principal.key_id, principal),
  });

const readRoute = ({ reads }: KeyRoutesScope): Route =>
  defineRoute({
    ...managed,
    method: 'GET',
    path: '/keys/{key_id}',
    operationId: 'getKey',
    summary: 'Read a key',
    params: keyParams,
    response: keySummary,
    problems: ['key_not_found'],
    handle: ({ params, principal }) => getKey(reads, params.key_id, principal),
  });

function revokeRoute(scope: KeyRoutesScope): Route {
  const { store, keyring, clock, reads, revoked, scopes, runtime } = scope;
  return defineRoute({
    ...managed,
    method: 'DELETE',
    path: '/keys/{key_id}',
    operationId: 'revokeKey',
    alsoNeeds: 'each scope of the key that it revokes',
    summary: 'Revoke a key; its principal remains',
    params: keyParams,
    status: 204,
    problems: ['key_not_found', problems.last_admin_key],
    async handle({ params: { key_id }, principal }) {
      const key = await getKey(reads, key_id, principal);
      refuse(refuseStronger(principal, key, scopes, `revoke ${key_id}`));
      const revoke = operation(apiKeysStore, 'revoke', { key_id, at: timestamp(clock.now()) });
      await store.write([revoke, runtime.recording(keyEvent('key.revoked', key))]);
      keyring.remove(key_id);
      await revoked.tell();
      // From the answer on, no node accepts it.
      await store.peers.everywhere();
      return reply({ status: 204 });
    },
  });
}

async function getKey(reads: KeyReads, keyId: string, caller: Principal): Promise<KeySummary> {
  const key = await reads.find(keyId);
  if (key === undefined || (key.tenant !== caller.tenant && !reachesAll(caller.scopes)))
    throw new PlatformError('key_not_found', `there is no key ${keyId}; GET /keys lists them`);
  return key;
}
