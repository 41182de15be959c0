import { defineRoute, exactly, type Route } from '../../../kernel/index.ts';
import { itemOf, listingItem } from '../listing/item.ts';
import type { PublishScope } from './publisher.ts';
import { changeStatus, statusRequest } from './status-change.ts';
import { problems } from '../problems.ts';

/** Makes the route that deprecates, yanks and removes. */
export const statusRoute = (scope: PublishScope & { readonly publicUrl: string }): Route =>
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
      problems.listing_final,
      problems.listing_invalid,
      'storage_unavailable',
    ],
    handle: async ({ params: { orb_id }, body, principal }) =>
      itemOf(await changeStatus(orb_id, body, principal, scope), scope.publicUrl),
  });
