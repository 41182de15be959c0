import {
  exactly,
  given,
  optional,
  plainText,
  PlatformError,
  timestamp,
  type Fault,
  type Infer,
  type Principal,
  type Scopes,
} from '../../../kernel/index.ts';
import { isScope, meantScope, reachesAll, refuseGrant, refuseStronger, type Refusal } from './grant.ts';
import type { Order } from '../issue.ts';
import type { KnownPrincipal } from '../contract.ts';
import type { KeyReads } from '../store.ts';

const mostScopes = 100;
const mostTold = 32;

// Names are shown in terminals and on pages.
const name = { type: 'string', minLength: 1, maxLength: 200, pattern: plainText } as const;

/** Schema of the body that requests a key. */
export const keyRequest = exactly('KeyRequest', {
  name: optional({ ...name, description: 'What the key is for. Default: the name of its principal' }),
  scopes: {
    type: 'array',
    minItems: 1,
    maxItems: mostScopes,
    uniqueItems: true,
    items: { type: 'string', maxLength: 300 },
    examples: [['orbs:execute:notify.*', 'receipts:read']],
    description: 'What the key may do. The caller can grant only scopes that its own key has',
  },
  mode: optional({
    enum: ['live', 'test'],
    default: 'live',
    description: 'With a `test` key, only sandbox providers serve',
  }),
  tenant: optional({
    type: 'string',
    maxLength: 64,
    pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
    description: "Default: the principal's, else the caller's. Another one needs `*`",
  }),
  principal: optional({
    type: 'string',
    maxLength: 64,
    description:
      'The caller that the key acts for; absent: a new one. To rotate a key, name the principal of the old key',
  }),
  principal_name: optional({ ...name, description: 'Name of the new principal. Default: the name of the key' }),
  expires_at: optional({
    type: 'string',
    maxLength: 40,
    format: 'date-time',
    description: 'RFC 3339, in the future. Default: never',
  }),
});

/** The body that requests a key. */
export type KeyRequest = Infer<typeof keyRequest>;

/** Data that the rules for requesting a key need. */
interface OrderScope {
  readonly reads: Pick<KeyReads, 'findPrincipal' | 'ofPrincipal'>;
  readonly scopes: Scopes;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Makes the id of a new principal. */
  newPrincipal(): string;
}

/**
 * Turns a request into a permitted order. Throws `invalid_body` (unknown scope, expiry in the past, contradicting
 * fields), `principal_not_found`, `insufficient_scope` (the caller may not grant the key).
 */
export async function orderKey(body: KeyRequest, caller: Principal, scope: OrderScope): Promise<Order> {
  const { scopes, mode, expires_at } = body;
  checkValues(body, scope);
  const known = body.principal === undefined ? undefined : await getPrincipal(body.principal, body, caller, scope);
  const label = body.principal_name ?? body.name ?? 'unnamed';
  const owner = known ?? { id: scope.newPrincipal(), name: label, tenant: body.tenant ?? caller.tenant };
  refuse(refuseGrant(caller, { scopes, mode, tenant: owner.tenant }, scope.scopes));
  return {
    ...{ owner, name: body.name ?? owner.name, scopes, mode, created_by: caller.id, by: caller.key_id },
    ...given({ expires_at: expires_at && timestamp(Date.parse(expires_at)) }),
  };
}

/** Throws 403 `insufficient_scope` when there is a refusal. */
export function refuse(refusal: Refusal | undefined): void {
  if (refusal === undefined) return;
  const scope = refusal.missing === undefined ? '' : `, scope="${refusal.missing}"`;
  throw new PlatformError('insufficient_scope', refusal.detail, {
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope"${scope}` },
  });
}

/** Lists the scopes of a body that there are not, whether or not the rest of it fits the schema. */
export function scopeFaults(scopes: unknown, known: Scopes): readonly Fault[] {
  if (!Array.isArray(scopes)) return [];
  return scopes.slice(0, mostTold).flatMap((wanted: unknown, index) => {
    if (typeof wanted !== 'string' || isScope(wanted, known)) return [];
    return { pointer: `#/scopes/${index}`, detail: `is not a scope; ${meantScope(wanted, known)}` };
  });
}

function checkValues({ scopes, expires_at, principal, principal_name }: KeyRequest, scope: OrderScope): void {
  const faults: Fault[] = [...scopeFaults(scopes, scope.scopes)];
  if (expires_at !== undefined && !(Date.parse(expires_at) > scope.now))
    faults.push({ pointer: '#/expires_at', detail: 'must be in the future' });
  if (principal !== undefined && principal_name !== undefined)
    faults.push({ pointer: '#/principal_name', detail: 'is for a new principal; remove it, or remove `principal`' });
  if (faults.length > 0) throw invalid(faults);
}

/** Returns the principal that a key is requested for; refuses one whose keys have more rights than the caller. */
async function getPrincipal(
  id: string,
  { tenant }: KeyRequest,
  caller: Principal,
  scope: OrderScope,
): Promise<KnownPrincipal> {
  const found = await scope.reads.findPrincipal(id);
  if (found === undefined || (found.tenant !== caller.tenant && !reachesAll(caller.scopes)))
    throw new PlatformError(
      'principal_not_found',
      `there is no principal ${id}; GET /keys shows the principals, and without \`principal\` the key gets a new one`,
    );
  if (tenant !== undefined && tenant !== found.tenant)
    throw invalid([{ pointer: '#/tenant', detail: `must be the tenant of the principal, ${found.tenant}; remove it` }]);
  const keys = await scope.reads.ofPrincipal(id);
  const now = timestamp(scope.now);
  const live = keys.filter(
    ({ revoked_at, expires_at }) => revoked_at === undefined && (expires_at === undefined || expires_at > now),
  );
  // Policies may still name a principal without a live key: the caller must hold all scopes that it ever held.
  for (const key of live.length > 0 ? live : keys)
    refuse(refuseStronger(caller, key, scope.scopes, `create a key for ${id}`));
  return found;
}

function invalid(errors: readonly Fault[]): PlatformError {
  const text = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  return new PlatformError('invalid_body', text, { errors });
}
