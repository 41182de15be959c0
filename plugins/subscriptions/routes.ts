import {
  defineRoute,
  exactly,
  given,
  idOfCursor,
  nextOf,
  operation,
  optional,
  pageQuery,
  PlatformError,
  reply,
  timestamp,
  type AwaitedReads,
  type Call,
  type Clock,
  type Principal,
  type Route,
  type Store,
} from '../../kernel/index.ts';
import { notFound, type Directory } from './directory.ts';
import { problems } from './problems.ts';
import subscriptionStore, { type StoredCallback, type SubscriptionReads } from './store.ts';
import { runCallback } from './webhook.ts';
import {
  callbackSchema,
  newSubscription,
  subscriptionSchema,
  type ShownCallback,
  type ShownSubscription,
  type Subscription,
} from './subscription.ts';
import { orbisetOf, orbisetParams, type Catalog } from '../runtime/contract.ts';

/** What the routes need. */
export interface RouteScope {
  readonly directory: Directory;
  readonly catalog: Catalog;
  readonly reads: Pick<SubscriptionReads, 'find'>;
  readonly lists: Pick<AwaitedReads<SubscriptionReads>, 'page'>;
  readonly store: Pick<Store, 'write'>;
  readonly clock: Pick<Clock, 'now'>;
  /** `whpk_` and 32 bytes in base64. */
  readonly publicKey: string;
  /** Checks for due callbacks of a subscription. */
  readonly wake: (id: string) => void;
}

const managed = { service: 'runtime', scope: 'subscriptions:manage' } as const;
const ofOrbiset = { ...managed, params: orbisetParams };
const params = exactly({ subscription_id: { type: 'string', maxLength: 64, description: 'Id of the subscription' } });
const ofOne = { ...managed, params, problems: [problems.subscription_not_found] } as const;
const secret = { type: 'string', description: 'The secret that signs callbacks; shown only in this response' } as const;

const created = exactly('CreatedSubscription', {
  subscription: { ...subscriptionSchema, description: 'The subscription' },
  secret,
});

/** Makes the routes of subscriptions. */
export function subscriptionRoutes(scope: RouteScope): readonly Route[] {
  const ofOne = [getRoute, changeRoute, deleteRoute, rotateRoute, callbacksRoute, redeliverRoute];
  return [createRoute, listRoute, ...ofOne, keysRoute].map((route) => route(scope));
}

const createRoute = ({ catalog, directory }: RouteScope): Route =>
  defineRoute({
    ...ofOrbiset,
    method: 'POST',
    path: '/orbisets/{id}/subscriptions',
    operationId: 'createSubscription',
    live: true,
    summary: 'Subscribe to finished runs; only this response shows the secret',
    body: newSubscription,
    response: created,
    showsSecret: true,
    webhooks: { runEnded: runCallback },
    status: 201,
    problems: ['orbiset_not_found', 'invalid_body', problems.subscription_limit],
    async handle({ params: { id }, body, principal }) {
      const { url, format = 'standard', ...rest } = body;
      const made = await directory.create(
        url,
        { ...rest, format },
        orbisetOf(catalog.orbisets, id, principal),
        principal,
      );
      return { subscription: shown(made), secret: made.secret };
    },
  });

const listRoute = ({ catalog, directory }: RouteScope): Route =>
  defineRoute({
    ...ofOrbiset,
    method: 'GET',
    path: '/orbisets/{id}/subscriptions',
    operationId: 'listSubscriptions',
    summary: 'List the subscriptions of an Orbiset, oldest first',
    response: exactly('Subscriptions', {
      subscriptions: { type: 'array', description: 'All subscriptions, at most 50', items: subscriptionSchema },
    }),
    problems: ['orbiset_not_found'],
    handle({ params: { id }, principal }) {
      const { id: orbiset, tenant } = orbisetOf(catalog.orbisets, id, principal);
      return { subscriptions: directory.of(orbiset, tenant).map(shown) };
    },
  });

const getRoute = ({ directory }: RouteScope): Route =>
  defineRoute({
    ...ofOne,
    method: 'GET',
    path: '/subscriptions/{subscription_id}',
    operationId: 'getSubscription',
    summary: 'Read a subscription',
    response: subscriptionSchema,
    handle: (call) => shown(own(directory, call)),
  });

const changeRoute = ({ directory, wake }: RouteScope): Route =>
  defineRoute({
    ...ofOne,
    method: 'PATCH',
    path: '/subscriptions/{subscription_id}',
    operationId: 'changeSubscription',
    live: true,
    summary: 'Pause a subscription, or make it active again',
    body: exactly('SubscriptionChange', {
      state: { enum: ['active', 'paused'], description: 'While paused, callbacks wait, for seven days at most' },
    }),
    response: subscriptionSchema,
    async handle(call) {
      const turned = await directory.turn(own(directory, call), call.body.state);
      wake(turned.subscription_id);
      return shown(turned);
    },
  });

