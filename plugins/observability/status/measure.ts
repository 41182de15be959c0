import type { Health, Platform } from '../../../kernel/index.ts';
import { services, worst, type ServiceName, type Status } from '../contract.ts';

// Which services stand on which component; one that is not listed belongs to the runtime.
const above: Readonly<Record<string, readonly ServiceName[]>> = {
  // Without the store neither a run nor a delivery is taken; what is known of reputation is still shown.
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

/** Says how each service is by what its components measure of themselves. A policy engine in trouble colours the runtime. */
export function measured(components: ReturnType<Platform['components']>): Readonly<Record<ServiceName, Status>> {
  const found = Object.entries(components);
  return each((service) =>
    worst(
      found.filter(([name]) => (above[name] ?? ['runtime']).includes(service)).map(([, { health }]) => words[health]),
    ),
  );
}

/** Says how the platform is: a major outage of the runtime is one of the platform, any other a partial one. */
export function platformStatus(found: Readonly<Record<ServiceName, Status>>): Status {
  if (found.runtime === 'major_outage') return 'major_outage';
  const all = worst(Object.values(found));
  return all === 'major_outage' ? 'partial_outage' : all;
}

/** Makes one value per service. */
export function each<T>(of: (service: ServiceName) => T): Readonly<Record<ServiceName, T>> {
  return Object.fromEntries(services.map((service) => [service, of(service)])) as Record<ServiceName, T>;
}
