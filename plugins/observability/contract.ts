/** The part of observability that other plugins may import: the words of /status, the names of traces. */
export { attributeNames, callerSpan, operations, spanEvents, toolOf, traceIdOf } from './trace-names.ts';

/** The four services of /status, in the order they are shown. */
export const services = ['runtime', 'reputation_ledger', 'observable_engine', 'ingestion'] as const;
/** Name of one service. */
export type ServiceName = (typeof services)[number];

/** Statuses of a service, from best to worst, with maintenance between them. */
export const statuses = [
  'operational',
  'under_maintenance',
  'degraded_performance',
  'partial_outage',
  'major_outage',
] as const;
/** One of `statuses`. */
export type Status = (typeof statuses)[number];

/** Display names of the services. */
export const serviceTitles: Readonly<Record<ServiceName, string>> = {
  runtime: 'Runtime',
  reputation_ledger: 'Reputation ledger',
  observable_engine: 'Observable engine',
  ingestion: 'Ingestion',
};

/** Display names of the statuses. */
export const statusTitles: Readonly<Record<Status, string>> = {
  operational: 'operational',
  under_maintenance: 'under maintenance',
  degraded_performance: 'degraded performance',
  partial_outage: 'partial outage',
  major_outage: 'major outage',
};

/** Finds the worst of several statuses; `operational` for an empty list. */
export function worst(found: readonly Status[]): Status {
  return found.reduce((a, b) => (statuses.indexOf(b) > statuses.indexOf(a) ? b : a), 'operational');
}
