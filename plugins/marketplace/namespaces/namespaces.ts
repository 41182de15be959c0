import {
  exactly,
  given,
  operation,
  optional,
  PlatformError,
  timestamp,
  type Infer,
  type JsonSchema,
  type Principal,
} from '../../../kernel/index.ts';
import type { Principals } from '../../api-keys/contract.ts';
import type { NamespaceFact, NamespaceGrant } from '../../ledger/contract.ts';
import { againWhenOvertaken, overtakable } from '../overtaken.ts';
import { problems } from '../problems.ts';
import type { MarketScope } from '../scope.ts';
import marketplaceStore from '../store.ts';
import { orbNamespace } from '../../runtime/contract.ts';

/** Schema of the name of a namespace. */
export const namespaceName = {
  type: 'string',
  maxLength: 190,
  pattern: `^${orbNamespace}$`,
  examples: ['notify'],
} as const satisfies JsonSchema;

// Schema of the key that verifies the manifests of a namespace.
const manifestKey = exactly('ManifestKey', {
  kty: { const: 'OKP', description: 'Type of the key' },
  crv: { const: 'Ed25519', description: 'Curve of the key' },
  // 32 bytes are 42 full base64url characters and one whose last two bits are zero.
  x: {
    type: 'string',
    pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$',
    description: 'base64url of 32 bytes',
    examples: ['11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'],
  },
});

