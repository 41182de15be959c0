import { defineProblems } from '../../kernel/index.ts';

/** Problems of receipts and signing keys. */
export const problems = defineProblems({
  receipt_not_found: {
    status: 404,
    title: 'There is no such receipt',
    retryable: false,
    cause: 'No receipt has this id, or it belongs to another tenant.',
    remedy: 'Check the id; `GET /receipts` lists those that the key may see.',
  },
  signing_key_conflict: {
    status: 409,
    title: 'The state of the signing key does not allow the change',
    retryable: false,
    cause: 'The signing key is revoked, retired or the only one, so the change is not possible.',
    remedy: 'Read the keys by `GET /signing-keys` and choose another change.',
  },
  log_damaged: {
    status: 503,
    title: 'The log of receipts is damaged',
    retryable: false,
    cause: 'The log of receipts does not agree with its own checkpoints, so nothing is added to it.',
    remedy: 'Operators run `orb log fsck` and restore a backup; nothing else helps.',
  },
});
