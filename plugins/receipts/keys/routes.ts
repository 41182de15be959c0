import { defineRoute, operation, type JsonSchema, type Route, type Store } from '../../../kernel/index.ts';
import type { PublicKey } from '../format/jwk.ts';
import type { KeyChange, KeyChanged } from './change.ts';
import type { KeyState } from './state.ts';
import { kid, natural, origin } from '../format/schema-parts.ts';
import receiptsStore from '../store.ts';
import { problems } from '../problems.ts';

const scope = 'signing-keys:manage';
const role = { type: 'string', enum: ['receipt', 'log', 'certificate'] } as const;
const reason = { type: 'string', minLength: 1, maxLength: 500, description: 'public: it stands in the log' } as const;
const position = {
  title: 'LogPosition',
  type: 'object',
  additionalProperties: false,
  required: ['origin', 'index'],
  properties: {
    origin: { ...origin, description: 'Name of the log' },
    index: { ...natural, description: 'Position in the log, from 0' },
  },
} as const satisfies JsonSchema;

const key = {
  title: 'SigningKey',
  type: 'object',
  additionalProperties: false,
  required: ['kid', 'role', 'status', 'created_at'],
  properties: {
    kid: { ...kid, description: 'Id of the key (RFC 7638 thumbprint)' },
    role: { ...role, description: 'What the key signs' },
    status: { type: 'string', enum: ['active', 'retired', 'revoked'], description: 'Whether it still signs' },
    created_at: { type: 'string', description: 'RFC 3339 UTC' },
    since: { ...position, description: 'where the entry stands that made it known' },
    origin: { type: 'string', description: 'of a log key: the log it signs for' },
    revoked_at: { ...position, description: 'from which position on it counts for nothing' },
  },
} as const satisfies JsonSchema;

const changed = {
  $id: 'SigningKeyChange',
  type: 'object',
  additionalProperties: false,
  required: ['role', 'kid', 'receipt_id', 'position'],
  properties: {
    role: { ...role, description: 'What the key signs' },
    kid: { ...kid, description: 'the key that was made, or revoked' },
    previous_kid: { ...kid, description: 'Id of the key before' },
    successor_kid: { ...kid, description: 'of a revocation: the key that signs now' },
    origin: { type: 'string', description: 'of a log key: the new log' },
    from: { ...position, description: 'From where on the revoked key counts for nothing' },
    receipt_id: { type: 'string', description: 'receipt of the change' },
    position: { ...position, description: 'Where the entry of the change stands' },
  },
} as const satisfies JsonSchema;

/** Changes a signing key; resolves once the change is durable, and everything in this process follows it. */
export type ChangeKey = (change: KeyChange) => Promise<KeyChanged>;

/** Makes a ChangeKey; `followed` is called before anything that was issued under the new key can be read. */
export function keyChanger(store: Pick<Store, 'write'>, followed: (changed: KeyChanged) => void): ChangeKey {
  return async (change) => {
    const [made] = await store.write([operation(receiptsStore, 'changeKey', change)]);
    followed(made);
    return made;
  };
}

/** Makes the routes of the signing keys. */
export function keyRoutes(state: KeyState, change: ChangeKey): Route[] {
  return [listRoute(state), rotateRoute(change), revokeRoute(change)];
}

const listRoute = (state: KeyState): Route =>
  defineRoute({
    method: 'GET',
    path: '/signing-keys',
    operationId: 'listSigningKeys',
    service: 'runtime',
    scope,
    summary: 'List the keys that sign receipts, checkpoints and certificates, and those that did',
    response: {
      $id: 'SigningKeyList',
      type: 'object',
      required: ['keys'],
      properties: { keys: { type: 'array', description: 'Those that sign, and those that did', items: key } },
    },
    problems: [],
    handle: () => ({ keys: state.keys().map(shown) }),
  });

const rotateRoute = (change: ChangeKey): Route =>
  defineRoute({
    method: 'POST',
    path: '/signing-keys/rotate',
    operationId: 'rotateSigningKey',
    live: true,
    service: 'runtime',
    scope,
    summary: 'Replace a signing key, under load; a new log key opens a new shard of the log',
    body: {
      $id: 'SigningKeyRotation',
      type: 'object',
      additionalProperties: false,
      required: ['role'],
      properties: { role: { ...role, description: 'What the key signs' }, reason },
    },
    response: changed,
    problems: [],
    handle: ({ body, principal }) => change({ ...body, change: 'rotate', principal: principal.id }),
  });

const revokeRoute = (change: ChangeKey): Route =>
  defineRoute({
    method: 'POST',
    path: '/signing-keys/{kid}/revoke',
    operationId: 'revokeSigningKey',
    live: true,
    service: 'runtime',
    scope,
    summary: 'Revoke a receipt or certificate key from a position of the log on; an active one gets a successor',
    params: {
      type: 'object',
      additionalProperties: false,
      required: ['kid'],
      properties: { kid: { ...kid, description: 'Id of the key (RFC 7638 thumbprint)' } },
    },
    body: {
      $id: 'SigningKeyRevocation',
      type: 'object',
      additionalProperties: false,
      required: ['reason'],
      properties: {
        reason,
        from: {
          ...position,
          description: 'receipts from here on are refused; default: the position of the revocation itself',
        },
      },
    },
    response: changed,
    problems: ['key_not_found', problems.signing_key_conflict, 'invalid_body'],
    handle: ({ body, params, principal }) =>
      change({ ...body, change: 'revoke', kid: params.kid, principal: principal.id }),
  });

function shown({ created_at, kid: id, origin: log, revoked_at, role: of, since, status }: PublicKey): object {
  return {
    ...{ kid: id, role: of, status, created_at: new Date(created_at).toISOString() },
    ...(since === undefined ? {} : { since }),
    ...(log === undefined ? {} : { origin: log }),
    ...(revoked_at === undefined ? {} : { revoked_at }),
  };
}
