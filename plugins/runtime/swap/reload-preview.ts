import { fixed, readFile, type ReloadRouteOptions } from './reload-route.ts';
import { orderFor, sameProvider, type ConfiguredProviders } from '../provider/binding.ts';
import { originOf } from '../provider/stored.ts';
import { canonical, defineRoute, exactly, type Answered, type Route } from '../../../kernel/index.ts';
import type { Provider } from '../../../kernel/adapter.ts';

const change = { enum: ['added', 'changed', 'removed'], description: 'The change in the file' } as const;
const names = { type: 'array', items: { type: 'string' } } as const;

/** Schema of what a reload of platform.json would change; it has no value of a setting. */
export const configChanges = exactly('ConfigChanges', {
  providers: {
    type: 'array',
    description: 'Providers of the file that differ from those in use',
    items: exactly({
      provider: { type: 'string', description: 'Name of the provider' },
      change,
      adapter: { type: 'string', description: 'Name of the adapter, of a removed provider its last one' },
      members: {
        type: 'array',
        description: 'Settings that differ in a changed provider, secrets among them',
        items: exactly({ pointer: { type: 'string', description: 'JSON pointer in the provider' }, change }),
      },
    }),
  },
  orders: {
    type: 'array',
    description: 'Orbs whose order of providers differs',
    items: exactly({
      orb_id: { type: 'string', description: 'Id of the Orb' },
      before: { ...names, description: 'The order in use' },
      after: { ...names, description: 'The order after the reload' },
    }),
  },
  restart_required: { ...names, description: 'Changed settings that take effect after a restart' },
});

type Changes = Answered<typeof configChanges>;
type Member = Changes['providers'][number]['members'][number];

/** Answers `GET /config/changes`: what a reload would change, without changing anything. */
export function reloadPreviewRoute(options: ReloadRouteOptions): Route {
  return defineRoute({
    method: 'GET',
    path: '/config/changes',
    operationId: 'previewReload',
    service: 'runtime',
    scope: 'config:reload',
    summary: 'Show what a reload of platform.json would change; nothing is changed',
    response: configChanges,
    problems: ['invalid_configuration'],
    handle: () => changesOf(options),
  });
}

async function changesOf(options: ReloadRouteOptions): Promise<Changes> {
  const { bindings, configured, source } = options;
  const next = await readFile(options);
  const after = await source.joined({ providers: next.loaded.providers, order: next.config.bindings });
  const orders = [...bindings.all()].flatMap(({ configured: now, orb }) => {
    const then = orderFor(orb, after.providers, after.order);
    return canonical(now) === canonical(then) ? [] : [{ orb_id: orb.orb_id, before: now, after: then }];
  });
  return {
    providers: providerChanges(configured().providers, next.loaded.providers),
    orders: orders.sort((one, other) => (one.orb_id < other.orb_id ? -1 : 1)),
    restart_required: fixed(options, next),
  };
}

type Providers = ConfiguredProviders['providers'];

function providerChanges(inUse: Providers, after: Providers): Changes['providers'] {
  const before = new Map([...inUse].filter(([, provider]) => originOf(provider) === 'file'));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((provider): Changes['providers'] => {
    const [one, other] = [before.get(provider), after.get(provider)];
    const { name: adapter = '' } = (other ?? one)?.adapter ?? {};
    if (one === undefined) return [{ provider, change: 'added', adapter, members: [] }];
    if (other === undefined) return [{ provider, change: 'removed', adapter, members: [] }];
    if (sameProvider(one, other)) return [];
    const members = differing(settingsOf(one), settingsOf(other), '');
    // The files of an adapter outside the program can differ alone.
    const shown: readonly Member[] = members.length > 0 ? members : [{ pointer: '/adapter', change: 'changed' }];
    return [{ provider, change: 'changed', adapter, members: shown }];
  });
}

const settingsOf = ({ adapter, config, limits }: Provider): object => ({
  adapter: adapter.name,
  config: config ?? {},
  ...(limits && { limits }),
});

function differing(before: unknown, after: unknown, pointer: string): readonly Member[] {
  if (before === undefined) return [{ pointer, change: 'added' }];
  if (after === undefined) return [{ pointer, change: 'removed' }];
  if (canonical(before) === canonical(after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [{ pointer, change: 'changed' }];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return differing(before[name], after[name], at);
  });
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
