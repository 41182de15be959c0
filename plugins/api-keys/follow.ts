import { within, type Log, type Revocations, type Store } from '../../kernel/index.ts';
import type { Keyring } from './keyring.ts';
import { keyTopic, type KeyReads } from './store.ts';

// Below the two seconds after which a node that has not refreshed must stop serving.
const patienceMs = 1500;

/** Listeners that end work of callers whose key was revoked. */
export class RevokedListeners implements Revocations {
  readonly #log: Pick<Log, 'error' | 'warn'>;
  readonly #all = new Set<() => void | Promise<void>>();

  constructor(log: Pick<Log, 'error' | 'warn'>) {
    this.#log = log;
  }

  onRevoked(callback: () => void | Promise<void>): () => void {
    const own = (): void | Promise<void> => callback();
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  /** Tells all of them, and waits until they are done, a while at most. */
  async tell(): Promise<void> {
    const told = async (callback: () => void | Promise<void>): Promise<void> => {
      try {
        await callback();
      } catch (err) {
        this.#log.error({ err }, 'the server could not end the streams of a revoked key');
      }
    };
    const all = Promise.all([...this.#all].map(told));
    await within<unknown>(patienceMs, all, () =>
      this.#log.warn({}, 'the server still searches for streams of a revoked key'),
    );
  }
}

/** What following needs. */
interface KeyFollowOptions {
  readonly store: Pick<Store, 'peers'>;
  readonly reads: Pick<KeyReads, 'unrevokedOf'>;
  readonly keyring: Keyring;
  readonly revoked: RevokedListeners;
}

/** Accepts on this node the keys that other nodes make, and refuses those that they revoke. */
export function followKeys({ store, reads, keyring, revoked }: KeyFollowOptions): void {
  store.peers.follow(keyTopic, async (ids) => {
    const valid = await reads.unrevokedOf(ids);
    const kept = new Set(valid.map(({ key }) => key.key_id));
    const gone = ids.filter((id) => !kept.has(id));
    valid.forEach((one) => keyring.add(one));
    gone.forEach((id) => keyring.remove(id));
    if (gone.length > 0) await revoked.tell();
  });
}
