import { after, operation, type Held, type PluginScope } from '../../kernel/index.ts';
import subscriptionStore, { callbackTopic } from './store.ts';

interface HandoverOptions extends Pick<PluginScope<unknown, never>, 'store' | 'log'> {
  /** Of the node that delivers. */
  readonly role: Pick<Held, 'now'>;
  /** Checks for due callbacks of subscriptions, by id. */
  readonly deliverer: { wake(ids: readonly string[]): void };
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
