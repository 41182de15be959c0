import { defineProblems } from '../../kernel/index.ts';

/** Problems of certificates, suspensions and a ledger without a projection. */
export const problems = defineProblems({
  certificate_not_issued: {
    status: 404,
    title: 'The Orb has never had a certificate',
    cause: 'The first certificate is issued when the Orb reaches its first tier. The Orb has not reached one.',
    remedy: 'The page of the Orb in the marketplace shows what is missing.',
  },
  certificate_not_found: {
    status: 404,
    title: 'There is no such certificate or status list',
    cause: 'No certificate or status list has this id.',
    remedy: 'Check the id; the page of the Orb links to its newest certificate.',
  },
  ledger_behind: {
    status: 503,
    title: 'The ledger is not ready yet',
    retryable: true,
    cause: 'The ledger is still reading the log, for example after a restore.',
    remedy: 'Wait as Retry-After says; `GET /health/ready` shows the progress.',
  },
  standing_conflict: {
    status: 409,
    title: 'The Orb is already in this state',
    cause: 'The Orb to suspend is already suspended, or the Orb to reinstate is not suspended.',
    remedy: 'Nothing to do. The reputation of the Orb shows its state.',
  },
});
