import { defineProblems } from '../../kernel/index.ts';

/** Problems of sources, deliveries, incidents and maintenance. */
export const problems = defineProblems({
  source_not_found: {
    status: 404,
    title: 'There is no such source',
    cause: 'No source of webhooks has this id.',
    remedy: 'Check the id; `GET /sources` lists them.',
  },
  incident_not_found: {
    status: 404,
    title: 'There is no such incident',
    cause: 'No incident has this id.',
    remedy: 'Check the id; `GET /incidents` lists them.',
  },
  maintenance_not_found: {
    status: 404,
    title: 'There is no such maintenance window',
    cause: 'No maintenance window has this id.',
    remedy: 'Check the id; `GET /maintenance` lists them.',
  },
  delivery_not_found: {
    status: 404,
    title: 'There is no such delivery',
    cause: 'No delivery has this id, or it was deleted after its retention time.',
    remedy: 'Check the id; `GET /deliveries` lists them.',
  },
  incident_conflict: {
    status: 409,
    title: 'The state of the incident does not allow the change',
    cause: 'The incident is resolved, or its state does not allow the change.',
    remedy: 'Read the incident again, then decide again.',
  },
  integrity_incident: {
    status: 409,
    title: 'Only the auditor can close an integrity incident',
    cause: 'A receipt failed verification. The incident closes only when a later audit verifies that receipt.',
    remedy: 'Repair the cause, then wait for the next audit.',
  },
  secret_limit: {
    status: 409,
    title: 'A source has one to three secrets',
    cause: 'A source needs at least one secret, and may have up to three so that you can rotate them without downtime.',
    remedy: 'Remove an old secret first, or add a new secret before you remove the last one.',
  },
  delivery_not_replayable: {
    status: 409,
    title: 'The delivery cannot be replayed',
    cause: 'The delivery was already processed, or its body was deleted after its retention time.',
    remedy: 'Ask the vendor to send it again.',
  },
});
