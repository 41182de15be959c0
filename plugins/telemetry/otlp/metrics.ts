import { ValueType, type HrTime } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type Histogram,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { Measured, Value } from './samples.ts';

/** When the values of metrics began to count, and now. */
export interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** Makes metrics of OpenTelemetry from those of `GET /metrics`: the same names and values. */
export function metricsOf(
  measured: readonly Measured[],
  {
    resource,
    scope,
    times,
  }: { readonly resource: Resource; readonly scope: { name: string; version: string }; readonly times: Times },
): ResourceMetrics {
  const metrics = measured.map((one) => metricOf(one, times)).filter(({ dataPoints }) => dataPoints.length > 0);
  return { resource, scopeMetrics: [{ scope, metrics }] };
}

function metricOf({ name, help, type, values }: Measured, times: Times): MetricData {
  const base = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === 'histogram')
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(name, values, times) };
  const dataPoints = values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  return type === 'counter'
    ? { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

// Buckets of Prometheus hold all values up to their bound, those of OpenTelemetry the values above the bound before.
function histogramsOf(name: string, values: readonly Value[], times: Times): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...series].map(([key, all]) => {
    const part = (suffix: string): number => all.find((one) => one.name === `${name}${suffix}`)?.value ?? 0;
    const buckets = all
      .filter((one) => one.name === `${name}_bucket`)
      .map(({ labels, value }) => ({ bound: labels['le'] === '+Inf' ? Infinity : Number(labels['le']), value }))
      .sort((one, other) => one.bound - other.bound);
    const counts = buckets.map(({ value }, at) => value - (buckets[at - 1]?.value ?? 0));
    const boundaries = buckets.map(({ bound }) => bound).filter(Number.isFinite);
    const value = { buckets: { boundaries, counts }, sum: part('_sum'), count: part('_count') };
    return { ...times, attributes: JSON.parse(key) as Record<string, string>, value };
  });
}
