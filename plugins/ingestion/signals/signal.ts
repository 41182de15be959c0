import type { AuthStrength, HintName, Severity, SignalState, SignalType, VendorName } from './words.ts';

/** One subject that the delivery names: a claim, not yet checked against `may_name`. */
export interface SubjectHint {
  readonly name: HintName;
  readonly value: string;
  /** `query`: from the hook's URL. `label`: from the payload. */
  readonly origin: 'query' | 'label';
  /** An outsider can write it (Sentry's tags, any URL query): a subject taken from it is never eligible. */
  readonly outsider: boolean;
}

/** One normalized event of one delivery. All times are RFC 3339 UTC with three decimals, so they sort as text. */
export interface Signal {
  /** `sig_<ulid>` */
  readonly signal_id: string;
  /** `dlv_<ulid>` */
  readonly delivery_id: string;
  /** `src_<ulid>` */
  readonly source_id: string;
  /** Identity of the delivery, unique per source. */
  readonly delivery_key: string;
  /** Position in its delivery, from 0: (occurred_at, delivery_key, ordinal) is a total order within a source. */
  readonly ordinal: number;
  readonly type: SignalType;
  readonly vendor: VendorName;
  readonly vendor_event_id?: string;
  /** The vendor's name of the event, e.g. `incident.triggered`. */
  readonly vendor_type: string;
  /** Time of the event according to the vendor, else the time of receipt. Never taken from an unsigned header alone. */
  readonly occurred_at: string;
  readonly received_at: string;
  readonly starts_at?: string;
  readonly ends_at?: string;
  readonly state: SignalState;
  readonly severity: Severity;
  /** The vendor's severity word, unchanged. */
  readonly severity_text?: string;
  /** ≤ 200 characters. */
  readonly title: string;
  /** ≤ 2000 characters. */
  readonly summary?: string;
  readonly url?: string;
  /** Connects firing and resolved events; in the vendor's words. */
  readonly episode_key: string;
  /** Identity of the alert: SHA-256 hex of (source_id, vendor, episode_key); never of state, severity, time or title. */
  readonly fingerprint: string;
  /** ≤ 64 pairs, name ≤ 64, value ≤ 256 characters. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** All named subjects, in no particular order. */
  readonly hints: readonly SubjectHint[];
  /** Some labels were written by outsiders: a subject found through an alias of a label is not eligible. */
  readonly outsider_labels: boolean;
  readonly value?: number;
  readonly run_id?: string;
  readonly traceparent?: string;
  /** Strength of the proof for this signal: in a Segment batch only the first event is signed. */
  readonly auth_strength: AuthStrength;
  /** `pagerduty.v1`, `header`, `url`, … */
  readonly auth_scheme: string;
  /** Version of the matching secret. */
  readonly secret_version?: number;
  /** Sender's signed clock minus ours. */
  readonly clock_skew_ms?: number;
  /** `sha256:<hex>` of the raw body as received. */
  readonly body_digest: string;
  /** The vendor left out alerts of the group: nothing follows from a missing alert. */
  readonly incomplete: boolean;
  readonly normalizer_version: number;
  /** Sent by POST /sources/{id}/test, or a test message of the vendor: never opens an incident by itself. */
  readonly test: boolean;
  /** Read from the platform's own metrics: never opens, joins or keeps an incident. */
  readonly own?: boolean;
}
