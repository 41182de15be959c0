import { defineProblems } from '../../kernel/index.ts';

/** Problems of certificates, suspensions and a ledger without a projection. */
export const problems = defineProblems({
  certificate_not_issued: { status: 404, title: 'The Orb has never had a certificate', retryable: false },
  certificate_not_found: { status: 404, title: 'There is no such certificate or status list', retryable: false },
  ledger_behind: { status: 503, title: 'The ledger is reading the log for the first time', retryable: true },
  standing_conflict: { status: 409, title: 'The Orb already has this standing', retryable: false },
});
