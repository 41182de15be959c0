/* eslint-disable @typescript-eslint/no-explicit-any -- requests of OTLP are read member by member */
import { expect } from 'chai';
import { gunzipSync } from 'node:zlib';
import { startVendor, type VendorReply, type VendorRequest, type VendorServer } from './vendor.ts';

/** A span as a collector gets it by OTLP in JSON. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code: number; readonly message?: string };
}

/** A metric as a collector gets it by OTLP in JSON. */
export interface OtlpMetric {
  readonly name: string;
  readonly type: 'sum' | 'gauge' | 'histogram';
  readonly monotonic: boolean;
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly asDouble?: number;
    readonly count?: number;
    readonly sum?: number;
    readonly bucketCounts?: readonly number[];
    readonly explicitBounds?: readonly number[];
  }[];
}

/** A collector on loopback that reads OTLP in JSON. */
export interface TestCollector {
  readonly vendor: VendorServer;
  readonly url: string;
  readonly spans: readonly OtlpSpan[];
  /** The metrics of the last request. */
  readonly metrics: readonly OtlpMetric[];
  /** Attributes of the resource. */
  readonly resource: Readonly<Record<string, unknown>>;
}

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

// opentelemetry.io/docs/specs/otlp/#otlphttp-request: method, path and content type.
function check({ headers, method, path }: VendorRequest): VendorReply | undefined {
  if (method !== 'POST') return { status: 405 };
  if (!/\/v1\/(?:traces|metrics)$/.test(path)) return { status: 404 };
  if (!['application/json', 'application/x-protobuf'].includes(headers['content-type'] ?? '')) return { status: 415 };
  return undefined;
}

/** Starts a collector. */
export async function startCollector(): Promise<TestCollector> {
  const vendor = await startVendor((request) => check(request) ?? { status: 200, body: {} });
  const requests = (kind: string): readonly Readonly<Record<string, any>>[] =>
    vendor.posts.filter(({ path }) => path.endsWith(kind)).map(bodyOf);
  return {
    vendor,
    url: vendor.url,
    get spans() {
      return requests('/v1/traces').flatMap(({ resourceSpans }) => resourceSpans.flatMap(spansOf));
    },
    get metrics() {
      const all = requests('/v1/metrics').at(-1)?.['resourceMetrics'] ?? [];
      return all.flatMap(({ scopeMetrics }: any) => scopeMetrics.flatMap(({ metrics }: any) => metrics.map(metricOf)));
    },
    get resource() {
      const [first] = requests('/v1/traces');
      return attributesOf(first?.['resourceSpans'][0].resource.attributes ?? expect.fail('no request'));
    },
  };
}

function bodyOf({ body, headers }: VendorRequest): Readonly<Record<string, any>> {
  const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
  return JSON.parse(plain.toString('utf8')) as Readonly<Record<string, any>>;
}

const spansOf = ({ scopeSpans }: any): readonly OtlpSpan[] =>
  scopeSpans.flatMap(({ spans }: any) =>
    spans.map((span: any) => ({
      ...span,
      attributes: attributesOf(span.attributes),
      events: span.events.map((event: any) => ({ ...event, attributes: attributesOf(event.attributes) })),
    })),
  );

function metricOf({ name, ...data }: any): OtlpMetric {
  const type = (['sum', 'gauge', 'histogram'] as const).find((one) => data[one] !== undefined) ?? expect.fail(name);
  const points = data[type].dataPoints.map((point: any) => ({ ...point, attributes: attributesOf(point.attributes) }));
  return { name, type, monotonic: data[type].isMonotonic === true, points };
}

function attributesOf(pairs: readonly Pair[] = []): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