const principal = {
  type: 'string',
  maxLength: 64,
  pattern: '^prn_[0-9A-HJKMNP-TV-Z]{26}$',
  examples: ['prn_01JD3M8QK4T5V6W7X8Y9Z0A1B2'],
} as const;
const tenant = { type: 'string', maxLength: 64, pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' } as const;

/** Schema of the body that grants a namespace. */
export const grantRequest = exactly('NamespaceRequest', {
  namespace: { ...namespaceName, description: 'The namespace to grant' },
  owner: optional({
    minProperties: 1,
    description: 'Who can publish there. Default: the current owner; for a new grant, the caller',
    ...exactly({
      tenant: optional({ ...tenant, description: "Default: the principal's" }),
      principal: optional({
        ...principal,
        description: 'Principal whose own runs do not count in the profile single-org',
      }),
    }),
  }),
  manifest_key: optional({
    oneOf: [manifestKey, { type: 'null' }],
    description:
      'Key that verifies signed manifests; a new key invalidates older signatures. Default: unchanged; null: none',
  }),
});

/** The body that grants a namespace. */
type GrantBody = Infer<typeof grantRequest>;

/** Schema of a namespace in its current state. */
export const namespaceSchema = exactly('Namespace', {
  namespace: { type: 'string', description: 'The namespace' },
  state: { enum: ['granted', 'revoked'], description: 'Whether its owner may publish there' },
  owner: {
    description: 'Who may publish there',
    ...exactly({
      tenant: { type: 'string', description: 'The tenant that owns it' },
      principal: optional({
        type: 'string',
        description: 'The only principal that may publish there; absent: any of the tenant',
      }),
    }),
  },
  manifest_key: optional({ ...manifestKey, description: 'The key that signs its manifests' }),
  at: { type: 'string', format: 'date-time', description: 'When it happened' },
  reason: optional({ type: 'string', description: 'Why it was revoked' }),
  receipt_id: { type: 'string', description: 'Receipt of the last change' },
});

/** The principal who grants or revokes; absent: the platform itself. */
type Granter = Pick<Principal, 'id' | 'tenant'>;

/** Grants a namespace, or changes its owner or key; attested unless nothing changes. Throws 404 `principal_not_found`. */
export function grant(
  body: GrantBody,
  by: Granter | undefined,
  scope: MarketScope,
): Promise<{ readonly created: boolean; readonly namespace: NamespaceGrant }> {
  return changing(body.namespace, scope, async (last) => {
    const known = scope.reputation.namespace(body.namespace);
    const before = known?.state === 'granted' ? known : undefined;
    const owner = await ownerOf(body, by, before, scope.principals);
    const key = body.manifest_key === undefined ? before?.manifest_key : (body.manifest_key ?? undefined);
    if (before !== undefined && sameOwner(owner, before.owner) && key?.x === before.manifest_key?.x)
      return { created: false, namespace: before };
    const change = { namespace: body.namespace, change: 'granted', by, last } as const;
    const namespace = await attested(change, { owner, ...given({ manifest_key: key }) }, scope);
    return { created: before === undefined, namespace };
  });
}

/** Revokes a namespace: its Orbs are suspended until it is granted again. Throws 404 `namespace_not_found`. */
export function revoke(namespace: string, reason: string, by: Granter, scope: MarketScope): Promise<NamespaceGrant> {
  return changing(namespace, scope, (last) => {
    const before = scope.reputation.namespace(namespace);
    if (before?.state !== 'granted')
      throw new PlatformError(
        problems.namespace_not_found,
        `the namespace ${namespace} is not granted; GET /namespaces lists those that are`,
      );
    const { owner, manifest_key } = before;
    const change = { namespace, change: 'revoked', by, last } as const;
    return attested(change, { owner, ...given({ manifest_key }), reason }, scope);
  });
}

/**
 * Changes a namespace as it is now: one change after the other, and again when another node was first. `last`: the
 * receipt of the change before, read before the state that the change rests on.
 */
function changing<T>(
  namespace: string,
  { reads, reputation, serial, store }: MarketScope,
  change: (last: string | undefined) => Promise<T>,
): Promise<T> {
  return serial(() =>
    againWhenOvertaken(store, async () => {
      const last = await reads.lastGrant(namespace);
      await reputation.settled();
      return change(last);
    }),
  );
}

/** Namespaces of the Orbs that ship with the platform. */
export const shippedNamespaces: readonly string[] = ['demo', 'http', 'llm', 'notify'];

/**
 * Grants the shipped namespaces that were never granted or revoked to the principal of the first key: all of them at
 * the first start, the rest after a crash during that start.
 */
export async function grantShipped(scope: MarketScope): Promise<void> {
  const { reputation, principals, log } = scope;
  await reputation.settled();
  const owner = await principals.first();
  if (owner === undefined) return;
  for (const namespace of shippedNamespaces.filter((name) => reputation.namespace(name) === undefined)) {
    await grant({ namespace, owner: { tenant: owner.tenant, principal: owner.id } }, undefined, scope);
    log.info({ namespace, principal: owner.id }, `the namespace ${namespace} of the shipped Orbs was granted`);
  }
}

type Owner = NamespaceGrant['owner'];

async function ownerOf(
  { owner }: GrantBody,
  by: Granter | undefined,
  before: NamespaceGrant | undefined,
  principals: Principals,
): Promise<Owner> {
  if (owner === undefined) {
    if (before !== undefined) return before.owner;
    if (by === undefined) throw new Error('a grant by the platform names its owner');
    return { tenant: by.tenant, principal: by.id };
  }
  const found = owner.principal === undefined ? undefined : await principals.find(owner.principal);
  if (owner.principal !== undefined && (found === undefined || (owner.tenant ?? found.tenant) !== found.tenant))
    throw new PlatformError(
      'principal_not_found',
      `there is no principal ${owner.principal} in that tenant; GET /keys shows the principals`,
    );
  const owning = owner.tenant ?? found?.tenant ?? '';
  return { tenant: owning, ...(found === undefined ? {} : { principal: found.id }) };
}

function sameOwner(one: Owner, other: Owner): boolean {
  return one.tenant === other.tenant && one.principal === other.principal;
}

interface Changing extends Pick<NamespaceGrant, 'namespace'> {
  readonly change: NamespaceGrant['state'];
  readonly by: Granter | undefined;
  readonly last: string | undefined;
}

async function attested(
  { namespace, change, by, last }: Changing,
  stated: Pick<NamespaceGrant, 'owner' | 'manifest_key' | 'reason'>,
  { platform, reputation, clock, store }: MarketScope,
): Promise<NamespaceGrant> {
  const at = timestamp(clock.now());
  const attesting = platform.attest<NamespaceFact>({
    fact: {
      kind: 'namespace',
      tenant: stated.owner.tenant,
      at,
      namespace,
      facts: { change, ...stated, ...(by === undefined ? {} : { principal: by.id }) },
    },
    operations: (id) => [operation(marketplaceStore, 'noteGrant', { namespace, before: last, receipt_id: id })],
  });
  const { receipt_id } = await overtakable(attesting);
  await reputation.settled();
  // Wait until the ledger has notified the other nodes.
  await store.peers.everywhere();
  return { namespace, state: change, ...stated, at, receipt_id };
}
