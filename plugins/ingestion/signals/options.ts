import type { Clock, Ids, Log, Store } from '../../../kernel/index.ts';
import type { IngestMetrics } from '../intake/metrics.ts';
import type { DeliveryReads } from '../deliveries/reading.ts';
import type { SignalSink } from './signal.ts';
import type { Registry } from '../sources/registry.ts';
import type { NormaliserThread } from './normalise/normaliser-thread.ts';

/** What the pipeline works with. */
export interface PipelineOptions {
  readonly store: Store;
  readonly reads: DeliveryReads;
  readonly registry: Registry;
  readonly sink: SignalSink;
  readonly normaliser: NormaliserThread;
  readonly metrics: IngestMetrics;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** A delivery of a source has left the queue. */
  readonly finished: (sourceId: string) => void;
}
