/** How surely a delivery came from its source: signed bytes, a secret header, the URL alone, nothing at all. */
export const authStrengths = ['strong', 'shared_secret', 'url_token', 'none'] as const;

/** What a signal says of its alert. `info` never opens anything; `suppressed`: muted, archived, in maintenance, paused. */
export const signalStates = ['firing', 'acknowledged', 'resolved', 'suppressed', 'unknown', 'info'] as const;

/** Severity, worst first; mapped by the vendor's file from its own words, an unknown word by the source's default. */
export const severities = ['critical', 'high', 'warning', 'info', 'debug'] as const;

/** Names by which a delivery may say whom it concerns. */
export const hintNames = ['orb_id', 'orb', 'orb_version', 'provider', 'orbiset', 'component', 'service'] as const;

/** The vendors, one file each under vendors/. */
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

/** One of `authStrengths`. */
export type AuthStrength = (typeof authStrengths)[number];

/** One of `signalStates`. */
export type SignalState = (typeof signalStates)[number];

/** One of `severities`. */
export type Severity = (typeof severities)[number];

/** One of `hintNames`. */
export type HintName = (typeof hintNames)[number];

/** One of `vendorNames`. */
export type VendorName = (typeof vendorNames)[number];

/** What kind of event a signal is; `analytics` feeds usage metrics and is never handed to incidents. */
export type SignalType = `orb.signal.${'alert' | 'change' | 'status' | 'metric' | 'heartbeat' | 'analytics'}`;
