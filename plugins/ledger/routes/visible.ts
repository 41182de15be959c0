import { exactly, holds, PlatformError } from '../../../kernel/index.ts';
import type { Caller } from '../certificate/routes/access.ts';
import type { ListingChange, NamespaceGrant } from '../contract.ts';
import { orbId, orbIdOrName, parseOrbId, type Catalog } from '../../runtime/contract.ts';

/** Path parameter of the routes that change one Orb. */
export const orbParams = exactly({ orb_id: { ...orbId, description: 'Id of the Orb' } });

/** Path parameter of the routes that read one Orb. */
export const readParams = {
  ...orbParams,
  properties: { orb_id: { ...orbIdOrName, description: 'Id of the Orb' } },
} as const;

/** The inputs for deciding who may see which part of an Orb. */
export interface Sight {
  readonly catalog: Catalog;
  /** Orbs that the log names. */
  readonly isNamed: (orbId: string) => boolean;
  readonly listing: (orbId: string) => ListingChange | undefined;
  readonly versionOf: (orbIdOrName: string) => string;
  readonly namespace: (name: string) => NamespaceGrant | undefined;
}

/**
 * Says whether the caller may see an Orb's reputation: anyone for a published one, otherwise only callers with a key.
 */
export function maySee(sight: Sight, orbId: string, { principal }: Caller): boolean {
  const listing = sight.listing(orbId);
  // A yanked Orb stays visible, so that callers can see its revoked certificate; a removed one is a tombstone.
  if (listing !== undefined && listing.state !== 'removed') return true;
  return principal !== undefined && (sight.isNamed(orbId) || sight.catalog.orbs.has(orbId));
}

/** Finds the requested Orb. Throws the same 404 when the caller may not see it as when it does not exist. */
export function visibleOrb(sight: Sight, orbIdOrName: string, caller: Caller): string {
  const orbId = sight.versionOf(orbIdOrName);
  if (maySee(sight, orbId, caller)) return orbId;
  throw new PlatformError(
    'orb_not_found',
    `there is no published Orb ${orbId}; to read an unpublished one, send a key`,
  );
}

/** Throws unless the caller may read an Orb's callers and entries: its namespace's tenant with the scope, or `*`. */
export function requireExport(sight: Sight, orbId: string, { principal }: Caller): void {
  if (principal === undefined)
    throw new PlatformError('unauthenticated', 'this request needs a key: send it as Authorization: Bearer <key>', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  if (holds(principal.scopes, '*')) return;
  const grant = sight.namespace(parseOrbId(orbId).namespace);
  const owns = grant?.state === 'granted' && grant.owner.tenant === principal.tenant;
  if (owns && holds(principal.scopes, 'reputation:export')) return;
  throw new PlatformError(
    'insufficient_scope',
    'the key needs the scope reputation:export, and the namespace of the Orb must be granted to its tenant; or `*`',
  );
}

/** Headers of an answer that is public, or that depends on the caller. */
export function caching({ principal }: Caller): Readonly<Record<string, string>> {
  if (principal !== undefined) return { 'Cache-Control': 'private, no-store', Vary: 'Authorization' };
  return { 'Cache-Control': 'public, max-age=60', Vary: 'Authorization', 'Access-Control-Allow-Origin': '*' };
}
