import subscriptionStore from './store.ts';
import {
  after,
  operation,
  type Held,
  type Ids,
  type Operation,
  type PluginScope,
  type ReceiptWrites,
  type Store,
} from '../../kernel/index.ts';
import type { Directory } from './directory.ts';
import { bodyOf, runEndOf, type RunEnd } from './message.ts';
import { callbackTopic, type NewCallback } from './store.ts';
import { wants, type Subscription } from './subscription.ts';
import { runSettled, type AttestedRun, type KnownFact } from '../runtime/contract.ts';

interface OutboxOptions {
  readonly directory: Pick<Directory, 'of'>;
  readonly store: Pick<Store, 'installation' | 'sealer'>;
  readonly ids: Ids;
}

const none: readonly Operation[] = Object.freeze([]);

/** Makes the rows of callbacks in the same commit as the receipt of the run, so that no finished run lacks them. */
export function outboxOf(options: OutboxOptions): ReceiptWrites {
  return (given, receiptId, summary) => {
    const fact = given as KnownFact;
    if (fact.kind !== 'run' && fact.kind !== 'resolution') return none;
    if (!('orbiset_id' in fact) || fact.tenant === undefined) return none;
    // An Orbiset may have been given to another tenant.
    const concerned = options.directory.of(fact.orbiset_id, fact.tenant);
    if (concerned.length === 0) return none;
    const end = runEndOf(fact, receiptId, summary as Omit<AttestedRun, 'signature_valid'> | undefined);
    if (end === undefined) return none;
    const named = 'callback' in fact ? fact.callback?.subscription_id : undefined;
    return concerned.flatMap((one) => {
      if (one.state === 'off') return none;
      const asked = one.subscription_id === named || wants(one, end.type, end.orb_id);
      if (asked) return operation(subscriptionStore, 'enqueue', rowOf(one, end, options));
      // Receivers of an indeterminate run get a second callback when it is resolved.
      return fact.kind === 'run' ? none : operation(subscriptionStore, 'enqueueTold', rowOf(one, end, options));
    });
  };
}

function rowOf(subscription: Subscription, end: RunEnd, { ids, store }: OutboxOptions): NewCallback {
  const { subscription_id } = subscription;
  const callback_id = ids('evt');
  const body = bodyOf(end, subscription, { id: callback_id, source: `urn:agent-orb:${store.installation}` });
  const made_at = Date.parse(end.at);
  return {
    ...{ callback_id, subscription_id, run_id: end.run_id, type: end.type, state: 'waiting', tries: 0, made_at },
    due_at: made_at,
    body: store.sealer.seal('callback', Buffer.from(body)),
  };
}

interface HandoverOptions extends Pick<PluginScope<unknown, never>, 'store' | 'log'> {
  /** Of the node that delivers. */
  readonly role: Pick<Held, 'now'>;
  /** Checks for due callbacks of subscriptions, by id. */
  readonly deliverer: { wake(ids: readonly string[]): void };
  readonly directory: Pick<Directory, 'of'>;
}

// Each notification is a write, so one covers many callbacks.
const pauseMs = 250;

/**
 * Hands due callbacks to the node that delivers all callbacks, so that a receiver gets them from one node and in order.
 */
export class Handover {
  readonly #options: HandoverOptions;
  readonly #told = new Set<string>();
  #stopTelling: (() => void) | undefined;

  constructor(options: HandoverOptions) {
    this.#options = options;
    const { deliverer, role, store } = options;
    store.peers.follow(callbackTopic, (ids) => {
      if (role.now) deliverer.wake(ids);
    });
  }

  /** Hands over the callbacks of each run that ends. */
  listen(hooks: PluginScope<unknown, never>['hooks']): void {
    hooks.of(runSettled).tap('subscriptions', ({ orbiset_id, tenant }) => {
      const concerned = this.#options.directory.of(orbiset_id, tenant);
      if (concerned.length > 0) this.wake(concerned.map(({ subscription_id }) => subscription_id));
    });
  }

  /** Notifies the delivering node soon that subscriptions have due callbacks. */
  wake(ids: readonly string[]): void {
    if (this.#options.role.now) return this.#options.deliverer.wake(ids);
    for (const id of ids) this.#told.add(id);
    const failed = (err: unknown): void =>
      this.#options.log.warn({ err }, 'another node could not be notified of callbacks; it finds them within seconds');
    this.#stopTelling ??= after(pauseMs, () => this.#tell(), failed);
  }

  stop(): void {
    this.#stopTelling?.();
  }

  async #tell(): Promise<void> {
    this.#stopTelling = undefined;
    const ids = [...this.#told];
    this.#told.clear();
    await this.#options.store.write([operation(subscriptionStore, 'tellDue', { ids })]);
  }
}
