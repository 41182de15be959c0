import { within } from '../../tools/within.ts';
import { createListener } from './listener.ts';
import { sectionsOf, isWhole } from '../request/links.ts';
import type { Route, ServiceName } from '../route/route.ts';
import { refuseClashes } from '../request/router.ts';
import { problemRoute } from './routes.ts';
import { createSite, type HttpOptions } from '../request/site.ts';

export type { HttpOptions, ListenOptions } from '../request/site.ts';

/** The address and the services of a listener. */
export interface Listening {
  /** Base URL with the port taken, without a slash at the end. */
  readonly url: string;
  readonly services: readonly ServiceName[];
}

/** The HTTP side of the program. */
export interface Http {
  /** Opens all addresses, in the order of the options; when one fails, the others are closed again. */
  start(): Promise<readonly Listening[]>;
  /**
   * Takes no new connection, answers new requests on kept ones with 503 `draining`, waits up to `graceMs` for those in
   * flight, then cuts the connections. Liveness and readiness are answered until then.
   */
  drain(graceMs: number): Promise<void>;
  inFlight(): number;
  /** All routes that are served. */
  readonly routes: readonly Route[];
}

/** Creates the HTTP side: one Koa app per address. Throws when two routes clash, or a route or an option is faulty. */
export function createHttp(options: HttpOptions): Http {
  const site = createSite(options);
  const routes = [...options.routes, problemRoute(options.problems, options.hooks)];
  refuseClashes(routes);
  const listeners = options.listen.map((listen) => {
    const served: readonly ServiceName[] = [...listen.services, 'shared'];
    return {
      ...createListener(
        site,
        listen,
        routes.filter(({ service, whole }) => (whole === true ? isWhole(listen, options) : served.includes(service))),
        sectionsOf(options, listen, routes),
      ),
      services: served,
    };
  });
  let drained: Promise<void> | undefined;
  const drain = async (graceMs: number): Promise<void> => {
    site.draining = true;
    site.drain.abort();
    const closed = listeners.map((listener) => listener.refuse());
    await within(graceMs, site.traffic.idle(), () => undefined);
    for (const listener of listeners) listener.destroy();
    await site.bodies.stop();
    // A connection in its TLS handshake is not among those that can be cut, and holds nothing worth waiting for.
    await within<unknown>(1000, Promise.all(closed), () => undefined);
  };
  return {
    async start() {
      const started = await Promise.allSettled(listeners.map((listener) => listener.start()));
      const failed = started.find((result) => result.status === 'rejected');
      if (failed !== undefined) {
        await drain(0);
        throw failed.reason;
      }
      return started.map((result, index) => ({
        url: result.status === 'fulfilled' ? result.value : '',
        services: listeners[index]?.services ?? [],
      }));
    },
    drain: (graceMs) => (drained ??= drain(graceMs)),
    inFlight: () => site.traffic.inFlight(),
    routes,
  };
}
