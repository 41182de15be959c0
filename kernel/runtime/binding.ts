import type { FairQueue } from './fair-queue.ts';
import type { Generation } from './generation.ts';
import type { Provider } from '../loader.ts';
import type { Orb } from './orb.ts';
import type { ProviderHealth } from './provider-health.ts';
import type { Swap } from './swap-record.ts';

/** A provider's place in an Orb's order. Without a generation it could not be opened yet, or is draining. */
export interface Slot {
  readonly provider: Provider;
  readonly health: ProviderHealth;
  /** In front of the provider's concurrency; none without a limit. */
  readonly queue: FairQueue | undefined;
  generation: Generation | undefined;
}

/** Which providers serve one Orb now: the pointer that a swap changes. */
export interface Binding {
  readonly orb: Orb;
  /** The first is active. Replaced as a whole, never changed in place. */
  order: readonly Slot[];
  /** Names of the configured order: who stays as standby when a swap moves on. */
  configured: readonly string[];
  source: 'config' | 'swap';
  /** Generations that still finish runs. */
  readonly draining: Set<Generation>;
  /** The swap that has not switched yet: another one is refused while it runs. */
  swap: Swap | undefined;
  last_swap: Swap | undefined;
}
