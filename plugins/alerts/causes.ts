/** What an alert can be about. */
export const causes = [
  ...(['incident_opened', 'incident_closed', 'provider_down', 'provider_recovered'] as const),
  ...(['key_expiring', 'certificate_expiring', 'policy_faulty', 'approval_waiting'] as const),
] as const;

/** One of `causes`. */
export type Cause = (typeof causes)[number];
