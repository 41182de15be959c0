import {
  defineRoute,
  exactly,
  optional,
  PlatformError,
  requireKey,
  timestamp,
  type Infer,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';
import type { StandingChange } from '../../ledger/contract.ts';
import { itemOf, listingItem } from '../listing/item.ts';
import { listingStatuses, type Entry, type Listing } from '../listing.ts';
import { ownedNamespace } from '../namespaces/ownership.ts';
import { neverPublished, problems } from '../problems.ts';
import type { MarketScope } from '../scope.ts';
import { attestListing, onNewest } from './attest-listing.ts';
import { refuseFaults } from './rules.ts';
import { orbId } from '../../runtime/contract.ts';

/** Schema of the body that changes the status of a listing. */
const statusRequest = exactly('ListingStatusRequest', {
  status: {
    enum: listingStatuses,
    description: '`active` and `deprecated` can be changed; `yanked` and `removed` are permanent',
  },
  reason: {
    type: 'string',
    minLength: 1,
    maxLength: 500,
    pattern:
      '^[^\\u0000-\\u001f\\u007f-\\u009f\u202a-\u202e\u2066-\u2069]*\\S[^\\u0000-\\u001f\\u007f-\\u009f\u202a-\u202e\u2066-\u2069]*$',
    description: 'Public, and recorded in a receipt',
    examples: ['replaced by 2.0.0'],
  },
  replacement: optional({ ...orbId, description: 'The Orb to use instead of a deprecated one' }),
  cause: optional({
    enum: ['legal', 'malware'],
    description: 'The reason for a removal; only the operator can remove',
  }),
});

/** The body that changes the status of a listing. */
export type StatusBody = Infer<typeof statusRequest>;

/** Makes the route that changes the status of a listing. */
export const statusRoute = (scope: MarketScope): Route =>
  defineRoute({
    method: 'PATCH',
    path: '/marketplace/orbs/{orb_id}/status',
    operationId: 'changeListingStatus',
    live: true,
    service: 'ledger',
    scope: 'marketplace:publish',
    summary: 'Deprecate, reactivate, yank or remove a published version',
    params: exactly({ orb_id: { type: 'string', maxLength: 200, description: 'Id of the Orb' } }),
    body: statusRequest,
    response: listingItem,
    problems: [
      problems.listing_not_found,
      'access_denied',
      'key_required',
      problems.listing_final,
      problems.listing_invalid,
      'storage_unavailable',
    ],
    async handle(call) {
      const { params, body, principal } = call;
      // What cannot be taken back.
      if (body.status === 'yanked' || body.status === 'removed') requireKey(call);
      return itemOf(await changeStatus(params.orb_id, body, principal, scope), scope.publicUrl);
    },
  });

/**
 * Changes the status of a listing, attested with its reason; an unchanged listing is returned as it is. Throws 404
 * `listing_not_found`, 403 for a listing of another tenant, 409 `listing_final`, 422 `listing_invalid`.
 */
export function changeStatus(
  orbId: string,
  body: StatusBody,
  principal: Principal,
  scope: MarketScope,
): Promise<Entry> {
  return scope.serial(() => onNewest(scope, () => change(orbId, body, principal, scope)));
}

async function change(orbId: string, body: StatusBody, principal: Principal, scope: MarketScope): Promise<Entry> {
  const { listings, reputation, clock } = scope;
  const before = (await listings.find(orbId))?.listing;
  if (before === undefined) throw neverPublished(orbId);
  await reputation.settled();
  ownedNamespace(before.namespace, principal, reputation);
  check(before, body, principal);
  const at = timestamp(clock.now());
  const signed = reputation.manifest(orbId)?.signed ?? before.manifest_signed;
  const after = changed(before, body, { at, day: reputation.snapshot()?.day ?? '', signed });
  if (after === undefined) return listings.entryOf(before, await listings.now());
  return attestListing(after, { facts: factsOf(after, body, principal) }, scope);
}

function check({ orb_id, status }: Listing, body: StatusBody, { scopes }: Principal): void {
  if (body.status === 'removed' && !scopes.includes('*'))
    throw new PlatformError('insufficient_scope', 'only the operator can remove a listing: the key needs *', {
      headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="*"' },
    });
  const errors = [
    ...((body.status === 'removed') === (body.cause !== undefined)
      ? []
      : [{ pointer: '#/cause', detail: 'is required for a removal, and only allowed there: legal or malware' }]),
    ...(body.replacement === undefined || body.status === 'deprecated'
      ? []
      : [{ pointer: '#/replacement', detail: 'is allowed only for a deprecation' }]),
    ...(body.replacement === orb_id ? [{ pointer: '#/replacement', detail: 'must be another Orb' }] : []),
  ];
  refuseFaults(errors);
  const final = status === 'removed' || (status === 'yanked' && body.status !== 'removed');
  if (final && status !== body.status)
    throw new PlatformError(problems.listing_final, `${orb_id} is permanently ${status}; publish a new version`);
}

/** Makes the listing after the change; undefined: nothing changes. */
function changed(
  before: Listing,
  { status, reason, replacement, cause }: StatusBody,
  { at, day, signed }: { readonly at: string; readonly day: string; readonly signed: boolean },
): Listing | undefined {
  const { status_message: _message, replacement: _replacement, ended_after: ended, ...kept } = before;
  const message = cause === undefined ? reason : `${cause}: ${reason}`;
  const same = status === before.status && (status === 'active' || message === before.status_message);
  if (same && replacement === before.replacement) return undefined;
  return {
    ...(status === 'removed' ? tombstoneOf(kept) : kept),
    status,
    // The key of the namespace may have changed since the publication.
    ...(status === 'active'
      ? { listed_at: at, listed_after: day, manifest_signed: signed }
      : { status_message: message }),
    ...(replacement === undefined ? {} : { replacement }),
    ...(status === 'active' ? {} : { ended_after: before.status === 'active' ? day : (ended ?? '') }),
    updated_at: at,
    revision: before.revision + 1,
  };
}

// Removes the texts of the publisher; the version and its status remain.
function tombstoneOf(listing: Listing): Listing {
  const { homepage: _homepage, license: _license, ...rest } = listing;
  return {
    ...rest,
    title: 'Removed',
    description: 'Removed by the operator.',
    readme: '',
    category: 'removed',
    tags: [],
  };
}

function factsOf(after: Listing, { reason, cause }: StatusBody, { id }: Principal): StandingChange['facts'] {
  return {
    change: after.status === 'active' ? 'published' : after.status,
    reason: cause === undefined ? reason : `${cause}: ${reason}`,
    principal: id,
    // Only a publication names the manifest.
    ...(after.status === 'active'
      ? { manifest_digest: after.manifest_digest, manifest_signed: after.manifest_signed }
      : {}),
  };
}
