import { PlatformError } from './error.ts';
import type { HttpOptions } from './http/request/site.ts';
import { problemsOf } from './http/route/route-problem.ts';
import type { Route } from './http/route/route.ts';
import { GaveUp, type BoundedWaits } from './store/contract.ts';
import { unavailable } from './store/serving/pipeline.ts';
import type { OpenStore } from './store/serving/store.ts';

/**
 * Lets a node accept no key while others may have revoked it without its knowledge. A store that is a file has no other
 * nodes: its hooks are answered as they are.
 */
export function provenBy(
  { isCut, waits }: Pick<OpenStore, 'isCut' | 'waits'>,
  hooks: HttpOptions['hooks'],
): HttpOptions['hooks'] {
  if (waits === undefined) return hooks;
  return {
    ...hooks,
    authenticate(credential) {
      if (isCut()) throw unavailable('this node has no connection to the database and cannot check the key; try again');
      return hooks.authenticate(credential);
    },
  };
}

/**
 * Lets callers of routes that change something wait for some seconds only while the database is away. Routes that run
 * Orbs bound their waits themselves, since a provider may take longer. `waits`: absent for a store that never is away.
 */
export function boundedRoutes(routes: readonly Route[], waits: BoundedWaits | undefined): readonly Route[] {
  if (waits === undefined) return routes;
  const inTime = <T>(answer: T | Promise<T>): T | Promise<T> =>
    answer instanceof Promise ? waits.wait(answer).catch(told) : answer;
  return routes.map((route) => {
    const runs = [route.scope].flat().includes('orbs:execute');
    if (route.method === 'GET' || runs || !problemsOf(route).includes('storage_unavailable')) return route;
    const { handleLarge } = route;
    return {
      ...route,
      handle: (call) => inTime(route.handle(call)),
      ...(handleLarge && { handleLarge: (bytes: Uint8Array) => inTime(handleLarge(bytes)) }),
    };
  });
}

const mayBeDone = 'the database does not answer now; the change may or may not take effect: check before you repeat it';

function told(error: unknown): never {
  if (!(error instanceof GaveUp)) throw error;
  throw new PlatformError('storage_unavailable', mayBeDone, error.extensions, { cause: error });
}
