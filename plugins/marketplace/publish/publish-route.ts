import { defineRoute, exactly, optional, reply, type Route } from '../../../kernel/index.ts';
import { itemOf, listingItem, type ListingItem } from '../listing/item.ts';
import { publishRequest } from './publish-request.ts';
import { problems } from '../problems.ts';
import type { MarketScope } from '../scope.ts';
import { publish, rehearse, type Published } from './publisher.ts';

const path = '/marketplace/orbs/publish';

type Answer = Pick<Published, 'status'> & { readonly item: ListingItem };

/** Makes the route that publishes an Orb. */
export const publishRoute = (scope: MarketScope): Route =>
  defineRoute({
    method: 'POST',
    path,
    operationId: 'publishOrb',
    live: true,
    service: 'ledger',
    scope: 'marketplace:publish',
    summary: 'Publish a version of an Orb: 201 if it is new, 200 if it is already published',
    query: exactly({
      dry_run: optional({ type: 'boolean', default: false, description: 'Check everything and change nothing' }),
    }),
    body: publishRequest,
    reads: ['Idempotency-Key'],
    response: listingItem,
    also: [201],
    sends: { Location: true, 'Idempotent-Replayed': true },
    problems: [
      ...(['orb_not_found', 'access_denied', problems.version_published, problems.listing_invalid] as const),
      ...(['idempotency_in_progress', 'idempotency_mismatch', 'policy_unavailable', 'storage_unavailable'] as const),
    ],
    async handle({ body, query, principal, client_ip, headers }) {
      const asked = { body, principal, client_ip };
      const shown = ({ status, entry }: Published): Answer => ({ status, item: itemOf(entry, scope.publicUrl) });
      if (query.dry_run) return shown(await rehearse(asked, scope)).item;
      const request = { principal: principal.id, method: 'POST', path, header: headers['idempotency-key'], body };
      const { answer, replayed } = await scope.runtime.once<Answer>(request, async (kept) =>
        shown(await publish(asked, scope, (published) => kept(shown(published)))),
      );
      return reply({
        status: answer.status,
        headers: {
          ...(answer.status === 201 ? { Location: locationOf(answer.item, scope.publicUrl) } : {}),
          ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}),
        },
        body: answer.item,
      });
    },
  });

function locationOf({ orb_id }: ListingItem, publicUrl: string): string {
  return `${publicUrl}/marketplace/orbs/${encodeURIComponent(orb_id)}`;
}
