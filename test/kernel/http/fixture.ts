import { EventEmitter, once } from 'node:events';
import { systemClock } from '../../../kernel/tools/clock.ts';
import type { Principal } from '../../../kernel/access.ts';
import { createHooks } from '../../../kernel/hooks.ts';
import type { Presentation } from '../../../kernel/http/route/presentation.ts';
import { defineRoute, reply, type Reply, type Route } from '../../../kernel/http/route/route.ts';
import { pageRoute } from './page-route.ts';
import { createHttp, type Http, type HttpOptions, type Listening } from '../../../kernel/http/server/server.ts';
import { createIds } from '../../../kernel/tools/id.ts';
import { createLog } from '../../../kernel/tools/log.ts';
import { problemTable } from '../../../kernel/problem-table.ts';
import { createMetrics, type Metrics } from '../../../kernel/tools/metrics.ts';
import { strictResponse } from '../../helpers/http.ts';
import { heldRoute } from './held-route.ts';
import { failure } from './failure.ts';

export const fullKey = 'orb_test_full';
export const poorKey = 'orb_test_poor';

const principal: Principal = { id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes: ['*'], mode: 'test' };
const principals = new Map<string, Principal>([
  [fullKey, principal],
  [poorKey, { ...principal, id: 'prn_2', scopes: ['orbs:execute:notify.*'] }],
]);

/** Everything a test holds of one HTTP side. */
export interface Fixture {
  readonly http: Http;
  readonly listening: readonly Listening[];
  /** Base URL of the first listener. */
  readonly base: string;
  readonly metrics: Metrics;
  /** Lines of the log, as text. */
  readonly lines: string[];
  /** `slow` when the slow route is reached, `gone` when its caller left; emit `release` to let it answer. */
  readonly signals: EventEmitter;
  /** Tokens the hook was asked about. */
  readonly asked: string[];
}

interface HttpFixture extends Partial<HttpOptions> {
  /** Shows pages. */
  readonly present?: (what: Presentation) => Reply;
  /** Routes before the samples. */
  readonly added?: readonly Route[];
}

/** Starts the sample routes on a free port of 127.0.0.1; every answer is held against its route's schema. */
export async function startHttp({ present, added = [], ...options }: HttpFixture = {}): Promise<Fixture> {
  const lines: string[] = [];
  const signals = new EventEmitter();
  const asked: string[] = [];
  const metrics = createMetrics();
  const hooks = createHooks({ failed: () => undefined });
  hooks.taps({ deciding: false }).authenticate.tap('test', ({ token }) => {
    asked.push(token);
    if (token === 'defect') throw new Error('the key store burnt down');
    return principals.get(token);
  });
  if (present !== undefined) hooks.taps({ deciding: false }).present.tap('test', present);
  const http = createHttp({
    routes: [...added, ...sampleRoutes(signals)],
    listen: [{ address: '127.0.0.1:0', services: ['runtime', 'ledger', 'policy', 'ingest'] }],
    problems: problemTable([]),
    trustProxy: [],
    insecureHttp: false,
    publicUrl: 'http://orb.test',
    hooks,
    metrics,
    log: createLog('debug', (line) => lines.push(line)),
    ids: createIds(systemClock),
    clock: systemClock,
    version: '1.2.3',
    checkResponse: strictResponse,
    ...options,
  });
  const listening = await http.start();
  return { http, listening, base: listening[0]?.url ?? '', metrics, lines, signals, asked };
}

const orbParams = {
  type: 'object',
  required: ['orb_id'],
  properties: { orb_id: { type: 'string', maxLength: 200, pattern: '^[a-z0-9.-]+@\\d+\\.\\d+\\.\\d+$' } },
} as const;

const echoBody = {
  $id: 'EchoRequest',
  type: 'object',
  additionalProperties: false,
  required: ['text'],
  properties: { text: { type: 'string', maxLength: 2_000_000 }, count: { type: 'integer', default: 1 }, any: {} },
} as const;

const echoed = {
  $id: 'Echoed',
  type: 'object',
  required: ['text', 'count'],
  properties: { text: { type: 'string' }, count: { type: 'integer' } },
} as const;

const idParams = { type: 'object', required: ['id'], properties: { id: { type: 'string', maxLength: 100 } } } as const;

const named = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } as const;

/** Sample routes of all services. */
export function sampleRoutes(signals: EventEmitter): readonly Route[] {
  return [...runtimeRoutes, ...ledgerRoutes, ...oddRoutes, slowRoute(signals), heldRoute];
}

const runtimeRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/health',
    service: 'shared',
    public: true,
    unlimited: true,
    summary: 'Liveness',
    response: { type: 'object', required: ['status'], properties: { status: { const: 'ok' } } },
    problems: [],
    handle: () => ({ status: 'ok' }),
  }),
  defineRoute({
    method: 'POST',
    path: '/echo/{id}',
    service: 'runtime',
    scope: 'orbs:read',
    summary: 'Echo a text',
    params: idParams,
    body: echoBody,
    response: echoed,
    problems: ['key_not_found'],
    handle: ({ body: { text, count = 0 } }) => ({ text, count }),
  }),
  defineRoute({
    method: 'GET',
    path: '/providers/{orb_id}/status',
    service: 'runtime',
    scope: 'orbs:execute',
    target: ({ params }) => params.orb_id,
    summary: 'Name an Orb',
    params: orbParams,
    response: { type: 'object', required: ['orb_id'], properties: { orb_id: { type: 'string' } } },
    problems: [],
    handle: ({ params: { orb_id } }) => ({ orb_id }),
  }),
];

const ledgerRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/list',
    service: 'ledger',
    public: true,
    summary: 'Page a list',
    query: {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        tier: { enum: ['gold', 'none'] },
      },
    },
    response: {
      $id: 'Page',
      type: 'object',
      required: ['limit'],
      properties: { limit: { type: 'integer' }, tier: { type: 'string' } },
    },
    problems: [],
    handle: ({ query }) => query,
  }),
  defineRoute({
    method: 'GET',
    path: '/things/{id}',
    service: 'ledger',
    scope: 'things:read',
    summary: 'Read a thing',
    params: idParams,
    response: named,
    problems: [],
    handle: ({ params }) => params,
  }),
  defineRoute({
    method: 'GET',
    path: '/things/special',
    service: 'ledger',
    scope: 'things:read',
    summary: 'Read the special thing',
    response: named,
    problems: [],
    handle: () => ({ id: 'the special one' }),
  }),
  pageRoute,
  defineRoute({
    method: 'GET',
    path: '/things/{id}/parts',
    service: 'ledger',
    scope: 'things:read',
    summary: 'Read the parts of a thing',
    params: idParams,
    response: named,
    problems: [],
    handle: ({ params }) => params,
  }),
  defineRoute({
    method: 'DELETE',
    path: '/things/{id}',
    service: 'ledger',
    scope: 'things:write',
    summary: 'Delete a thing',
    params: idParams,
    problems: [],
    handle: () => undefined,
  }),
];

const oddRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/badge',
    service: 'policy',
    public: true,
    summary: 'Read a badge',
    produces: 'image/svg+xml',
    problems: [],
    handle: () =>
      reply({
        status: 203,
        type: 'image/svg+xml',
        headers: { 'Cache-Control': 'max-age=60', ETag: '"1"' },
        body: '<svg/>',
      }),
  }),
  defineRoute({
    method: 'POST',
    path: '/created',
    service: 'policy',
    scope: 'policies:write',
    status: 201,
    summary: 'Create something',
    response: { type: 'object', required: ['made'], properties: { made: { type: 'boolean' } } },
    problems: [],
    handle: () => reply({ headers: { Location: '/created/1' }, body: { made: true } }),
  }),
  defineRoute({
    method: 'GET',
    path: '/fails/{id}',
    service: 'policy',
    public: true,
    unlimited: true,
    summary: 'Fail in one of many ways',
    params: idParams,
    response: named,
    problems: ['storage_unavailable'],
    handle: ({ params: { id } }) => failure(id),
  }),
  defineRoute({
    method: 'GET',
    path: '/whoami',
    service: 'ingest',
    public: true,
    unlimited: true,
    summary: 'Show what is known of the request',
    response: { type: 'object', properties: { ip: { type: 'string' }, principal: { type: 'string' } } },
    problems: [],
    handle: ({ client_ip, principal }) => ({ ip: client_ip, principal }),
  }),
];

function slowRoute(signals: EventEmitter): Route {
  return defineRoute({
    method: 'GET',
    path: '/slow',
    service: 'runtime',
    scope: 'orbs:read',
    summary: 'Answer when released',
    response: named,
    problems: [],
    handle: async ({ disconnected }) => {
      const released = once(signals, 'release');
      disconnected.addEventListener('abort', () => signals.emit('gone'));
      signals.emit('slow');
      await released;
      return { id: 'slow' };
    },
  });
}
