import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type HrTime,
  type Tracer,
} from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type ReadableSpan,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { Settings } from '../settings.ts';
import type { SpanData, TraceData } from '../spans.ts';

/** What became of spans. */
export type SpanResult = 'exported' | 'rejected' | 'failed' | 'dropped';

/** What traces are exported with. */
export interface TracesOptions extends Pick<Settings, 'queue' | 'sampling'> {
  readonly resource: Resource;
  readonly scope: { readonly name: string; readonly version: string };
  /** Sends spans; resolves to the number that the collector rejected. */
  readonly send: (spans: ReadableSpan[]) => Promise<number>;
  readonly count: (result: SpanResult, spans: number) => void;
}

/** Makes spans by the SDK and gives them to a bounded queue. */
export class Traces {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #sampler: Sampler;
  readonly #sampling: Settings['sampling'];
  readonly #random = new RandomIdGenerator();
  // The ids of the span that is made next: those of runs follow from their ids.
  readonly #next = { trace: '', span: '' };
  readonly #most: number;
  readonly #count: TracesOptions['count'];
  // Spans in the queue.
  #waiting = 0;

  constructor({ count, queue, resource, sampling, scope, send }: TracesOptions) {
    this.#sampler = samplerOf(sampling);
    this.#sampling = sampling;
    this.#most = queue.most;
    this.#count = count;
    const next = this.#next;
    const processor = new BatchSpanProcessor({
      exporter: {
        export: (spans, done) => {
          this.#waiting -= spans.length;
          send(spans).then(
            (rejected) => {
              count('exported', spans.length - rejected);
              count('rejected', rejected);
              done({ code: ExportResultCode.SUCCESS });
            },
            (error: Error) => {
              count('failed', spans.length);
              done({ code: ExportResultCode.FAILED, error });
            },
          );
        },
        forceFlush: async () => undefined,
        shutdown: async () => undefined,
      },
      ...{ maxQueueSize: queue.most, maxExportBatchSize: queue.batch, scheduledDelayMillis: queue.delayMs },
    });
    this.#provider = new TracerProvider({
      ...{ resource, sampler: this.#sampler, spanProcessors: [processor] },
      idGenerator: { generateTraceId: () => next.trace, generateSpanId: () => next.span },
    });
    this.#tracer = this.#provider.getTracer(scope.name, scope.version);
  }

  /** Makes the traceparent of a call in a trace. */
  callOf(of: Pick<TraceData, 'parent' | 'trace_id'>): string {
    return `00-${of.trace_id}-${this.#random.generateSpanId()}-${this.#samples(of) ? '01' : '00'}`;
  }

  /**
   * Drops the trace of so many spans when it finds no place. While a collector is away this is asked of nearly every run:
   * the usual sampling needs no more of the traceparent than its last flag, which a server sets that begins a trace.
   */
  drops(traceparent: string | undefined, spans: number): boolean {
    if (this.#waiting + spans <= this.#most || !this.#sampling.parent || this.#sampling.root !== 1) return false;
    if (traceparent === undefined || (traceparent.charCodeAt(54) & 1) === 1) this.#count('dropped', spans);
    return true;
  }

  /** Takes a trace of so many spans, unless it is not sampled; one that finds no place is dropped, and not even made. */
  take(of: Pick<TraceData, 'parent' | 'trace_id'>, spans: number, make: () => SpanData): void {
    if (!this.#samples(of)) return;
    if (this.#waiting + spans > this.#most) return this.#count('dropped', spans);
    this.#waiting += spans;
    this.#next.trace = of.trace_id;
    this.#take(make(), contextOf(of));
  }

  // As the sampler decides, without a context for the usual cases: this is asked of every run.
  #samples(of: Pick<TraceData, 'parent' | 'trace_id'>): boolean {
    const { parent, root } = this.#sampling;
    if (parent && of.parent !== undefined) return of.parent.sampled;
    if (root === 0 || root === 1) return root === 1;
    const { decision } = this.#sampler.shouldSample(contextOf(of), of.trace_id, '', SpanKind.SERVER, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  #take(span: SpanData, parent: Context): void {
    const { attributes, children, events, failed, from, kind, name, span_id, to } = span;
    this.#next.span = span_id;
    const made = this.#tracer.startSpan(name, { kind: kinds[kind], startTime: hrTime(from), attributes }, parent);
    const context = trace.setSpan(ROOT_CONTEXT, made);
    for (const child of children) this.#take(child, context);
    for (const event of events) made.addEvent(event.name, event.attributes, hrTime(event.at));
    if (failed) made.setStatus({ code: SpanStatusCode.ERROR });
    made.end(hrTime(to));
  }

  /** Exports what waits. */
  async stop(): Promise<void> {
    // What could not be sent is counted.
    await this.#provider.shutdown().catch(() => undefined);
  }
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

function contextOf({ parent, trace_id: traceId }: Pick<TraceData, 'parent' | 'trace_id'>): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  const traceFlags = parent.sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parent.span_id, traceFlags, isRemote: true });
}

function samplerOf({ parent, root: ratio }: Settings['sampling']): Sampler {
  const root = ratio === 1 ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio);
  return parent ? new ParentBasedSampler({ root }) : root;
}

/** Times of the SDK: seconds, and nanoseconds. */
export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
