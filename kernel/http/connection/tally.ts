import type { Metrics, Sample } from '../../tools/metrics.ts';

const bounds = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10] as const;

/** Counts the answers of one route as plain numbers, so that a request looks up no metric by its labels. */
export interface Tally {
  /** The path as declared. */
  readonly route: string;
  count(status: number, seconds: number): void;
}

/** Makes tallies and shows all of them as `orb_http_requests_total` and `orb_http_request_seconds`. */
export interface Tallies {
  /** Makes the tally of one route and method. `route` is the path as declared. */
  of(route: string, method: string): Tally;
}

interface Counts {
  readonly route: string;
  readonly method: string;
  readonly statuses: Map<number, number>;
  /** Not cumulative; the last one has no upper bound. */
  readonly buckets: number[];
  sum: number;
}

/** Registers the two metrics of HTTP. */
export function createTallies(metrics: Metrics): Tallies {
  const all = new Map<string, Counts>();
  metrics.collect('orb_http_requests_total', 'Requests answered', 'counter', () => [...all.values()].flatMap(requests));
  // An unused route has no series: ten for each such route would be most of the data of a scrape.
  metrics.collect('orb_http_request_seconds', 'Time from the headers of a request to its answer', 'histogram', () =>
    [...all.values()].filter(({ statuses }) => statuses.size > 0).flatMap(durations),
  );
  return {
    of(route, method) {
      const key = `${method} ${route}`;
      const counts = all.get(key) ?? {
        route,
        method,
        statuses: new Map(),
        buckets: bounds.map(() => 0).concat(0),
        sum: 0,
      };
      all.set(key, counts);
      return { route, count: (status, seconds) => add(counts, status, seconds) };
    },
  };
}

function add(counts: Counts, status: number, seconds: number): void {
  counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1);
  counts.sum += seconds;
  let bucket = 0;
  while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket += 1;
  counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
}

function requests({ route, method, statuses }: Counts): Sample[] {
  return [...statuses].map(([status, value]) => ({ labels: { route, method, status }, value }));
}

function durations({ route, method, buckets, sum }: Counts): Sample[] {
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
