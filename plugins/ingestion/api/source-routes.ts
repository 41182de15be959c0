import {
  defineRoute,
  exactly,
  given,
  idOfCursor,
  optional,
  pageOf,
  pageQuery,
  PlatformError,
  timestamp,
  type JsonSchema,
  type Route,
} from '../../../kernel/index.ts';
import { usageRow } from '../deliveries/usage.ts';
import { findSource } from '../sources/source-admin.ts';
import { healthOf, sourceHealth } from './health.ts';
import { changesSource, managed, readsSource, setupOf, setupSchema, type SourceRoutesScope } from './scope.ts';
import { secretRoutes } from './secret-routes.ts';
import { vendorsRoute } from './vendor-route.ts';
import type { LiveSource } from '../sources/registry.ts';
import { authOf } from '../sources/source.ts';
import type { SourceReads } from '../sources/store.ts';
import { randomUUID } from 'node:crypto';
import { authorize } from '../sources/auth/authenticate.ts';
import { receive, type Intake, type Received } from '../intake/receive.ts';
import { newSource, sourceChange, sourceSchema } from '../sources/settings/schema.ts';
import { problems } from '../problems.ts';

/** Schema of the response that creates a source: the only one that shows its token. */
export const createdSource = exactly('CreatedSource', {
  source: { ...sourceSchema, description: 'The source' },
  token: { type: 'string', description: 'Part of the URL; shown only here' },
  url: { type: 'string', description: 'URL for the vendor' },
  secret: optional({
    type: 'string',
    description: 'Shown only here; absent: the source has none, or the request set it',
  }),
  setup: { ...setupSchema, description: 'What to enter at the vendor' },
});

const sourcePage = exactly('SourcePage', {
  sources: { type: 'array', description: 'Oldest first', items: sourceSchema },
  next_cursor: optional({ type: 'string', description: 'Cursor of the next page; absent on the last' }),
});

const usageReport = exactly('SourceUsage', {
  usage: { type: 'array', description: 'Counts by day and name', items: usageRow },
});

const listQuery = { type: 'object', additionalProperties: false, properties: pageQuery } as const;

/** Makes the routes of `/sources`. */
export function sourceRoutes(scope: SourceRoutesScope): readonly Route[] {
  const [create, list, vendors] = [createRoute(scope), listRoute(scope), vendorsRoute(scope)];
  const others = [changeRoute(scope), removeRoute(scope), ...secretRoutes(scope), testRoute(scope), usageRoute(scope)];
  return [create, list, vendors, ...readRoutes(scope), ...others];
}

const createRoute = ({ admin, reads, publicUrl }: SourceRoutesScope): Route =>
  defineRoute({
    ...managed,
    method: 'POST',
    path: '/sources',
    operationId: 'createSource',
    live: true,
    summary: 'Create a source; only this answer shows its token and secret',
    body: newSource,
    response: createdSource,
    showsSecret: true,
    status: 201,
    async handle({ body }) {
      const { source, token, secret } = await admin.create(body);
      const url = `${publicUrl}/hooks/${token}`;
      const shown = body.secret === undefined && secret !== undefined ? { secret } : {};
      const setup = setupOf(source, { publicUrl, token, secret });
      return { source: await showSource(source, reads), token, url, ...shown, setup };
    },
  });

const listRoute = ({ intake, reads }: SourceRoutesScope): Route =>
  defineRoute({
    ...managed,
    method: 'GET',
    path: '/sources',
    operationId: 'listSources',
    summary: 'List sources, oldest first',
    query: listQuery,
    response: sourcePage,
    async handle({ query: { limit, cursor } }) {
      const after = idOfCursor(cursor, 'src_') ?? '';
      const found = intake.registry.all().filter(({ record }) => record.source_id > after);
      const { items, next_cursor } = pageOf(found.slice(0, limit + 1), limit, ({ record }) => record.source_id);
      const secrets = await reads.secretsOfEach(items.map(({ record }) => record.source_id));
      const sources = items.map((source, at) => shown(source, secrets[at] ?? []));
      return given({ sources, next_cursor });
    },
  });

type View = readonly [
  path: string,
  operationId: string,
  summary: string,
  schema: JsonSchema,
  show: (source: LiveSource) => object | Promise<object>,
];

