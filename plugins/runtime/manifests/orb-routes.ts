import { orbId, orbParams } from '../catalog/orb-id.ts';
import { orbManifest, type Orb } from '../catalog/orb.ts';
import { unknownOrb } from '../catalog/unknown-orb.ts';
import { manifestPage, shownManifest, source } from './change.ts';
import { orbOf, type OrbChanges } from './orb-changes.ts';
import type { Shelf } from './shelf.ts';
import { conditionOf, pageOf, defineRoute, type Reply, type Route, exactly, optional } from '../../../kernel/index.ts';
import { textOfCursor } from '../../../kernel/runner.ts';

const digest = {
  type: 'string',
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'SHA-256 of the manifest in canonical form (RFC 8785)',
} as const;

const orbSummary = exactly('Orb', {
  orb_id: { ...orbId, description: 'Id of the Orb' },
  title: { type: 'string', description: 'Title for people' },
  description: { type: 'string', description: 'Description for people' },
  capability: { type: 'string', description: 'The capability that a provider must offer' },
  effect: { ...orbManifest.properties.effect, description: 'The effect of a run' },
  action_class: { ...orbManifest.properties.action_class, description: 'Class of the action, for policies' },
  manifest_digest: digest,
  source,
});

/** Schema of an Orb. */
export const orbDetail = exactly('OrbDetail', {
  manifest: { ...orbManifest, description: 'The manifest as its author wrote it' },
  manifest_digest: digest,
  source,
});

/** Schema of a page of Orbs. */
export const orbPage = exactly('OrbList', {
  orbs: { type: 'array', description: 'By id', items: orbSummary },
  next_cursor: optional({ type: 'string', description: 'Cursor of the next page; absent on the last' }),
});

type Orbs = Shelf<Orb>;
type IsListed = (orbId: string) => boolean;

/** Answers `GET /orbs` and `GET`, `PUT` and `DELETE /orbs/{orb_id}`. */
export function orbRoutes(orbs: Orbs, changes: OrbChanges, isListed: IsListed): readonly Route[] {
  return [listOrbs(orbs, isListed), showOrb(orbs), putOrb(orbs, changes), deleteOrb(changes)];
}

const readsOrbs = { method: 'GET', service: 'runtime', scope: 'orbs:read' } as const;
const managesOrbs = {
  service: 'runtime',
  scope: 'orbs:manage',
  live: true,
  path: '/orbs/{orb_id}',
  params: orbParams,
} as const;

const listOrbs = (orbs: Orbs, isListed: IsListed): Route =>
  defineRoute({
    ...readsOrbs,
    path: '/orbs',
    operationId: 'listOrbs',
    summary: 'List the Orbs of the installation',
    query: { type: 'object', properties: manifestPage },
    response: orbPage,
    handle: ({ query: { limit = 100, cursor } }) => {
      const after = textOfCursor(cursor, new RegExp(orbId.pattern));
      const found = orbs.page(after, limit + 1, ({ orb_id }) => isListed(orb_id));
      const { items, ...next } = pageOf(found, limit, ({ orb_id }) => orb_id);
      return { orbs: items.map((orb) => summaryOf(orb, orbs)), ...next };
    },
  });

const showOrb = (orbs: Orbs): Route =>
  defineRoute({
    ...readsOrbs,
    path: '/orbs/{orb_id}',
    operationId: 'getOrb',
    summary: 'Show an Orb with its schemas',
    params: orbParams,
    response: orbDetail,
    sends: { ETag: true },
    problems: ['orb_not_found'],
    handle: ({ params }) => {
      const orb = orbs.items.get(params.orb_id);
      if (orb === undefined) throw unknownOrb(params.orb_id, orbs.items.keys());
      return shown(orb, orbs, 200);
    },
  });

const putOrb = (orbs: Orbs, changes: OrbChanges): Route =>
  defineRoute({
    ...managesOrbs,
    method: 'PUT',
    operationId: 'putOrb',
    summary: 'Add or change an Orb; a manifest that was used cannot change',
    reads: ['If-Match', 'If-None-Match'],
    body: orbManifest,
    response: orbDetail,
    also: [201],
    sends: { ETag: true },
    problems: [
      'defined_in_file',
      'manifest_used',
      'manifest_limit',
      'runs_open',
      'swap_in_progress',
      'precondition_failed',
    ],
    handle: async ({ params, body, principal, headers }) => {
      const orb = orbOf(body, params.orb_id);
      const made = await changes.put(orb, principal, conditionOf(headers));
      return shown(orb, orbs, made ? 201 : 200);
    },
  });

const deleteOrb = (changes: OrbChanges): Route =>
  defineRoute({
    ...managesOrbs,
    method: 'DELETE',
    operationId: 'deleteOrb',
    summary: 'Delete an Orb; its id stays reserved for the manifest that was used',
    reads: ['If-Match'],
    problems: ['orb_not_found', 'defined_in_file', 'runs_open', 'swap_in_progress', 'precondition_failed'],
    handle: ({ params, principal, headers }) => changes.remove(params.orb_id, principal, conditionOf(headers)),
  });

function summaryOf({ orb_id, manifest, digest: manifest_digest }: Orb, orbs: Orbs): object {
  const { title, description, capability, effect, action_class } = manifest;
  const said = { orb_id, title, description, capability, effect, action_class, manifest_digest };
  return { ...said, source: orbs.sourceOf(orb_id) };
}

function shown({ orb_id, manifest, digest }: Orb, orbs: Orbs, status: number): Reply {
  return shownManifest(manifest, digest, { status, source: orbs.sourceOf(orb_id) });
}
