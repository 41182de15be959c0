import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  definePlugin,
  exactly,
  operation,
  optional,
  timestamp,
  type Clock,
  type Store,
  grouped,
  integer,
} from '../../kernel/index.ts';
import {
  openOutbound,
  type Outbound,
  type OutboundOptions,
  openTargets,
  resolvePublic,
  systemResolve,
} from '../../kernel/outbound.ts';
import { incidents } from '../ingestion/contract.ts';
import { boundBacklogs } from './backlog.ts';
import { subscriptionCommands } from './commands.ts';
import { Deliverer } from './deliverer.ts';
import { Directory } from './directory.ts';
import { signingKey } from './message.ts';
import { Handover, outboxOf } from './outbox.ts';
import { problems } from './problems.ts';
import { keepCallbacks } from './retention.ts';
import { subscriptionRoutes } from './routes.ts';
import subscriptionStore, { type SubscriptionReads } from './store.ts';
import { runtime } from '../runtime/contract.ts';

const config = exactly({
  private_hosts: optional({
    type: 'array',
    maxItems: 100,
    default: [],
    description: 'Hosts that may have a private or local address; loopback hosts also without TLS',
    items: exactly({
      host: { type: 'string', maxLength: 255, pattern: '^[a-z0-9_.:\\[\\]-]+$', description: 'Exact name or address' },
      port: optional({ type: 'integer', minimum: 1, maximum: 65_535, description: 'Default: the port of the scheme' }),
    }),
  }),
  concurrency: optional(integer(1, 256, 16, 'Maximum number of concurrent callbacks')),
  per_host: optional(integer(1, 64, 2, 'Maximum number of concurrent callbacks to one host')),
  timeout_ms: optional(integer(100, 60_000, 15_000, 'Time limit of one attempt, from the DNS lookup to the response')),
  most_waiting: optional(
    integer(
      1,
      1_000_000,
      10_000,
      'Maximum number of waiting callbacks of a subscription; above it, the subscription is switched off',
    ),
  ),
  retention_days: optional(
    integer(7, 3650, 30, 'How many days the list of callbacks is kept; bodies are deleted after 7 days at the latest'),
  ),
});

/** Notifies subscribers of finished runs by signed callbacks (Standard Webhooks). */
export default definePlugin({
  name: 'subscriptions',
  config,
  ids: ['sub'],
  problems,
  scopes: { 'subscriptions:manage': { title: 'Manage subscriptions to finished runs; read their callbacks' } },
  requires: { runtime },
  uses: { incidents },
  commands: grouped(
    [{ name: 'subscriptions', task: 'run', summary: 'send the results of runs to a URL' }],
    subscriptionCommands,
  ),
  keeps: [
    {
      what: 'callbacks',
      tables: ['subscriptions_callbacks'],
      settings: ['retention_days'],
      advice: 'A body is deleted when it was delivered, or after seven days.',
    },
  ],
  store: subscriptionStore,
  async start(scope) {
    const { store, clock, hooks, platform, config: settings } = scope;
    const { runtime: runs } = scope.services;
    const { concurrency, per_host, timeout_ms, most_waiting, retention_days } = settings;
    const reads = store.reads(subscriptionStore);
    const targets = openTargets(settings.private_hosts);
    const key = await keyOf(store, clock, reads.key);
    const outbound = openLater({
      ...{ max_connections: per_host, connect_timeout_ms: timeout_ms, allow: targets },
      ...{ resolve: resolvePublic, resolve_exempt: systemResolve },
    });
    const directory = new Directory({
      ...scope,
      ...{ targets, reads },
      stored: await reads.subscriptions(),
      report: scope.services.incidents?.report,
    });
    const limits = { concurrency, per_host, timeout_ms, random: Math.random };
    const deliverer = new Deliverer({ ...scope, ...limits, reads, directory, outbound, targets, key });
    const stopWriting = platform.onReceipt(outboxOf({ ...scope, directory }));
    const stopChecking = runs.onCallbackAsked((asked) => directory.faultOf(asked));
    // One node delivers callbacks, counts waiting ones and deletes old ones.
    const onDeliverer = (begin: () => unknown) => store.peers.whenHeld('callbacks', begin);
    const role = onDeliverer(() => boundBacklogs({ ...scope, reads, directory, most: most_waiting }));
    const keeping = onDeliverer(() => keepCallbacks({ ...scope, reads, days: retention_days }));
    const handover = new Handover({ ...scope, role, deliverer, directory });
    handover.listen(hooks);
    const deliver = (): void => {
      directory.tellOff();
      deliverer.start();
    };
    hooks.ready.tap('subscriptions', () => void onDeliverer(deliver));
    const lists = store.awaitedReads(subscriptionStore);
    const wake = (id: string): void => handover.wake([id]);
    const publicKey = publicText(key);
    return {
      routes: subscriptionRoutes({ directory, catalog: runs.catalog, reads, lists, store, clock, publicKey, wake }),
      async stop() {
        for (const end of [stopWriting, stopChecking, role.stop, keeping.stop, () => handover.stop()]) void end();
        const ended = deliverer.stop();
        await outbound.close();
        await ended;
      },
    };
  },
});

// Use a separate key: receivers that verify callbacks trust it for nothing else.
async function keyOf(store: Store, clock: Clock, stored: SubscriptionReads['key']): Promise<KeyObject> {
  if ((await stored()) === undefined) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const sealed = store.sealer.seal('callback', privateKey.export({ format: 'der', type: 'pkcs8' }));
    await store.write([operation(subscriptionStore, 'keepKey', { sealed, created_at: timestamp(clock.now()) })]);
  }
  const sealed = await stored();
  if (sealed === undefined) throw new Error('the key that signs callbacks could not be stored');
  return signingKey(store.sealer.open('callback', sealed));
}

function publicText(key: KeyObject): string {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
}

// Opens the client with the first callback, so that a start does not load it.
function openLater(options: OutboundOptions): Pick<Outbound, 'request' | 'close'> {
  let client: Promise<Outbound> | undefined;
  return {
    request: async (request) => (await (client ??= openOutbound(options))).request(request),
    close: async () => (await client)?.close(),
  };
}