function readRoutes({ intake, reads, deliveries, publicUrl }: SourceRoutesScope): readonly Route[] {
  const views: readonly View[] = [
    ['', 'getSource', 'Read a source', sourceSchema, (source) => showSource(source, reads)],
    [
      '/setup',
      'getSourceSetup',
      'Show what to enter at the vendor',
      setupSchema,
      (source) => setupOf(source, { publicUrl }),
    ],
    [
      '/health',
      'getSourceHealth',
      'Show the health of a source: last delivery, failures, staleness',
      sourceHealth,
      (source) => healthOf(source, deliveries, intake),
    ],
  ];
  return views.map(([path, operationId, summary, response, show]) =>
    defineRoute({
      ...readsSource,
      method: 'GET',
      path: `/sources/{source_id}${path}`,
      operationId,
      summary,
      response,
      handle: ({ params }) => show(findSource(intake.registry, params.source_id)),
    }),
  );
}

const changeRoute = ({ intake, admin, reads }: SourceRoutesScope): Route =>
  defineRoute({
    ...changesSource,
    method: 'PATCH',
    path: '/sources/{source_id}',
    operationId: 'changeSource',
    summary: 'Change a source; members in the body replace the old ones',
    body: sourceChange,
    response: sourceSchema,
    async handle({ params, body }) {
      return showSource(await admin.change(findSource(intake.registry, params.source_id), body), reads);
    },
  });

const removeRoute = ({ intake, admin }: SourceRoutesScope): Route =>
  defineRoute({
    ...changesSource,
    method: 'DELETE',
    path: '/sources/{source_id}',
    operationId: 'removeSource',
    summary: 'Delete a source and its secrets; its deliveries remain',
    handle: ({ params }) => admin.remove(findSource(intake.registry, params.source_id)),
  });

const busy = ['overloaded', 'storage_unavailable'] as const;
const trial = exactly('SourceTest', {
  delivery_id: { type: 'string', description: 'Id of the delivery' },
  status: { enum: ['accepted', 'duplicate'], description: '`duplicate`: it was received before' },
});

const testRoute = ({ intake }: SourceRoutesScope): Route =>
  defineRoute({
    ...changesSource,
    method: 'POST',
    path: '/sources/{source_id}/test',
    operationId: 'testSource',
    summary: "Send the vendor's signed example to the hook, marked as a test",
    response: trial,
    status: 202,
    problems: [problems.source_not_found, 'invalid_configuration', 'unauthenticated', ...busy],
    async handle({ params, client_ip }) {
      const { accepted } = await sendTrial(intake, findSource(intake.registry, params.source_id), client_ip);
      return { delivery_id: accepted.delivery_id, status: accepted.status };
    },
  });

const days = { type: 'integer', minimum: 1, maximum: 365, default: 30 } as const;
const usageQuery = exactly({ days: optional({ ...days, description: 'Number of days, today included' }) });

const usageRoute = ({ intake, deliveries, clock }: SourceRoutesScope): Route =>
  defineRoute({
    ...readsSource,
    method: 'GET',
    path: '/sources/{source_id}/usage',
    operationId: 'getSourceUsage',
    summary: 'Count analytics events by day and name',
    query: usageQuery,
    response: usageReport,
    async handle({ params, query }) {
      const { record } = findSource(intake.registry, params.source_id);
      const from = timestamp(clock.now() - (query.days - 1) * 86_400_000).slice(0, 10);
      return { usage: await deliveries.usage(record.source_id, from) };
    },
  });

/** Shows a source with its defaults; of its secrets only the numbers. */
async function showSource(source: LiveSource, reads: SourceReads): Promise<object> {
  return shown(source, await reads.secretsOf(source.record.source_id));
}

function shown({ record, view, created_at, updated_at }: LiveSource, secrets: readonly object[]): object {
  const { paused = false, ...rest } = record;
  const { policy, subjects } = view;
  const { may_name } = subjects;
  return { ...rest, auth: authOf(record), may_name, policy, paused, created_at, updated_at, secrets };
}

/** Signs the vendor's example with the newest secret and sends it through the intake, marked as a test. */
async function sendTrial(intake: Intake, source: LiveSource, address: string): Promise<Received> {
  const { vendor, settings, record } = source;
  const now = intake.clock.now();
  const { headers, body } = vendor.fixture(now, randomUUID());
  const raw = Buffer.from(body);
  const [newest] = intake.registry.secretsOf(record.source_id);
  const proof = authorize(vendor, raw, newest?.text, settings.auth, now);
  if (proof === undefined)
    throw new PlatformError(
      'invalid_configuration',
      'this server cannot sign as the vendor does, for example with a private key; send the test at the vendor',
    );
  const named =
    settings.delivery_header === undefined ? {} : { [settings.delivery_header.toLowerCase()]: randomUUID() };
  const arrival = { method: 'POST', headers: { ...headers, ...named, ...proof }, query: {}, raw } as const;
  return receive(intake, source, arrival, { address, test: true });
}
