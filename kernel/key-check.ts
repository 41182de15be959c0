import { unavailable } from './store/serving/pipeline.ts';
import type { Hooks } from './hooks.ts';
import type { OpenStore } from './store/serving/store.ts';

/**
 * Lets a node accept no key while others may have revoked it without its knowledge. A store that is a
 * file has no other nodes: its hooks are answered as they are.
 */
export function provenBy(
  { isCut, waits }: Pick<OpenStore, 'isCut' | 'waits'>,
  hooks: Pick<Hooks, 'authenticate' | 'explainCredential' | 'present'>,
): Pick<Hooks, 'authenticate' | 'explainCredential' | 'present'> {
  if (waits === undefined) return hooks;
  return {
    ...hooks,
    authenticate(credential) {
      if (isCut()) throw unavailable('this node has no connection to the database and cannot check the key; try again');
      return hooks.authenticate(credential);
    },
  };
}
