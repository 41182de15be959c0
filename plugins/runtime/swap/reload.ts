import { orderFor, sameProvider, type Binding, type ConfiguredProviders, type Reloaded } from '../provider/binding.ts';
import type { Bindings } from '../provider/bindings.ts';
import type { Swapper } from './swapper.ts';
import { type Principal, PlatformError } from '../../../kernel/index.ts';
import type { Provider } from '../../../kernel/adapter.ts';

/** What a reload renews providers with. */
interface Renewing {
  readonly bindings: Bindings;
  readonly swapper: Swapper;
  readonly principal: Principal;
}

/**
 * Applies a new configuration to every Orb. A provider whose configuration or secret changed gets a new generation by
 * the swapper, which proves it first; on failure the old one stays. No binding is written.
 */
export async function reloadProviders(
  { providers, order }: ConfiguredProviders,
  renewing: Renewing,
): Promise<readonly Reloaded[]> {
  const changes: Reloaded[] = [];
  const { bindings } = renewing;
  for (const binding of bindings.all()) {
    binding.configured = orderFor(binding.orb, providers, order);
    changes.push(...(await reloadActive(binding, providers, renewing)));
    changes.push(...(await bindings.reconcile(binding, providers)));
  }
  return changes;
}

async function reloadActive(
  binding: Binding,
  providers: ReadonlyMap<string, Provider>,
  { swapper, principal }: Renewing,
): Promise<Reloaded[]> {
  const active = binding.order[0]?.provider;
  const stays = binding.source === 'swap' && active !== undefined && providers.has(active.name);
  const target = providers.get((stays ? active.name : binding.configured[0]) ?? '');
  if (target === undefined || (active !== undefined && sameProvider(active, target))) return [];
  const { orb_id } = binding.orb;
  try {
    const { generation } = await swapper.renew(binding, target, principal);
    // The provider that a swap bound is no longer configured.
    if (!stays) binding.source = 'config';
    return [{ orb_id, provider: target.name, change: 'renewed', generation }];
  } catch (error) {
    if (error instanceof PlatformError)
      return [{ orb_id, provider: target.name, change: 'failed', reason: error.message }];
    throw error;
  }
}
