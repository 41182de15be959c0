import type { Operation } from '../../../kernel/index.ts';
import type { SourceView } from '../sources/schema.ts';
import type { AuthStrength, HintName, Severity, SignalState, SignalType, VendorName } from './words.ts';

/** One subject as the delivery names it: a claim, not yet held against `may_name`. */
export interface SubjectHint {
  readonly name: HintName;
  readonly value: string;
  /** `query`: of the hook's URL. `label`: of the payload. */
  readonly origin: 'query' | 'label';
  /** An outsider can write it (Sentry's tags, any URL query): a subject taken from it is never eligible. */
  readonly outsider: boolean;
}

/** One normalised event of one delivery. All times are RFC 3339 UTC with three decimals, so they sort as text. */
export interface Signal {
  /** `sig_<ulid>` */
  readonly signal_id: string;
  /** `dlv_<ulid>` */
  readonly delivery_id: string;
  /** `src_<ulid>` */
  readonly source_id: string;
  /** Unique per source: what makes the same delivery the same. */
  readonly delivery_key: string;
  /** Position in its delivery, from 0: (occurred_at, delivery_key, ordinal) is a total order within a source. */
  readonly ordinal: number;
  readonly type: SignalType;
  readonly vendor: VendorName;
  readonly vendor_event_id?: string;
  /** The vendor's own word for the event, e.g. `incident.triggered`. */
  readonly vendor_type: string;
  /** When it happened by the vendor's word, else when it was received. Never taken from an unsigned header alone. */
  readonly occurred_at: string;
  readonly received_at: string;
  readonly starts_at?: string;
  readonly ends_at?: string;
  readonly state: SignalState;
  readonly severity: Severity;
  /** The vendor's word, as it came. */
  readonly severity_text?: string;
  /** ≤ 200 characters. */
  readonly title: string;
  /** ≤ 2000 characters. */
  readonly summary?: string;
  readonly url?: string;
  /** Ties firing to resolved, in the vendor's words. */
  readonly episode_key: string;
  /** Identity of the alert: SHA-256 hex of (source_id, vendor, episode_key); never of state, severity, time or title. */
  readonly fingerprint: string;
  /** ≤ 64 pairs, name ≤ 64, value ≤ 256 characters. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** All subjects it names, in no order of preference. */
  readonly hints: readonly SubjectHint[];
  /** Some of its labels were written by outsiders: a subject found through an alias of a label is not eligible. */
  readonly outsider_labels: boolean;
  readonly value?: number;
  readonly run_id?: string;
  readonly traceparent?: string;
  /** Of this signal: only the first event of a Segment batch is signed. */
  readonly auth_strength: AuthStrength;
  /** `pagerduty.v1`, `header`, `url`, … */
  readonly auth_scheme: string;
  /** Number of the secret that fitted. */
  readonly secret_version?: number;
  /** Sender's signed clock minus ours. */
  readonly clock_skew_ms?: number;
  /** `sha256:<hex>` of the raw body as received. */
  readonly body_digest: string;
  /** The vendor left alerts of the group out: an absent alert says nothing. */
  readonly incomplete: boolean;
  readonly normalizer_version: number;
  /** Sent by POST /sources/{id}/test, or a vendor's test message: never opens an incident of its own accord. */
  readonly test: boolean;
}

/** Signals of one source that are recorded together, of one or several deliveries, in the order of acceptance. */
export interface SignalBatch {
  readonly source: SourceView;
  /** Without those of the type analytics. At most 500. */
  readonly signals: readonly Signal[];
  /** Ids of signals that a re-normalisation takes back in the same write; their alerts are folded without them. */
  readonly withdrawn: readonly string[];
}

/**
 * The border to incidents/. For each batch the pipeline awaits `takeSignals`, writes the signals, the end of the
 * deliveries and the answered operations as ONE write, then awaits `signalsTaken`, then goes on with the source's next
 * batch. So calls for one source (and for one fingerprint) never overlap and keep the order of acceptance; calls for
 * different sources may overlap.
 */
export interface SignalSink {
  /**
   * Answers the operations that must commit with the signals (e.g. upsert of the alert, mark of its key as due). Writes
   * nothing itself: when the write fails the same signals come again, under the same ids. A throw makes the delivery a
   * dead letter after three tries.
   */
  takeSignals(batch: SignalBatch): Promise<readonly Operation[]>;
  /**
   * The write is durable: fold, attest what changed. A rejection is logged and does not bring the batch back, since its
   * rows say what is due: `ready` of incidents catches up after a crash.
   */
  signalsTaken(batch: SignalBatch): Promise<void>;
  /** The same delivery came again (see `DeliveryReads.lastSeen`); told after the commit. */
  refreshed(delivery: { readonly delivery_id: string; readonly source_id: string; readonly at: string }): void;
}