const deleteRoute = ({ directory }: RouteScope): Route =>
  defineRoute({
    ...ofOne,
    method: 'DELETE',
    path: '/subscriptions/{subscription_id}',
    operationId: 'deleteSubscription',
    live: true,
    summary: 'Delete a subscription with its callbacks',
    handle: (call) => directory.remove(own(directory, call)),
  });

const rotateRoute = ({ directory }: RouteScope): Route =>
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/subscriptions/{subscription_id}/secret',
    operationId: 'rotateSubscriptionSecret',
    live: true,
    summary: 'Create a new secret; the previous one also signs for 24 hours',
    response: exactly('SubscriptionSecret', { secret }),
    showsSecret: true,
    status: 201,
    handle: async (call) => ({ secret: (await directory.rotate(own(directory, call))).secret }),
  });

const callbacksRoute = ({ directory, lists }: RouteScope): Route =>
  defineRoute({
    ...ofOne,
    method: 'GET',
    path: '/subscriptions/{subscription_id}/callbacks',
    operationId: 'listCallbacks',
    summary: 'List the callbacks of a subscription, newest first',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...pageQuery,
        state: { enum: ['waiting', 'delivered', 'dead'], description: 'Only callbacks in this state' },
      },
    } as const,
    response: exactly('CallbackPage', {
      callbacks: { type: 'array', description: 'The callbacks, newest first', items: callbackSchema },
      next_cursor: optional({ type: 'string', description: 'Cursor of the next page; absent on the last page' }),
    }),
    async handle(call) {
      const { limit, cursor, state } = call.query;
      const { subscription_id } = own(directory, call);
      const page = await lists.page({
        indexed: [{ where: 'subscriptions_callbacks.subscription_id = ?', values: subscription_id }],
        tried: [{ where: 'subscriptions_callbacks.state = ?', values: state }],
        ...{ before: idOfCursor(cursor, 'evt_'), limit },
      });
      return { callbacks: page.items.map(shownCallback), ...nextOf(page) };
    },
  });

const redeliverRoute = ({ directory, reads, store, clock, wake }: RouteScope): Route =>
  defineRoute({
    ...managed,
    params: exactly({
      ...params.properties,
      callback_id: { type: 'string', maxLength: 64, description: 'Id of the callback' },
    }),
    method: 'POST',
    path: '/subscriptions/{subscription_id}/callbacks/{callback_id}/redeliver',
    operationId: 'redeliverCallback',
    live: true,
    summary: 'Send a callback that was not accepted again, now',
    status: 202,
    problems: [problems.subscription_not_found, problems.callback_not_found, problems.callback_erased],
    async handle(call) {
      const { subscription_id } = own(directory, call);
      const { callback_id } = call.params;
      if ((await reads.find(callback_id))?.subscription_id !== subscription_id)
        throw new PlatformError(problems.callback_not_found, `${subscription_id} has no callback ${callback_id}`);
      const [count] = await store.write([operation(subscriptionStore, 'again', { callback_id, at: clock.now() })]);
      if (count === 0)
        throw new PlatformError(
          problems.callback_erased,
          'the callback was delivered, or is older than seven days; read the run with GET /runs',
        );
      wake(subscription_id);
      return reply({ status: 202 });
    },
  });

const keysRoute = ({ publicKey }: RouteScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/.well-known/callback-keys.json',
    operationId: 'getCallbackKeys',
    service: 'runtime',
    public: true,
    summary: 'List the public keys that verify callbacks (v1a)',
    response: exactly('CallbackKeys', {
      keys: {
        type: 'array',
        items: { type: 'string' },
        description: 'The public keys: `whpk_` and an Ed25519 public key in base64',
      },
    }),
    handle: () =>
      reply({
        headers: { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=3600' },
        body: { keys: [publicKey] },
      }),
  });

type Asking = Pick<Call<{ subscription_id: string }, never, never, Principal>, 'params' | 'principal'>;

function own(directory: Directory, { params: { subscription_id }, principal }: Asking): Subscription {
  const found = directory.find(subscription_id);
  if (found !== undefined && (principal.scopes.includes('*') || found.tenant === principal.tenant)) return found;
  throw notFound(subscription_id);
}

function shown(one: Subscription): ShownSubscription {
  const { subscription_id, orbiset_id, url, wish, state, reason, failing_since, created_at, created_by } = one;
  return {
    ...{ subscription_id, orbiset_id, url, ...wish, state, created_at, created_by },
    ...given({ reason, failing_since: timeOf(failing_since) }),
  };
}

function shownCallback({ subscription_id: _, made_at, last_at, due_at, ...rest }: StoredCallback): ShownCallback {
  return { ...rest, made_at: timestamp(made_at), ...given({ last_at: timeOf(last_at), next_at: timeOf(due_at) }) };
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : timestamp(ms);
}
