/**
 * The part of ingestion that other plugins may import: incidents as facts of the installation, without a vendor's
 * words.
 */
import { defineEvent, defineService, type Awaitable } from '../../kernel/index.ts';
import type { Impact, IncidentFact, incidentKinds, IncidentSeverity, Phase } from './fact.ts';
import type { Vendor } from './sources/vendors/vendor.ts';

export { incidentFact, type IncidentFact } from './fact.ts';
export type { Impact, IncidentSeverity, Phase } from './fact.ts';

/** The components that an incident or a maintenance window can concern: the services of /status. */
export const componentNames = ['runtime', 'reputation_ledger', 'observable_engine', 'ingestion'] as const;

const ofSeverity = {
  critical: 'major_outage',
  high: 'partial_outage',
  warning: 'degraded_performance',
  info: 'none',
} as const satisfies Record<IncidentSeverity, Impact>;

/** Maps a severity to its impact on /status; `table`: that of the source of its alert. */
export function impactOf(severity: IncidentSeverity, table: Partial<Record<IncidentSeverity, Impact>> = {}): Impact {
  return table[severity] ?? ofSeverity[severity];
}

/** One subject of an incident; the `id` of an Orb includes its version. */
export type Subject = IncidentFact['facts']['scope'][number];

/** A period of an incident, half-open [from, to); times RFC 3339 UTC; without `to` it is still open. */
export interface Stretch {
  readonly from: string;
  readonly to?: string;
  readonly severity: IncidentSeverity;
  /** What it means for /status, where the table of a source says something else than the severity does. */
  readonly impact?: Impact;
}

/** A public note of an operator. */
export type PublicUpdate = Readonly<Record<'at' | 'message', string>> & { readonly phase: Phase };

type Attested = 'state' | 'severity' | 'scope' | 'starts_at' | 'ends_at';

/**
 * One incident; its `severity` is the worst so far. An incident of weak alerts has an empty `scope` and affects no status.
 */
export interface IncidentView extends Pick<IncidentFact['facts'], Attested> {
  readonly incident_id: string;
  readonly kind: (typeof incidentKinds)[number];
  /** A false positive, or merged into another incident: it counts as if it had never existed. */
  readonly retracted: boolean;
  readonly phase: Phase;
  /** Impact of the current severity; `none` once resolved. */
  readonly impact: Impact;
  readonly acknowledged_at?: string;
  readonly updated_at: string;
  /** Reported by at least two sources, each with a signature or a shared secret. */
  readonly corroborated: boolean;
  readonly flapping: boolean;
  readonly reopen_count: number;
  /** Periods of activity with their severity, oldest first; uptime is counted from them. */
  readonly stretches: readonly Stretch[];
  /** Oldest first. */
  readonly updates: readonly PublicUpdate[];
}

/** A planned time of work on subjects: alerts open no incident, and it does not count as downtime. */
export interface MaintenanceView {
  readonly maintenance_id: string;
  readonly title: string;
  readonly scope: readonly Subject[];
  readonly starts_at: string;
  readonly ends_at: string;
}

/** One interval of a subject's history: a period of an incident, or maintenance. */
export type Interval =
  | ({ readonly kind: 'incident'; readonly incident_id: string; readonly impact: Impact } & Stretch)
  | { readonly kind: 'maintenance'; readonly maintenance_id: string; readonly from: string; readonly to: string };

/** What a plugin found to be wrong, or to be mended. */
export interface Trouble {
  /** The same for both; it begins with the name of what the plugin watches: `schedule:…`. */
  readonly name: string;
  readonly state: 'firing' | 'resolved';
  /** For callers that may read incidents; contains only ids. */
  readonly title: string;
}

/** Incidents, for plugins that show the status of the installation. Contains attested changes only. */
export interface Incidents {
  /**
   * Opens an incident that affects no status, for a person to look at, or ends it. Recorded in the background, from the
   * hook `ready` on; earlier reports have no effect.
   */
  report(trouble: Trouble): void;
  /** Lists open and acknowledged incidents, oldest first; from memory, never throws. */
  open(): readonly IncidentView[];
  /** Lists windows that have not ended, by start; from memory, never throws. */
  maintenance(): readonly MaintenanceView[];
  find(incidentId: string): Awaitable<IncidentView | undefined>;
  /** Finds the title that was given to an incident, in the words of whoever reported it. */
  titleOf(incidentId: string): Awaitable<string | undefined>;
  /**
   * Lists incidents that were active in [from, to), without retracted ones, oldest first. Times RFC 3339 UTC. With
   * `subjects` only those that concern, or once concerned, one of them.
   */
  between(from: string, to: string, subjects?: readonly Subject[]): Awaitable<readonly IncidentView[]>;
  /** Lists windows that overlap [from, to), by start. */
  maintenanceBetween(from: string, to: string): Awaitable<readonly MaintenanceView[]>;
  /**
   * Lists the intervals of each subject, clipped to [from, to), by start; they may overlap. No `to`: the interval is
   * still open.
   */
  intervals(subjects: readonly Subject[], from: string, to: string): Awaitable<readonly (readonly Interval[])[]>;
  /** Calls back after every change of an incident, a public note or a window; returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
}

/** Reads incidents and maintenance windows. */
export const incidents = defineService<Incidents>('incidents');

/** Event about one attested change of an incident. */
export interface IncidentChanged extends Pick<IncidentFact['facts'], 'change' | 'state' | 'severity' | 'scope'> {
  /** `inc_<ulid>` */
  readonly incident_id: string;
  readonly receipt_id: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/** Sent after an incident was opened, changed or retracted, and the change is attested. */
export const incidentChanged = defineEvent<IncidentChanged>('incidentChanged');

/** The vendors of webhooks, for plugins that add one. */
export interface WebhookVendors {
  /**
   * Adds a vendor, in `start` of a plugin. Its functions are pure, and read bodies of at most 256 KiB. Rejects with
   * TypeError when its name is built in or has another form, or its limits are larger.
   */
  add(vendor: Vendor): Promise<void>;
}

/** Takes the vendors of webhooks that plugins add. */
export const webhookVendors = defineService<WebhookVendors>('webhookVendors');

export { defineReports, type DeliveryReport, type ReportsDefinition } from './sources/reports/define.ts';
export { configuredHmac } from './sources/auth/configured-hmac.ts';
export { defineVendor, jsonFixture, snippet } from './sources/vendors/vendor.ts';
export { Undecodable } from './sources/payload/undecodable.ts';
export type { Arrival, Proof, Secret, Signature } from './sources/auth/proof.ts';
export type { Draft, Fixture, Snippet, Vendor } from './sources/vendors/vendor.ts';
