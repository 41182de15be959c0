import { defineProblems } from '../../kernel/index.ts';

/** Problems of certificates and suspensions. */
export const problems = defineProblems({
  certificate_not_issued: { status: 404, title: 'The Orb has never had a certificate', retryable: false },
  certificate_not_found: { status: 404, title: 'There is no such certificate or status list', retryable: false },
  standing_conflict: { status: 409, title: 'The Orb already has this standing', retryable: false },
});
