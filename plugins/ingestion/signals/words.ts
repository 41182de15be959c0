/**
 * Strength of the proof that a delivery came from its source: signed bytes, a secret header, the URL alone, nothing.
 */
export const authStrengths = ['strong', 'shared_secret', 'url_token', 'none'] as const;

/** States of an alert. `info` never opens anything; `suppressed`: muted, archived, in maintenance, paused. */
export const signalStates = ['firing', 'acknowledged', 'resolved', 'suppressed', 'unknown', 'info'] as const;

/** Severities, worst first. A vendor's file maps its own words; an unknown word gets the default of the source. */
export const severities = ['critical', 'high', 'warning', 'info', 'debug'] as const;

/** Names with which a delivery may name its subject. */
export const hintNames = ['orb_id', 'orb', 'orb_version', 'provider', 'orbiset', 'component', 'service'] as const;

/** The vendors that are built in, one file each under sources/vendors/. */
export const vendorNames = [
  'alertmanager',
  'cloudevents',
  'datadog',
  'generic',
  'github',
  'grafana',
  'mixpanel',
  'pagerduty',
  'segment',
  'sentry',
  'standard-webhooks',
  'uptime-kuma',
] as const;

/** The vendors of delivery reports that are built in, one file each under sources/reports/. */
export const reportVendorNames = [
  'kannel',
  'mailgun',
  'postmark',
  'resend',
  'sendgrid',
  'ses',
  'twilio',
  'vonage',
] as const;

/** The form of a vendor's name. */
export const vendorPattern = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** One of `authStrengths`. */
export type AuthStrength = (typeof authStrengths)[number];

/** One of `signalStates`. */
export type SignalState = (typeof signalStates)[number];

/** One of `severities`. */
export type Severity = (typeof severities)[number];

/** One of `hintNames`. */
export type HintName = (typeof hintNames)[number];

/** The name of a vendor that is built in, or that a plugin adds. */
export type VendorName = string;

/** Type of a signal; `analytics` feeds usage metrics, `delivery` is a report on a message: neither reaches incidents. */
export type SignalType =
  `orb.signal.${'alert' | 'change' | 'status' | 'metric' | 'heartbeat' | 'analytics' | 'delivery'}`;

/** Says whether signals of a type are passed to incidents, which may depend on them from then on. */
export function reachesIncidents(type: SignalType): boolean {
  return type !== 'orb.signal.analytics' && type !== 'orb.signal.delivery';
}
