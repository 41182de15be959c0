import { within } from '../../tools/every.ts';
import { createListener } from './listener.ts';
import { isWhole, sectionsOf } from '../request/links.ts';
import { asksForPage } from '../route/negotiation.ts';
import { defineRoute, reply, type Route, type ServiceName } from '../route/route.ts';
import { refuseClashes } from '../request/router.ts';
import { createSite, type HttpOptions } from '../request/site.ts';
import { exactly } from '../../tools/schema.ts';
import { PlatformError } from '../../error.ts';
import type { ProblemTable } from '../../problem-table.ts';
import type { Hooks } from '../../hooks.ts';

export type { HttpOptions, ListenOptions } from '../request/site.ts';

/** The address and the services of a listener. */
export interface Listening {
  /** Base URL with the port taken, without a slash at the end. */
  readonly url: string;
  readonly services: readonly ServiceName[];
}

/** The HTTP side of the program. */
export type Http = ReturnType<typeof createHttp>;

/** Creates the HTTP side: one Koa app per address. Throws when two routes clash, or a route or an option is faulty. */
export function createHttp(options: HttpOptions) {
  const site = createSite(options);
  const routes: readonly Route[] = [...options.routes, problemRoute(options.problems, options.hooks)];
  refuseClashes(routes);
  const listeners = options.listen.map((listen) => {
    const services: readonly ServiceName[] = [...listen.services, 'shared'];
    const served = routes.filter(({ service, whole }) =>
      whole === true ? isWhole(listen, options) : services.includes(service),
    );
    return { ...createListener(site, listen, served, sectionsOf(options, listen, routes)), services };
  });
  let drained: Promise<void> | undefined;
  const drain = async (graceMs: number): Promise<void> => {
    site.drain.abort();
    const closed = listeners.map((listener) => listener.refuse());
    await within(graceMs, site.traffic.idle(), () => undefined);
    for (const listener of listeners) listener.destroy();
    await site.bodies.stop();
    // A connection in its TLS handshake is not among those that can be cut, and holds nothing worth waiting for.
    await within<unknown>(1000, Promise.all(closed), () => undefined);
  };
  return {
    /** Opens all addresses, in the order of the options; when one fails, the others are closed again. */
    async start(): Promise<readonly Listening[]> {
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
    /**
     * Takes no new connection, answers new requests on kept ones with 503 `draining`, waits up to `graceMs` for those in
     * flight, then cuts the connections. Liveness and readiness are answered until then.
     */
    drain: (graceMs: number): Promise<void> => (drained ??= drain(graceMs)),
    inFlight: () => site.traffic.inFlight(),
    /** All routes that are served. */
    routes,
  };
}

const problemPage = exactly('ProblemPage', {
  code: { type: 'string', description: 'Code of the problem' },
  status: { type: 'integer', description: 'HTTP status' },
  title: { type: 'string', description: 'Title of the problem' },
  retryable: { type: 'boolean', description: 'The same request may succeed later' },
});

const codeParams = exactly({
  code: {
    type: 'string',
    maxLength: 64,
    pattern: '^[a-z0-9_]+$',
    description: 'Code of a problem',
    examples: ['invalid_body'],
  },
});

/** Makes the route that explains each problem: its address is the type of the problem. */
export const problemRoute = (problems: ProblemTable, hooks?: Pick<Hooks, 'present'>): Route =>
  defineRoute({
    method: 'GET',
    path: '/problems/{code}',
    operationId: 'getProblem',
    service: 'shared',
    public: true,
    summary: 'Explain a problem code',
    params: codeParams,
    response: problemPage,
    problems: ['route_not_found'],
    forms: { 'text/html': { type: 'string' } },
    async handle({ params, headers: { accept } }) {
      const type = problems.get(params.code);
      if (type === undefined) throw new PlatformError('route_not_found', `no problem has the code ${params.code}`);
      const page = asksForPage(accept?.toString()) ? await hooks?.present({ kind: 'problem', type }) : undefined;
      if (page !== undefined) return page;
      const { code, status, title, retryable } = type;
      // A page of any site may read it.
      const headers = { 'Access-Control-Allow-Origin': '*', Vary: 'Accept' };
      return reply({ headers, body: { code, status, title, retryable } });
    },
  });
