import type { OrderChange, ProviderOrders, TaggedOrder } from './orders.ts';
import { orderRequest, orderSchema } from './schema.ts';
import {
  conditionOf,
  defineRoute,
  exactly,
  reply,
  type Reply,
  type RequestInfo,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';

const shared = {
  service: 'runtime',
  path: '/providers/{orb_id}/order',
  params: exactly({ orb_id: { type: 'string', maxLength: 200, description: 'Id of the Orb' } }),
  response: orderSchema,
  sends: { ETag: true },
} as const;
const changes = { ...shared, scope: 'providers:manage', live: true, keyAgain: true, reads: ['If-Match'] } as const;
const refusals = ['orb_not_found', 'defined_in_file', 'precondition_failed', 'storage_unavailable'] as const;

/** Answers `GET`, `PUT` and `DELETE /providers/{orb_id}/order`. */
export function orderRoutes(orders: ProviderOrders): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      scope: 'providers:read',
      operationId: 'getProviderOrder',
      summary: 'Show in which order the providers of an Orb are tried',
      problems: ['orb_not_found'],
      handle: async ({ params }) => answerOf(await orders.read(params.orb_id)),
    }),
    defineRoute({
      ...changes,
      method: 'PUT',
      operationId: 'putProviderOrder',
      summary: 'Change which providers of an Orb stand by, and their order',
      body: orderRequest,
      problems: [...refusals, 'invalid_provider'],
      handle: async ({ params, body, ...call }) =>
        answerOf(await orders.put(params.orb_id, body.standbys, changeOf(call))),
    }),
    defineRoute({
      ...changes,
      method: 'DELETE',
      operationId: 'removeProviderOrder',
      summary: 'Use the default order of the providers of an Orb again',
      problems: refusals,
      handle: async ({ params, ...call }) => answerOf(await orders.remove(params.orb_id, changeOf(call))),
    }),
  ];
}

const answerOf = ({ body, tag }: TaggedOrder): Reply => reply({ body, headers: { ETag: `"${tag}"` } });

const changeOf = (call: Pick<RequestInfo, 'headers'> & { readonly principal: Principal }): OrderChange => ({
  principal: call.principal,
  condition: conditionOf(call.headers),
});
