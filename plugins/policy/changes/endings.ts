import { after, createSerial, operation, type Operation, type PluginScope } from '../../../kernel/index.ts';
import policyStore from '../store.ts';
import type { SettleArgs } from '../revisions/activations.ts';

type Scope = Pick<PluginScope<unknown, never>, 'store' | 'log'>;

const retryMs = 1000;

/**
 * Notes in the store how activations ended. What the store refuses is tried again in the same order, every second, until
 * it is taken: a row that stays pending would decide after the next start.
 */
export class Endings {
  readonly #scope: Scope;
  readonly #owed: Operation[] = [];
  readonly #serial = createSerial();
  #stopRetrying = (): void => undefined;
  #stopped = false;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Notes that the folder holds a revision. Resolves also when the store refuses that for now. */
  settle(args: SettleArgs): Promise<void> {
    return this.#note(operation(policyStore, 'settle', args));
  }

  /** Notes that a revision did not become active. Resolves also when the store refuses that for now. */
  withdraw(digest: string): Promise<void> {
    return this.#note(operation(policyStore, 'withdraw', { digest }));
  }

  /** Writes what the store has refused so far. Rejects while it still refuses. */
  written(): Promise<void> {
    return this.#serial(() => this.#write());
  }

  /** Tries a last time. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopRetrying();
    await this.written().catch(() => undefined);
  }

  async #note(ending: Operation): Promise<void> {
    this.#owed.push(ending);
    try {
      await this.written();
    } catch (err) {
      this.#scope.log.error({ err }, 'the result of a policy activation could not be stored; the server tries again');
      this.#retry();
    }
  }

  #retry(): void {
    this.#stopRetrying();
    if (this.#stopped) return;
    this.#stopRetrying = after(
      retryMs,
      () => this.written(),
      () => this.#retry(),
    );
  }

  async #write(): Promise<void> {
    for (let [next] = this.#owed; next !== undefined; [next] = this.#owed) {
      await this.#scope.store.write([next]);
      this.#owed.shift();
    }
  }
}
