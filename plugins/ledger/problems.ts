import { defineProblems } from '../../kernel/index.ts';

/** Problems of certificates, suspensions and a ledger without a projection. */
export const problems = defineProblems({
  certificate_not_issued: {
    status: 404,
    title: 'The Orb has never had a certificate',
    retryable: false,
    cause: 'A certificate is issued with the first tier, which the Orb has not reached.',
    remedy: 'See what is missing on the page of the Orb in the marketplace.',
  },
  certificate_not_found: {
    status: 404,
    title: 'There is no such certificate or status list',
    retryable: false,
    cause: 'No certificate or status list has this id.',
    remedy: 'Check the id; the page of the Orb links its newest certificate.',
  },
  ledger_behind: {
    status: 503,
    title: 'The ledger is reading the log for the first time',
    retryable: true,
    cause: 'The ledger is still reading the log, for example after a restore.',
    remedy: 'Wait as Retry-After says; `GET /health/ready` shows the progress.',
  },
  standing_conflict: {
    status: 409,
    title: 'The Orb already has this standing',
    retryable: false,
    cause: 'The Orb is suspended already, or is not.',
    remedy: 'Read the reputation of the Orb; nothing has to be done.',
  },
});
