import { defineProblems } from '../../kernel/index.ts';

/** Problems of receipts and signing keys. */
export const problems = defineProblems({
  receipt_not_found: { status: 404, title: 'There is no such receipt', retryable: false },
  signing_key_conflict: {
    status: 409,
    title: 'The state of the signing key does not allow the change',
    retryable: false,
  },
  log_damaged: { status: 503, title: 'The log of receipts is damaged', retryable: false },
});
