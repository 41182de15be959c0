import { defineRoute, given, operation, PlatformError, type Route, type Store } from '../../../../kernel/index.ts';
import { exactly, optional, component, listOf } from '../../format/exactly.ts';
import type { KeyChange } from '../signing/change.ts';
import { keyChanged, position, role, signingKey, type KeyChanged } from '../key-schema.ts';
import type { KeyState } from './state.ts';
import receiptsStore from '../../store.ts';
import { problems } from '../../problems.ts';

const base = { service: 'runtime', scope: 'signing-keys:manage' } as const;
const changing = { ...base, method: 'POST', live: true, keyAgain: true } as const;
const shown = 'Public: the receipt log shows it';
const reason = { type: 'string', minLength: 1, maxLength: 500, description: shown } as const;

/**
 * Makes the routes of the signing keys. `followed` is called once a change is durable, before anything issued under the
 * new key can be read.
 */
export function keyRoutes(
  state: KeyState,
  store: Pick<Store, 'node' | 'peers' | 'write'>,
  followed: (changed: KeyChanged) => Promise<void>,
): Route[] {
  const change = async (asked: KeyChange): Promise<KeyChanged> => {
    const owner = asked.change === 'revoke' ? state.keys().find(({ kid }) => kid === asked.kid)?.node : undefined;
    if (owner !== undefined && owner !== store.node.name) await endNode(owner, store);
    const [made] = await store.write([operation(receiptsStore, 'changeKey', asked)]);
    await followed(made);
    await store.peers.everywhere();
    return made;
  };
  return [listRoute(state), rotateRoute(change), revokeRoute(change)];
}

/**
 * Makes sure that another node no longer signs with its key: freezes the log of an ended node. Throws 409 for a live
 * node, which must revoke its key itself.
 */
async function endNode(owner: string, { peers, write }: Pick<Store, 'peers' | 'write'>): Promise<void> {
  const view = (await peers.nodes()).find(({ name }) => name === owner);
  if (view === undefined) return;
  const { incarnation, state } = view;
  const why = `the node ${owner} signs with this key; send the request to that node`;
  if (state === 'live') throw new PlatformError(problems.signing_key_conflict, why);
  await write([operation(receiptsStore, 'freeze', { name: owner, incarnation })]);
}

type ChangeKey = (change: KeyChange) => Promise<KeyChanged>;

const listRoute = (state: KeyState): Route =>
  defineRoute({
    ...base,
    method: 'GET',
    path: '/signing-keys',
    operationId: 'listSigningKeys',
    summary: 'List all signing keys of receipts, checkpoints and certificates, also retired and revoked ones',
    response: component('SigningKeyList', { keys: listOf('The active, retired and revoked keys', signingKey) }),
    handle: () => ({
      keys: state
        .keys()
        .map(({ kid, role, status, created_at: at, since, origin, revoked_at }) =>
          given({ kid, role, status, created_at: new Date(at).toISOString(), since, origin, revoked_at }),
        ),
    }),
  });

const rotateRoute = (change: ChangeKey): Route =>
  defineRoute({
    ...changing,
    path: '/signing-keys/rotate',
    operationId: 'rotateSigningKey',
    summary: 'Replace a signing key without downtime; a new log key opens a new shard of the log',
    body: component('SigningKeyRotation', { role, reason: optional(reason) }),
    response: keyChanged,
    handle: ({ body, principal }) => change({ ...body, change: 'rotate', principal: principal.id }),
  });

const revokeRoute = (change: ChangeKey): Route =>
  defineRoute({
    ...changing,
    path: '/signing-keys/{kid}/revoke',
    operationId: 'revokeSigningKey',
    summary: 'Revoke a receipt or certificate key from a position in the log; an active key gets a successor',
    params: exactly({ kid: signingKey.properties.kid }),
    body: component('SigningKeyRevocation', {
      reason,
      from: optional({
        ...position,
        description: 'Receipts from this position on are not valid. Default: the position of the revocation itself',
      }),
    }),
    response: keyChanged,
    problems: ['key_not_found', problems.signing_key_conflict, 'invalid_body'],
    handle: ({ body, params, principal }) =>
      change({ ...body, change: 'revoke', kid: params.kid, principal: principal.id }),
  });
