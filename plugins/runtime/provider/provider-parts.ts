import type { Slot } from './binding.ts';
import { FairQueue } from './fair-queue.ts';
import { ProviderHealth } from './health.ts';
import { sentenceOf } from '../outcome/provider-failure.ts';
import { canonical, given, type Clock, type Health } from '../../../kernel/index.ts';
import type { Provider } from '../../../kernel/adapter.ts';

/** A change of the health of a provider; `detail`: the failure that it comes from, in words. */
export interface ProviderChange {
  readonly name: string;
  readonly from: Health;
  readonly to: Health;
  readonly reason: string;
  readonly detail?: string;
}

/** The dependencies of the parts. */
export interface ProviderPartsOptions {
  readonly clock: Clock;
  readonly onHealth: (change: ProviderChange) => void;
}

/** The parts that all slots of a provider share: its health, and its queue. */
export class ProviderParts {
  readonly #options: ProviderPartsOptions;
  readonly #health = new Map<string, ProviderHealth>();
  /** Health of providers by open incidents, by name; kept for later configurations. */
  readonly #reports = new Map<string, readonly ['degraded' | 'down', string]>();
  readonly #queues = new Map<string, { readonly limits: object; readonly queue: FairQueue }>();

  constructor(options: ProviderPartsOptions) {
    this.#options = options;
  }

  /** Returns the parts of a provider. */
  of(provider: Provider): Pick<Slot, 'health' | 'queue'> {
    return { health: this.healthOf(provider), queue: this.#queueOf(provider) };
  }

  /** Returns the health of a provider under its configuration, one for all its transports. */
  healthOf(provider: Provider): ProviderHealth {
    const key = `${provider.name} ${provider.config_digest}`;
    const known = this.#health.get(key);
    if (known !== undefined) return known;
    const { clock, onHealth } = this.#options;
    const health = new ProviderHealth(clock, (from, to, reason, failure) => {
      const detail = failure && sentenceOf(provider, failure);
      onHealth({ name: provider.name, from, to, reason, ...given({ detail }) });
    });
    const report = this.#reports.get(provider.name);
    if (report !== undefined) health.reported(...report);
    this.#health.set(key, health);
    return health;
  }

  /** Sets a provider's health by open incidents, under each of its configurations; `up` withdraws it. */
  report(name: string, health: 'up' | 'degraded' | 'down', reason: string): void {
    if (health === 'up') this.#reports.delete(name);
    else this.#reports.set(name, [health, reason]);
    for (const [key, known] of this.#health) if (key.startsWith(`${name} `)) known.reported(health, reason);
  }

  #queueOf({ name, limits }: Provider): FairQueue | undefined {
    if (limits === undefined) return undefined;
    const known = this.#queues.get(name);
    if (known !== undefined && canonical(known.limits) === canonical(limits)) return known.queue;
    const queue = new FairQueue({ ...limits, length: limits.queue }, this.#options.clock);
    this.#queues.set(name, { limits, queue });
    return queue;
  }
}
