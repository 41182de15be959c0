import type { Health } from '../../../kernel/index.ts';
import type { Bindings } from '../provider/bindings.ts';
import type { Binding, Slot } from '../provider/binding.ts';

/** One configured provider as plugins see it. */
export interface ProviderView {
  readonly name: string;
  /** `email/smtp` */
  readonly adapter: string;
  readonly sandbox: boolean;
  /** The worse of the measured and the reported health. */
  readonly health: Health;
  /** Orbs whose order of providers names it. */
  readonly orbs: readonly string[];
  /** Orbs it serves now. */
  readonly active_for: readonly string[];
}

/** Lists every provider that is in an order, once. */
export function viewsOf(bindings: Bindings): readonly ProviderView[] {
  const views = new Map<string, ProviderView & { readonly orbs: string[]; readonly active_for: string[] }>();
  for (const { orb, order } of bindings.all())
    for (const [place, { provider, health }] of order.entries()) {
      const { name, adapter } = provider;
      const fresh = { name, adapter: adapter.name, sandbox: adapter.sandbox, health: health.health };
      const view = views.get(name) ?? { ...fresh, orbs: [], active_for: [] };
      view.orbs.push(orb.orb_id);
      if (place === 0) view.active_for.push(orb.orb_id);
      views.set(name, view);
    }
  return [...views.values()];
}

/** An Orb with a binding, and whether one of its providers can be called now, as far as measured. */
export interface OrbView {
  readonly orb_id: string;
  readonly usable: boolean;
}

/** Lists the Orbs with a binding. A standby of another kind (live, sandbox) than the active provider helps no run. */
export function orbViews(bindings: Iterable<Binding>): readonly OrbView[] {
  const views: OrbView[] = [];
  for (const { orb, order } of bindings)
    if (order.length > 0) views.push({ orb_id: orb.orb_id, usable: ofActiveKind(order).some(isUsable) });
  return views;
}

/** Those of an order that are of the same kind (live, sandbox) as the active provider. */
export function ofActiveKind(order: readonly Slot[]): readonly Slot[] {
  return order.filter(({ provider }) => provider.adapter.sandbox === order[0]?.provider.adapter.sandbox);
}

function isUsable({ generation, health }: Slot): boolean {
  return generation !== undefined && health.measured !== 'down' && health.breaker.state === 'closed';
}
