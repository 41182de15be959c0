import { refusedAdapter } from './refusals.ts';
import { limits } from './schema.ts';
import type { ProviderDesk, Runtime } from '../runtime/contract.ts';
import { defineRoute, exactly, given, optional, type Route } from '../../kernel/index.ts';
import type { Adapter } from '../../kernel/adapter.ts';

const jsonSchema = { type: 'object', additionalProperties: true } as const;

/** Schema of the adapters, with all that a form for a provider needs. */
export const adapterList = exactly('AdapterList', {
  adapters: {
    type: 'array',
    description: 'By name',
    items: exactly('ListedAdapter', {
      name: { type: 'string', description: 'e.g. `email/smtp`' },
      capability: { type: 'string', description: 'Name of the capability' },
      about: optional({ type: 'string', description: 'What it does' }),
      sandbox: { type: 'boolean', description: 'Whether nothing leaves the machine' },
      refused: optional({ type: 'string', description: 'Why a provider of the store cannot have it' }),
      config: { ...jsonSchema, description: 'JSON Schema of its settings; `secret: true` marks secrets' },
    }),
  },
  limits: { ...jsonSchema, description: 'JSON Schema of the limits of a provider' },
  private_hosts: {
    type: 'array',
    description: 'Hosts with private addresses that providers of the store may reach',
    items: exactly({
      host: { type: 'string', description: 'Name or address' },
      port: optional({ type: 'integer', description: 'Absent: every port' }),
    }),
  },
});

/** The dependencies of the route. */
interface AdapterRouteOptions {
  readonly private_hosts: readonly { readonly host: string; readonly port?: number | undefined }[];
  readonly runtime: Pick<Runtime, 'desk'>;
}

/** Answers `GET /adapters`: what a provider can be made of, and what only platform.json can use. */
export const adapterRoute = ({ private_hosts, runtime }: AdapterRouteOptions): Route =>
  defineRoute({
    method: 'GET',
    path: '/adapters',
    operationId: 'listAdapters',
    service: 'runtime',
    scope: 'providers:read',
    summary: 'List the adapters with their settings, and those that only platform.json can use',
    response: adapterList,
    handle: () => ({
      adapters: [...shownAdapters(runtime.desk())].sort((one, other) => (one.name < other.name ? -1 : 1)),
      limits,
      private_hosts: private_hosts.map((one) => given(one)),
    }),
  });

function shownAdapters({ adapters, providers }: ProviderDesk) {
  const own = new Map(providers.map(({ adapter }) => [adapter.name, adapter]));
  for (const { name } of adapters) own.delete(name);
  return [
    ...adapters.map((adapter) => shown(adapter, refusedAdapter(adapter.name))),
    ...[...own.values()].map((adapter) => shown(adapter, ownAdapter(adapter.name))),
  ];
}

const ownAdapter = (name: string): string =>
  `${name} can only be used in platform.json: it is an adapter of your own, which platform.json names`;

const shown = ({ about, capability, config, name, sandbox }: Adapter, refused: string | undefined) => ({
  ...{ name, capability, sandbox, config },
  ...given({ about, refused }),
});
