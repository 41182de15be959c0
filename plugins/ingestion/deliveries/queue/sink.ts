import type { Operation } from '../../../../kernel/index.ts';
import type { Signal } from '../../signals/signal.ts';
import type { SourceView } from '../../sources/settings/schema.ts';

/** Signals of one source that are recorded together, from one or several deliveries, in the order of acceptance. */
export interface SignalBatch {
  readonly source: SourceView;
  /** Without signals of the type analytics. At most 500. */
  readonly signals: readonly Signal[];
  /** Ids of signals that a re-normalization withdraws in the same write; their alerts are folded without them. */
  readonly withdrawn: readonly string[];
}

/**
 * The interface to incidents/. For each batch the pipeline awaits `takeSignals`, writes the signals, the end of the
 * deliveries and the returned operations as ONE write, then awaits `signalsTaken`, then continues with the source's
 * next batch. So calls for one source (and for one fingerprint) never overlap and keep the order of acceptance; calls
 * for different sources may overlap.
 */
export interface SignalSink {
  /**
   * Returns the operations that must commit with the signals (e.g. upsert of the alert, marking its key as due). Writes
   * nothing itself: after a failed write the same signals come again with the same ids. After three tries that throw,
   * the delivery becomes a dead letter.
   */
  takeSignals(batch: SignalBatch): Promise<readonly Operation[]>;
  /**
   * Folds and attests after the write is durable. A rejection is logged and the batch is not repeated: its rows show
   * the open work, and `ready` of incidents catches up after a crash.
   */
  signalsTaken(batch: SignalBatch): Promise<void>;
  /** Called after the commit when the same delivery came again (see `DeliveryReads.namedBy`); never rejects. */
  refreshed(delivery: { readonly delivery_id: string; readonly source_id: string; readonly at: string }): Promise<void>;
}
