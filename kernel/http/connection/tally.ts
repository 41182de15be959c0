import type { Metrics, Sample } from '../../tools/metrics.ts';

const bounds = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10] as const;

/** Counts the answers of one route as plain numbers, so that a request looks up no metric by its labels. */
export class Tally {
  /** The path as declared. */
  readonly route: string;
  readonly method: string;
  readonly statuses = new Map<number, number>();
  /** Not cumulative; the last one has no upper bound. */
  readonly buckets: number[] = bounds.map(() => 0).concat(0);
  sum = 0;

  constructor(route: string, method: string) {
    this.route = route;
    this.method = method;
  }

  count(status: number, seconds: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.sum += seconds;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket += 1;
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
  }
}

/** Registers the two metrics of HTTP, which show all tallies. */
export function createTallies(metrics: Metrics) {
  const all = new Map<string, Tally>();
  metrics.collect('orb_http_requests_total', 'Requests answered', 'counter', () => [...all.values()].flatMap(requests));
  // An unused route has no series: ten for each such route would be most of the data of a scrape.
  metrics.collect('orb_http_request_seconds', 'Time from the headers of a request to its answer', 'histogram', () =>
    [...all.values()].filter(({ statuses }) => statuses.size > 0).flatMap(durations),
  );
  return {
    /** Finds the tally of one route and method. `route` is the path as declared. */
    of(route: string, method: string): Tally {
      const key = `${method} ${route}`;
      const tally = all.get(key) ?? new Tally(route, method);
      all.set(key, tally);
      return tally;
    },
  };
}

function requests({ route, method, statuses }: Tally): Sample[] {
  return [...statuses].map(([status, value]) => ({ labels: { route, method, status }, value }));
}

function durations({ route, method, buckets, sum }: Tally): Sample[] {
  let total = 0;
  const cumulative = [...bounds, '+Inf'].map((le, index) => {
    total += buckets[index] ?? 0;
    return { suffix: '_bucket', labels: { route, method, le }, value: total } as const;
  });
  return [
    ...cumulative,
    { suffix: '_sum', labels: { route, method }, value: sum },
    { suffix: '_count', labels: { route, method }, value: total },
  ];
}
