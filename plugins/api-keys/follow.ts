import { createListeners, within, type Log, type Store } from '../../kernel/index.ts';
import type { Revocations } from '../runtime/contract.ts';
import type { Keyring } from './keyring.ts';
import { keyTopic, type KeyReads } from './store.ts';

// Below the two seconds after which a node that has not refreshed must stop serving.
const patienceMs = 1500;

/** Listeners that end work of callers whose key was revoked. */
export type RevokedListeners = ReturnType<typeof createRevokedListeners>;

/** Makes an empty list of such listeners. */
export function createRevokedListeners(log: Pick<Log, 'error' | 'warn'>) {
  const under = new Set<Promise<void>>();
  const failed = (err: unknown): void => log.error({ err }, 'the server could not end the streams of a revoked key');
  const listeners = createListeners(failed);
  const onRevoked: Revocations['onRevoked'] = (callback) =>
    listeners.add(() => {
      const work = Promise.resolve(callback())
        .catch(failed)
        .finally(() => under.delete(work));
      under.add(work);
    });
  return {
    onRevoked,
    /** Tells all of them, and waits until they are done, a while at most. */
    async tell() {
      listeners.tell();
      await within<unknown>(patienceMs, Promise.all(under), () =>
        log.warn({}, 'the server still searches for streams of a revoked key'),
      );
    },
  };
}

/** Accepts on this node the keys that other nodes make, and refuses those that they revoke. */
export function followKeys(
  store: Pick<Store, 'peers'>,
  reads: Pick<KeyReads, 'unrevokedOf'>,
  { keyring, revoked }: { readonly keyring: Keyring; readonly revoked: RevokedListeners },
): void {
  store.peers.follow(keyTopic, async (ids) => {
    const valid = await reads.unrevokedOf(ids);
    const kept = new Set(valid.map(({ key }) => key.key_id));
    const gone = ids.filter((id) => !kept.has(id));
    valid.forEach((one) => keyring.add(one));
    gone.forEach((id) => keyring.remove(id));
    if (gone.length > 0) await revoked.tell();
  });
}
