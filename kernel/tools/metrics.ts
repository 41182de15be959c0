import client, { type Metric } from '@prometheus-io/client';

type Labels = Readonly<Record<string, string | number>>;

// `inc` is cheap enough for the hot path.
interface Counter {
  inc(labels?: Labels, by?: number): void;
}

interface Histogram {
  observe(labels: Labels, seconds: number): void;
}

/** One value of a collected metric; `suffix` names a part of a histogram, whose buckets are cumulative. */
export interface Sample {
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly labels: Labels;
  /** In the unit that the name of the metric says. */
  readonly value: number;
}

/** Makes and shows metrics; names follow Prometheus (`orb_runs_total`). */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  histogram(name: string, help: string, labels?: readonly string[], buckets?: readonly number[]): Histogram;
  /** A value read when the metrics are shown. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Values counted elsewhere, read when the metrics are shown: for code too hot to count under labels. */
  collect(
    name: string,
    help: string,
    type: 'counter' | 'histogram' | 'gauge',
    read: () => readonly Sample[] | Promise<readonly Sample[]>,
  ): void;
  /** What is measured, sorted by name. */
  list(): readonly { readonly name: string; readonly type: string; readonly help: string }[];
  /** Prometheus text format 0.0.4. */
  show(): Promise<{ readonly type: string; readonly text: string }>;
}

interface Node {
  count: number | undefined;
  readonly next: Map<string | number, Node>;
}

// A tree of maps by the values of the labels, so that a run allocates neither a key nor a copy of the labels.
class Counts implements Counter {
  readonly #names: readonly string[];
  readonly #root: Node;

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#root = { count: names.length === 0 ? 0 : undefined, next: new Map() };
  }

  inc(labels: Labels = {}, by = 1): void {
    let node = this.#root;
    for (const name of this.#names) {
      const value = labels[name] ?? '';
      let next = node.next.get(value);
      if (next === undefined) node.next.set(value, (next = { count: undefined, next: new Map() }));
      node = next;
    }
    node.count = (node.count ?? 0) + by;
  }

  samples(): Sample[] {
    return [...this.#under(this.#root, 0, {})];
  }

  *#under({ count, next }: Node, depth: number, labels: Labels): Generator<Sample> {
    if (count !== undefined) yield { labels, value: count };
    for (const [value, node] of next)
      yield* this.#under(node, depth + 1, { ...labels, [this.#names[depth] ?? '']: value });
  }
}

// Metrics of the client library whose names promtool refuses.
const misnamed = [
  'orb_nodejs_active_handles_total',
  'orb_nodejs_active_requests_total',
  'orb_nodejs_active_resources_total',
  'orb_nodejs_eventloop_utilization_histogram',
  'orb_nodejs_eventloop_utilization_summary',
];
// Skip the two utilization metrics, which would be computed ten times a second without a reader.
const neverMs = 2 ** 31 - 1;

/** Creates a registry of its own, so that several kernels live in one process. */
export function createMetrics(): Metrics {
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry, prefix: 'orb_', eventLoopUtilizationTimeout: neverMs });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const collect: Metrics['collect'] = (name, help, type, read) => {
    const get = async () => ({
      name,
      help,
      type,
      values: (await read()).map(({ suffix = '', labels, value }) => ({ metricName: name + suffix, labels, value })),
    });
    // The registry uses only the name and `get` of a metric, and nothing else of the class.
    registry.registerMetric({ name, help, type, get } as unknown as Metric);
  };
  return {
    counter(name, help, labelNames = []) {
      const counts = new Counts(labelNames);
      collect(name, help, 'counter', () => counts.samples());
      return counts;
    },
    histogram(name, help, labelNames = [], buckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]) {
      const names = { name, help, labelNames: [...labelNames] };
      const histogram = new client.Histogram({ ...names, buckets: [...buckets], registers: [registry] });
      return { observe: (labels, seconds) => histogram.observe(labels, seconds) };
    },
    gauge: (name, help, read) => collect(name, help, 'gauge', async () => [{ labels: {}, value: await read() }]),
    collect,
    list: () =>
      registry
        .getMetricsAsArray()
        .map(({ name, type, help }) => ({ name, type: String(type), help }))
        .sort((one, other) => (one.name < other.name ? -1 : 1)),
    show: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
}
