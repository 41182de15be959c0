import { createOrbiset, orbisetManifest, orbisetParams, reachesOrbiset, type Orbiset } from '../catalog/orbiset.ts';
import { digestOf, manifestPage, shownManifest, source } from './change.ts';
import type { OrbisetChanges } from './orbiset-changes.ts';
import type { Shelf } from './shelf.ts';
import { unfitMember } from '../catalog/invalid-inputs.ts';
import {
  type Principal,
  PlatformError,
  conditionOf,
  pageOf,
  defineRoute,
  type Reply,
  type Route,
  exactly,
  optional,
  type JsonSchema,
} from '../../../kernel/index.ts';
import { textOfCursor } from '../../../kernel/runner.ts';

const { properties } = orbisetManifest;

const orbisetRequest = {
  ...orbisetManifest,
  $id: 'OrbisetRequest',
  required: ['id', 'orbs'],
  properties: {
    ...properties,
    tenant: { ...properties.tenant, description: "Default: the caller's; another one needs `*`" },
  },
} as const satisfies JsonSchema;

const orbisetChange = {
  ...orbisetRequest,
  $id: 'OrbisetChange',
  required: ['orbs'],
} as const satisfies JsonSchema;

const listed = {
  $id: 'ListedOrbiset',
  type: 'object',
  required: ['id', 'tenant', 'orbs', 'source'],
  properties: { ...properties, source: { ...source, description: 'Text of the file' } },
} as const satisfies JsonSchema;

/** Schema of a page of Orbisets. */
export const orbisetPage = exactly('OrbisetList', {
  orbisets: { type: 'array', description: 'By id', items: listed },
  next_cursor: optional({ type: 'string', description: 'Cursor of the next page; absent on the last' }),
});

/** Schema of an Orbiset. */
export const orbisetDetail = exactly('OrbisetDetail', {
  manifest: { ...orbisetManifest, description: 'The manifest as its author wrote it' },
  manifest_digest: { type: 'string', description: 'SHA-256 of the manifest in canonical form (RFC 8785)' },
  source: { ...source, description: 'Text of the file' },
});

const byId = {
  service: 'runtime',
  path: '/orbisets/{id}',
  params: orbisetParams,
} as const;
const manages = { service: 'runtime', scope: 'orbisets:manage', live: true } as const;

type Orbisets = Shelf<Orbiset>;

/** Answers `GET` and `POST /orbisets`, and `GET`, `PUT` and `DELETE /orbisets/{id}`. */
export function orbisetRoutes(orbisets: Orbisets, changes: OrbisetChanges): readonly Route[] {
  const manage = [createRoute, replaceRoute, deleteRoute].map((route) => route(changes, orbisets));
  return [listOrbisets(orbisets), showOrbiset(changes, orbisets), ...manage];
}

const listOrbisets = (orbisets: Orbisets): Route =>
  defineRoute({
    method: 'GET',
    path: '/orbisets',
    operationId: 'listOrbisets',
    service: 'runtime',
    scope: 'orbs:read',
    summary: "List the tenant's Orbisets",
    query: { type: 'object', properties: manifestPage },
    response: orbisetPage,
    handle: ({ query: { limit = 100, cursor }, principal }) => {
      const after = textOfCursor(cursor, new RegExp(properties.id.pattern));
      const mine = (orbiset: Orbiset): boolean => reachesOrbiset(orbiset, principal);
      const { items, ...next } = pageOf(orbisets.page(after, limit + 1, mine), limit, ({ id }) => id);
      return { orbisets: items.map((orbiset) => ({ ...orbiset, source: orbisets.sourceOf(orbiset.id) })), ...next };
    },
  });

const showOrbiset = (changes: OrbisetChanges, orbisets: Orbisets): Route =>
  defineRoute({
    ...byId,
    method: 'GET',
    scope: 'orbs:read',
    operationId: 'getOrbiset',
    summary: 'Show an Orbiset',
    response: orbisetDetail,
    sends: { ETag: true },
    problems: ['orbiset_not_found'],
    handle: ({ params, principal }) => shown(changes.find(params.id, principal), orbisets, 200),
  });

const createRoute = (changes: OrbisetChanges, orbisets: Orbisets): Route =>
  defineRoute({
    ...manages,
    method: 'POST',
    path: '/orbisets',
    operationId: 'createOrbiset',
    summary: 'Create an Orbiset of the tenant',
    body: orbisetRequest,
    response: orbisetDetail,
    status: 201,
    sends: { ETag: true, Location: true },
    problems: ['defined_in_file', 'orbiset_exists', 'manifest_limit'],
    handle: async ({ body, principal }) => {
      const orbiset = checkedOrbiset({ ...body, tenant: body.tenant ?? principal.tenant });
      requireTenant(orbiset, principal);
      await changes.create(orbiset, principal);
      return shown(orbiset, orbisets, 201);
    },
  });

const replaceRoute = (changes: OrbisetChanges, orbisets: Orbisets): Route =>
  defineRoute({
    ...manages,
    ...byId,
    method: 'PUT',
    operationId: 'replaceOrbiset',
    summary: 'Replace an Orbiset; open runs keep the version that they started with',
    reads: ['If-Match', 'If-None-Match'],
    body: orbisetChange,
    response: orbisetDetail,
    sends: { ETag: true },
    problems: ['orbiset_not_found', 'defined_in_file', 'precondition_failed'],
    handle: async ({ params, body, principal, headers }) => {
      const before = changes.find(params.id, principal);
      const orbiset = checkedOrbiset({ ...body, id: body.id ?? before.id, tenant: body.tenant ?? before.tenant });
      refuseOther('id', orbiset.id, before.id);
      refuseOther('tenant', orbiset.tenant, before.tenant);
      await changes.replace(orbiset, principal, conditionOf(headers));
      return shown(orbiset, orbisets, 200);
    },
  });

const deleteRoute = (changes: OrbisetChanges): Route =>
  defineRoute({
    ...manages,
    ...byId,
    method: 'DELETE',
    operationId: 'deleteOrbiset',
    summary: 'Delete an Orbiset; its id stays reserved for its tenant',
    reads: ['If-Match'],
    problems: ['orbiset_not_found', 'defined_in_file', 'runs_open', 'precondition_failed'],
    handle: ({ params, principal, headers }) => changes.remove(params.id, principal, conditionOf(headers)),
  });

function shown(orbiset: Orbiset, orbisets: Orbisets, status: number): Reply {
  const { id } = orbiset;
  const headers = status === 201 ? { Location: `/orbisets/${id}` } : {};
  return shownManifest(orbiset, digestOf(orbiset), { status, headers, source: orbisets.sourceOf(id) });
}

function checkedOrbiset(manifest: Orbiset): Orbiset {
  const faults: string[] = [];
  const orbiset = createOrbiset(manifest, faults);
  // The route's schema is the same, except for the members filled in since.
  if (orbiset === undefined) throw new PlatformError('invalid_body', faults.join('; '));
  return orbiset;
}

function requireTenant(orbiset: Orbiset, principal: Principal): void {
  if (reachesOrbiset(orbiset, principal)) return;
  throw new PlatformError(
    'insufficient_scope',
    'a key can create Orbisets only for its own tenant; another tenant needs a key with `*`',
  );
}

function refuseOther(name: 'id' | 'tenant', value: string, stays: string): void {
  if (value !== stays) throw unfitMember(name, `must stay ${stays}`);
}
