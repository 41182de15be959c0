import type { Health, Platform } from '../../../kernel/index.ts';
import { services, statuses, worst, type ServiceName, type Status } from '../contract.ts';

// Services that depend on each component; a component that is not listed belongs to the runtime.
const above: Readonly<Record<string, readonly ServiceName[]>> = {
  // Without the store, runs and deliveries are refused; reputation is still shown from memory.
  store: ['runtime', 'ingestion'],
  ledger: ['reputation_ledger'],
  marketplace: ['reputation_ledger'],
  ingestion: ['ingestion'],
  observability: ['observable_engine'],
};

const words: Readonly<Record<Health, Status>> = {
  up: 'operational',
  unknown: 'operational',
  degraded: 'degraded_performance',
  down: 'major_outage',
};

/** One status per service. */
export type Services = Readonly<Record<ServiceName, Status>>;

/** A period with one status, half-open, ms since 1970; without `to` it is still open. */
export interface Span {
  readonly from: number;
  readonly to?: number;
  readonly status: Status;
}

/**
 * Computes the status of each service from the health of its components. A policy engine in trouble affects the
 * runtime.
 */
export function measured(components: ReturnType<Platform['components']>): Services {
  const found = Object.entries(components);
  return each((service) =>
    worst(
      found.filter(([name]) => (above[name] ?? ['runtime']).includes(service)).map(([, { health }]) => words[health]),
    ),
  );
}

/**
 * Folds what each node measured of itself: a service that all serve equally is as they say; one that only some serve well
 * is up, but degraded.
 */
export function folded(nodes: readonly Services[]): Services {
  return each((service) => {
    const found = nodes.map((own) => own[service]);
    const best = statuses.find((status) => found.includes(status)) ?? 'operational';
    return found.every((status) => status === best) ? best : worst([best, 'degraded_performance']);
  });
}

/**
 * Computes the status of the platform: a major outage of the runtime is a major outage, of another service a partial
 * one.
 */
export function platformStatus(found: Readonly<Record<ServiceName, Status>>): Status {
  if (found.runtime === 'major_outage') return 'major_outage';
  const all = worst(Object.values(found));
  return all === 'major_outage' ? 'partial_outage' : all;
}

/** Makes one value per service. */
export function each<T>(of: (service: ServiceName) => T): Readonly<Record<ServiceName, T>> {
  return Object.fromEntries(services.map((service) => [service, of(service)])) as Record<ServiceName, T>;
}
