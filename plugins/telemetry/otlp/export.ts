import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { every, within, type Log, type Metrics } from '../../../kernel/index.ts';
import type { ProviderSwapped, TracingPort } from '../../runtime/contract.ts';
import { openCollector, type Collector } from '../collector.ts';
import type { Settings } from '../settings.ts';
import { placeOf, runSpan, traceOfSwap } from '../spans.ts';
import { metricsOf } from './metrics.ts';
import { readSamples } from './samples.ts';
import { Told } from './told.ts';
import { hrTime, Traces, type SpanResult } from './traces.ts';

/** What the export works with. */
export interface ExportOptions {
  readonly version: string;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'show'>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly countSpans: (result: SpanResult, spans: number) => void;
  readonly countMetrics: (result: 'exported' | 'failed') => void;
}

/** What exports, until it is stopped. */
export interface Exporting {
  /** Null: no traces are exported. */
  readonly tracing: TracingPort | null;
  /** Takes a swap. */
  swapped(swap: ProviderSwapped): void;
  /** Exports the metrics for the last time, while all plugins still run that count. */
  close(): Promise<void>;
  /** Exports the spans that wait. Each takes less than a second, whatever the collector does. */
  stop(): Promise<void>;
}

const lastMs = 950;
const name = 'agent-orb-platform';

/** Begins to export. This file alone, with those that it imports, loads OpenTelemetry. */
export async function openExport(settings: Settings, options: ExportOptions): Promise<Exporting> {
  const { version } = options;
  const common = {
    resource: defaultResource().merge(resourceFromAttributes(settings.resource)),
    scope: { name, version },
  };
  const traces = settings.traces && (await openTraces(settings, options, common));
  const metrics = settings.metrics && (await openMetrics(settings, options, common));
  return {
    tracing: traces === undefined ? null : portOf(traces.traces, settings, options),
    swapped: (swap) => {
      const { span, ...of } = traceOfSwap(swap, options.now());
      traces?.traces.take(of, 1, () => span);
    },
    async close() {
      await within(lastMs, metrics?.stop()).catch(() => undefined);
    },
    async stop() {
      traces?.told.wake();
      await within(lastMs, traces?.traces.stop()).catch(() => undefined);
      await Promise.all([traces?.collector.close(), metrics?.collector.close()]);
    },
  };
}

function portOf(traces: Traces, { propagates }: Settings, { log, now }: ExportOptions): TracingPort {
  return {
    propagates,
    callOf: (run) => traces.callOf(placeOf(run)),
    ended(event, attempts, tell) {
      try {
        if (!traces.drops(event.traceparent, 1 + attempts))
          traces.take(placeOf(event), 1 + attempts, () => runSpan(tell(), now()));
      } catch (err) {
        // The run has its receipt, and its caller an answer.
        log.error({ err, run_id: event.run_id }, 'the trace of a run could not be made');
      }
    },
  };
}

interface Common {
  readonly resource: ReturnType<typeof resourceFromAttributes>;
  readonly scope: { name: string; version: string };
}

async function openTraces(settings: Settings, { countSpans, log }: ExportOptions, common: Common) {
  const { traces: target } = settings;
  if (target === undefined) return undefined;
  const collector = await openCollector(target);
  const told = new Told('traces', log);
  const serializer = target.json ? JsonTraceSerializer : ProtobufTraceSerializer;
  const traces = new Traces({
    ...{ ...settings, ...common, count: countSpans },
    async send(spans) {
      await told.rested();
      const answer = await told.about(target.origin, collector.send(bytesOf(serializer.serializeRequest(spans))));
      return rejectedOf(answer, serializer, spans.length);
    },
  });
  return { traces, collector, told };
}

async function openMetrics(settings: Settings, options: ExportOptions, common: Common) {
  const { metrics: target, metricsMs } = settings;
  if (target === undefined) return undefined;
  const { countMetrics, log, metrics } = options;
  const told = new Told('metrics', log);
  const collector: Collector = await openCollector(target);
  const serializer = target.json ? JsonMetricsSerializer : ProtobufMetricsSerializer;
  const startTime = hrTime(performance.timeOrigin);
  const send = async (): Promise<void> => {
    const measured = readSamples((await metrics.show()).text);
    const times = { startTime, endTime: hrTime(options.now()) };
    const bytes = bytesOf(serializer.serializeRequest(metricsOf(measured, { ...common, times })));
    await told.about(target.origin, collector.send(bytes)).then(
      () => countMetrics('exported'),
      () => countMetrics('failed'),
    );
  };
  const end = every(metricsMs, send, told.failed);
  const stop = async (): Promise<void> => {
    end();
    await send();
  };
  return { collector, stop };
}

function bytesOf(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Error('the export could not be written');
  return bytes;
}

interface Deserializer {
  deserializeResponse(data: Uint8Array): { readonly partialSuccess?: { readonly rejectedSpans?: unknown } };
}

// What a collector answers may be anything; it has taken the request.
function rejectedOf(answer: Uint8Array, serializer: Deserializer, most: number): number {
  if (answer.length === 0) return 0;
  try {
    const rejected = Number(serializer.deserializeResponse(answer).partialSuccess?.rejectedSpans ?? 0);
    return Number.isInteger(rejected) ? Math.min(Math.max(rejected, 0), most) : 0;
  } catch {
    return 0;
  }
}
