import { GaveUp, type BoundedWaits } from '../../store/contract.ts';
import { PlatformError } from '../../error.ts';
import type { Route } from '../route/route.ts';
import { problemsOf } from '../route/route-problem.ts';

/**
 * Lets callers of routes that change something wait for some seconds only while the database is away. Routes that run
 * Orbs bound their waits themselves, since a provider may take longer. `waits`: absent for a store that never is away.
 */
export function boundedRoutes(routes: readonly Route[], waits: BoundedWaits | undefined): readonly Route[] {
  if (waits === undefined) return routes;
  return routes.map((route) => (changes(route) ? bounded(route, waits) : route));
}

function changes(route: Route): boolean {
  const runs = [route.scope].flat().includes('orbs:execute');
  return route.method !== 'GET' && !runs && problemsOf(route).includes('storage_unavailable');
}

function bounded<R extends Route>(route: R, waits: BoundedWaits): R {
  const inTime = <T>(answer: T | Promise<T>): T | Promise<T> =>
    answer instanceof Promise ? waits.wait(answer).catch(told) : answer;
  const { handleLarge } = route;
  return {
    ...route,
    handle: (call) => inTime(route.handle(call)),
    ...(handleLarge === undefined ? {} : { handleLarge: (bytes: Uint8Array) => inTime(route.handleLarge?.(bytes)) }),
  };
}

const mayBeDone = 'the database does not answer now; the change may or may not take effect: check before you repeat it';

function told(error: unknown): never {
  if (!(error instanceof GaveUp)) throw error;
  throw new PlatformError('storage_unavailable', mayBeDone, error.extensions, { cause: error });
}
