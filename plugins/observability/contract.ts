/** What others may import of observability: the words of /status. */

/** The four services of /status, in the order they are shown. */
export const services = ['runtime', 'reputation_ledger', 'observable_engine', 'ingestion'] as const;
/** One of the services. */
export type ServiceName = (typeof services)[number];

/** The words for how a service is, from best to worst; maintenance stands between. */
export const statuses = [
  'operational',
  'under_maintenance',
  'degraded_performance',
  'partial_outage',
  'major_outage',
] as const;
/** One of the words. */
export type Status = (typeof statuses)[number];

/** Names a service for people. */
export const serviceTitles: Readonly<Record<ServiceName, string>> = {
  runtime: 'Runtime',
  reputation_ledger: 'Reputation ledger',
  observable_engine: 'Observable engine',
  ingestion: 'Ingestion',
};

/** Names a status for people. */
export const statusTitles: Readonly<Record<Status, string>> = {
  operational: 'operational',
  under_maintenance: 'under maintenance',
  degraded_performance: 'degraded performance',
  partial_outage: 'partial outage',
  major_outage: 'major outage',
};

/** Finds the worst of several; `operational` of none. */
export function worst(found: readonly Status[]): Status {
  return found.reduce((a, b) => (statuses.indexOf(b) > statuses.indexOf(a) ? b : a), 'operational');
}
