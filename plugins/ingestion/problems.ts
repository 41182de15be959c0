import { defineProblems } from '../../kernel/index.ts';

/** Problems of sources, deliveries, incidents and maintenance. */
export const problems = defineProblems({
  source_not_found: {
    status: 404,
    title: 'There is no such source',
    retryable: false,
    cause: 'No source of webhooks has this id.',
    remedy: 'Check the id; `GET /sources` lists them.',
  },
  incident_not_found: {
    status: 404,
    title: 'There is no such incident',
    retryable: false,
    cause: 'No incident has this id.',
    remedy: 'Check the id; `GET /incidents` lists them.',
  },
  maintenance_not_found: {
    status: 404,
    title: 'There is no such maintenance window',
    retryable: false,
    cause: 'No maintenance window has this id.',
    remedy: 'Check the id; `GET /maintenance` lists them.',
  },
  delivery_not_found: {
    status: 404,
    title: 'There is no such delivery',
    retryable: false,
    cause: 'No delivery has this id, or it was removed with its age.',
    remedy: 'Check the id; `GET /deliveries` lists them.',
  },
  incident_conflict: {
    status: 409,
    title: 'The state of the incident does not allow the change',
    retryable: false,
    cause: 'The incident is over, or is in a state that does not allow the change.',
    remedy: 'Read the incident again and decide again.',
  },
  integrity_incident: {
    status: 409,
    title: 'Only the auditor closes an integrity incident',
    retryable: false,
    cause: 'A receipt does not verify; only a later audit that finds it whole may end the incident.',
    remedy: 'Repair the cause and let the auditor look again.',
  },
  secret_limit: {
    status: 409,
    title: 'A source has one to three secrets',
    retryable: false,
    cause: 'A source needs one secret and may have three, so that secrets can be changed without a gap.',
    remedy: 'Remove an old secret first, or add a new one before you remove the last.',
  },
  delivery_not_replayable: {
    status: 409,
    title: 'The delivery cannot be replayed',
    retryable: false,
    cause: 'The delivery was processed, or its content is no longer kept.',
    remedy: 'Let the vendor send it again.',
  },
});
