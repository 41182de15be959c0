import { openedOf } from './definition.ts';
import { sampleOf, testRoute, type TestScope } from './tests.ts';
import { notFound, type ProviderKeeper } from './keeper.ts';
import { problems } from './problems.ts';
import { changedProvider, providerParams, providerRequest, shownProvider } from './schema.ts';
import { secretsOf, withoutSecrets } from './secrets.ts';
import type { SealedRow } from './store.ts';
import { originOf } from '../runtime/contract.ts';
import { conditionOf, defineRoute, given, reply, type Reply, type Route, type Sealer } from '../../kernel/index.ts';

/** The dependencies of the routes. */
interface RoutesOptions extends TestScope {
  readonly keeper: ProviderKeeper;
  readonly sealer: Sealer;
}

const byName = { service: 'runtime', path: '/providers/{name}', params: providerParams } as const;
const changes = {
  ...byName,
  scope: 'providers:manage',
  live: true,
  keyAgain: true,
  response: changedProvider,
} as const;
const refusals = ['defined_in_file', 'provider_in_use', 'precondition_failed', 'storage_unavailable'] as const;

/** Answers `GET`, `PUT` and `DELETE /providers/{name}`, and `POST /providers/{name}/test`. */
export function providerRoutes(options: RoutesOptions): readonly Route[] {
  return [showRoute(options), putRoute(options), removeRoute(options), testRoute(options)];
}

const showRoute = (options: RoutesOptions): Route =>
  defineRoute({
    ...byName,
    method: 'GET',
    scope: 'providers:read',
    operationId: 'getProvider',
    summary: 'Show a provider, without its secrets',
    response: shownProvider,
    sends: { ETag: true },
    problems: [problems.provider_not_found],
    handle: async ({ params: { name } }) => {
      const row = await options.keeper.find(name);
      return reply({ body: shown(name, row, options), headers: tagOf(row) });
    },
  });

const putRoute = (options: RoutesOptions): Route =>
  defineRoute({
    ...changes,
    method: 'PUT',
    operationId: 'putProvider',
    summary: 'Add a provider to the store, or replace it, without a restart',
    reads: ['If-Match', 'If-None-Match'],
    body: providerRequest,
    also: [201],
    sends: { ETag: true },
    problems: [...refusals, problems.provider_limit, 'invalid_provider'],
    handle: async ({ params: { name }, body, principal, headers }): Promise<Reply> => {
      const { keeper } = options;
      const made = await keeper.put(name, body, { principal, condition: conditionOf(headers) });
      const row = await keeper.find(name);
      const found = options.runtime.desk().find(name);
      const warnings = found?.adapter.warningsOf?.(found.config as never) ?? [];
      const answer = { provider: shown(name, row, options), changes: made.changes, warnings };
      return reply({ status: made.added ? 201 : 200, body: answer, headers: tagOf(row) });
    },
  });

const removeRoute = ({ keeper }: RoutesOptions): Route =>
  defineRoute({
    ...byName,
    method: 'DELETE',
    scope: 'providers:manage',
    live: true,
    keyAgain: true,
    operationId: 'removeProvider',
    summary: 'Remove a provider from the store; one that serves an Orb cannot be removed',
    reads: ['If-Match'],
    problems: [...refusals, problems.provider_not_found],
    handle: async ({ params: { name }, principal, headers }) =>
      void (await keeper.remove(name, { principal, condition: conditionOf(headers) })),
  });

function tagOf(row: SealedRow | undefined): Readonly<Record<string, string>> {
  return row === undefined ? {} : { ETag: `"${row.tag}"` };
}

// A provider of the store that cannot be loaded is shown by its row alone.
function shown(name: string, row: SealedRow | undefined, options: RoutesOptions) {
  const { runtime, sealer } = options;
  const desk = runtime.desk();
  const found = desk.find(name);
  const active_for = desk.servedBy(name);
  const test = found && sampleOf(found, options);
  if (found !== undefined && originOf(found) === 'file') {
    const { adapter, config_digest, limits } = found;
    const { capability } = adapter;
    return {
      name,
      adapter: adapter.name,
      capability,
      origin: 'file' as const,
      config_digest,
      active_for,
      ...given({ limits, test }),
    };
  }
  if (row === undefined) throw notFound(name);
  const { adapter, changed_at, config_digest, receipt_id } = row;
  const used = desk.adapters.find((one) => one.name === adapter);
  const { config, limits } = openedOf(row, sealer);
  return {
    ...{ name, adapter, capability: used?.capability ?? '', origin: 'store' as const, config_digest, active_for },
    ...{ changed_at, receipt_id, ...given({ limits, test }) },
    ...(used && {
      config: withoutSecrets(config, used.config, () => undefined),
      secrets: [...secretsOf(config, used.config)],
    }),
  };
}
