import type { Command } from '../../kernel/index.ts';
import { apiCommand, listing, pageOptions, record, optionsOf } from '../terminal/contract.ts';
import type { ShownCallback, ShownSubscription } from './subscription.ts';

const args = [{ name: 'subscription_id', description: 'sub_…, see: orb subscriptions list' }];
const route = '/subscriptions/{subscription_id}';
const orbisetArgs = [{ name: 'orbiset', description: 'Id of the Orbiset' }];

/** The commands `orb subscriptions …`. */
export const subscriptionCommands: readonly Command[] = [
  apiCommand<{ readonly subscription: ShownSubscription; readonly secret: string }>({
    path: 'subscriptions create',
    summary: 'send callbacks about finished runs to a URL; print the secret once',
    args: [...orbisetArgs, { name: 'url', description: 'URL to which callbacks are sent: https, a public address' }],
    options: optionsOf({
      '--type <type>': {
        description: 'run.completed, run.failed, run.denied, run.indeterminate; default: run.*',
        repeat: true,
      },
      '--orb <orb>': 'Only runs of this Orb',
      '--outputs': 'Include outputs in the body; the Orbiset must keep them',
      '--cloudevents': 'Send the body as CloudEvents',
    }),
    route: 'POST /orbisets/{orbiset}/subscriptions',
    body: ({ args: [, url], options: { type = ['run.*'], orb, outputs, cloudevents } }) => ({
      url,
      types: type,
      ...(orb === undefined ? {} : { filter: { orb_id: orb } }),
      ...(outputs === true ? { include: ['outputs'] } : {}),
      ...(cloudevents === true ? { format: 'cloudevents' } : {}),
    }),
    show: ({ subscription, secret }) =>
      record([
        ['subscription_id', subscription.subscription_id],
        ['secret', secret],
      ]),
    hint: () => 'Keep the secret now: it is not shown again.',
  }),
  apiCommand<{ readonly subscriptions: readonly ShownSubscription[] }>({
    path: 'subscriptions list',
    summary: 'list the subscriptions of an Orbiset',
    args: orbisetArgs,
    route: 'GET /orbisets/{orbiset}/subscriptions',
    show: ({ subscriptions }) =>
      listing(
        ['SUBSCRIPTION_ID', 'STATE', 'TYPES', 'URL'],
        subscriptions.map(({ subscription_id, state, types, url }) => [subscription_id, state, types.join(' '), url]),
      ),
  }),
  ...(['pause', 'resume'] as const).map((act) =>
    apiCommand<ShownSubscription>({
      path: `subscriptions ${act}`,
      summary: act === 'pause' ? 'pause a subscription; its callbacks wait' : 'resume a subscription',
      args,
      route: `PATCH ${route}`,
      body: () => ({ state: act === 'pause' ? 'paused' : 'active' }),
      show: ({ subscription_id, state }) => `${subscription_id} is ${state}`,
    }),
  ),
  apiCommand<{ readonly secret: string }>({
    path: 'subscriptions rotate',
    summary: 'create a new secret for a subscription; the previous one also signs for a day',
    args,
    route: `POST ${route}/secret`,
    show: ({ secret }) => secret,
    hint: () => 'Keep the secret now: it is not shown again.',
  }),
  apiCommand<object>({
    path: 'subscriptions delete',
    summary: 'delete a subscription with its callbacks',
    confirm: 'the subscription and its callbacks are deleted',
    args,
    route: `DELETE ${route}`,
    value: ({ args: [subscription_id] }) => ({ subscription_id, deleted: true }),
    show: (_, { args: [id] }) => `${id} is deleted`,
  }),
  apiCommand<{ readonly callbacks: readonly ShownCallback[] }>({
    path: 'subscriptions callbacks',
    summary: 'list the callbacks of a subscription',
    args,
    options: [{ flag: '--state <state>', description: 'waiting, delivered or dead' }, ...pageOptions],
    route: `GET ${route}/callbacks`,
    show: ({ callbacks }) =>
      listing(
        ['CALLBACK_ID', 'TYPE', 'RUN', 'STATE', 'TRIES', 'FAILURE'],
        callbacks.map((one) => [
          one.callback_id,
          one.type,
          one.run_id,
          one.state,
          String(one.tries),
          one.failure ?? '',
        ]),
      ),
  }),
  apiCommand<object>({
    path: 'subscriptions redeliver',
    summary: 'send a callback again that was not accepted',
    args: [...args, { name: 'callback_id', description: 'evt_…, see: orb subscriptions callbacks' }],
    route: `POST ${route}/callbacks/{callback_id}/redeliver`,
    value: ({ args: [, callback_id] }) => ({ callback_id, redelivered: true }),
    show: (_, { args: [, id] }) => `${id} is sent again`,
  }),
];
