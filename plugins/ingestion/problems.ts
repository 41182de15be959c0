import { defineProblems } from '../../kernel/index.ts';

/** Problems of sources, deliveries, incidents and maintenance. */
export const problems = defineProblems({
  source_not_found: { status: 404, title: 'There is no such source', retryable: false },
  incident_not_found: { status: 404, title: 'There is no such incident', retryable: false },
  maintenance_not_found: { status: 404, title: 'There is no such maintenance window', retryable: false },
  delivery_not_found: { status: 404, title: 'There is no such delivery', retryable: false },
  incident_conflict: { status: 409, title: 'The state of the incident does not allow the change', retryable: false },
  integrity_incident: { status: 409, title: 'Only the auditor closes an integrity incident', retryable: false },
  secret_limit: { status: 409, title: 'A source has one to three secrets', retryable: false },
  delivery_not_replayable: { status: 409, title: 'The delivery cannot be replayed', retryable: false },
});
